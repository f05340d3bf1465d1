"""A PostgreSQL server of one's own, for tests: on a free loopback port, in a temporary folder.

    with PostgresServer() as server:
        url = server.new_database()      # postgresql://chop:secret@127.0.0.1:PORT/db1

Debian's package postgresql has the programs; the server refuses to run as root, so then it runs as
the package's user.
"""
import glob
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

PASSWORD = "s3cret/@:word"
ESCAPED = "s3cret%2F%40%3Aword"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def program(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    if not found:
        raise FileNotFoundError(f"{name} of Debian's package postgresql is missing; ./test installs it")
    return found[-1]


class PostgresServer:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="chop_pg_"))
        self.port = free_port()
        self.databases = 0
        self.process = None
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        os.chmod(self.folder, 0o755)
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        os.chmod(secret, 0o644)
        self.run("initdb", "-D", self.folder / "data", "-U", "chop", "--auth=scram-sha-256",
                 "--pwfile", secret, "--no-sync", "-E", "UTF8", "--locale=C")
        self.start()

    def as_user(self, command):
        command = [str(part) for part in command]
        return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else command

    def run(self, name, *words):
        done = subprocess.run(self.as_user([program(name), *words]), capture_output=True, text=True,
                              check=False, cwd="/")
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stdout}{done.stderr}")

    def start(self):
        log = open(self.folder / "log", "a", encoding="utf-8")
        options = [f"port={self.port}", "listen_addresses=127.0.0.1", "fsync=off",
                   f"unix_socket_directories={self.folder}", "shared_buffers=16MB"]
        words = [word for option in options for word in ("-c", option)]
        self.process = subprocess.Popen(self.as_user([program("postgres"), "-D", self.folder / "data",
                                                      *words]), stdout=log, stderr=log, cwd="/")
        log.close()
        self.wait()

    def wait(self):
        for _ in range(300):
            ready = subprocess.run([program("pg_isready"), "-q", "-h", "127.0.0.1", "-p",
                                    str(self.port)], check=False).returncode == 0
            if ready:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError("PostgreSQL does not start:\n" + (self.folder / "log").read_text())

    def stop(self, mode="immediate"):
        self.run("pg_ctl", "stop", "-D", self.folder / "data", "-m", mode, "-w")
        self.process.wait()

    def psql(self, statement, database="postgres"):
        done = subprocess.run([program("psql"), "-X", "-q", "-t", "-A", "-h", "127.0.0.1", "-p",
                               str(self.port), "-U", "chop", "-d", database, "-c", statement],
                              env={**os.environ, "PGPASSWORD": PASSWORD}, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def dump_schema(self, database):
        """What pg_dump says of the tables of a database, in lines without comments, sorted."""
        done = subprocess.run([program("pg_dump"), "-s", "-h", "127.0.0.1", "-p", str(self.port), "-U",
                               "chop", database], env={**os.environ, "PGPASSWORD": PASSWORD},
                              capture_output=True, text=True, check=True)
        return sorted(line.rstrip(",") for line in done.stdout.splitlines()
                      if line and not line.startswith(("--", "\\")))

    def new_database(self):
        """The address of an empty database."""
        self.databases += 1
        name = f"db{self.databases}"
        self.psql(f"CREATE DATABASE {name}")
        return f"postgresql://chop:{ESCAPED}@127.0.0.1:{self.port}/{name}"

    def close(self):
        if self.process and self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
