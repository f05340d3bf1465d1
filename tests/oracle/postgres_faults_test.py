"""Studies on PostgreSQL when things go wrong: the contract of every store, workers at once, killed
workers, a server that restarts, connections that break at any byte, addresses nobody answers at."""
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import optuna

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from postgres_server import ESCAPED, PASSWORD, PostgresServer, free_port  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
BUILD = os.environ["CH_BUILD"]
SLOWER = int(os.environ.get("CH_TIME_FACTOR", "1"))  # than in release
ORACLE = os.path.join(BUILD, "tests", "oracle_study_store")


class Breaking(threading.Thread):
    """A way to the server that breaks: each connection after a random number of bytes of answers."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.target = port
        self.random = random.Random(seed)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.opened = 0
        self.broken = 0

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            # The first opens the store; some last longer, for who has to read a whole study.
            allowed = 10**9 if self.opened == 0 else self.random.randrange(3000, 15000)
            if self.opened % 6 == 5:
                allowed = 150000
            self.opened += 1
            threading.Thread(target=self.pump, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, allowed), daemon=True).start()

    def pump(self, source, sink, allowed):
        """Passes bytes on; what comes after the allowed ones is lost with the connection."""
        try:
            while data := source.recv(4096):
                if allowed is not None:
                    allowed -= len(data)
                    if allowed < 0:
                        self.broken += 1
                        break
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = PostgresServer()
        cls.addClassCleanup(cls.server.close)

    def study(self):
        url = self.server.new_database()
        optuna.create_study(study_name="s", storage=url)
        return url

    def start(self, url, count):
        worker = subprocess.Popen([ORACLE, "run", url, "s", str(count)], stderr=subprocess.PIPE,
                                  text=True)
        self.addCleanup(worker.stderr.close)
        self.addCleanup(worker.kill)
        return worker

    def wait_for_trials(self, url, worker, more):
        """Until so many more trials are there."""
        def count():
            return int(self.server.psql("SELECT COUNT(*) FROM trials", url.rpartition("/")[2]))
        before = count()
        while count() < before + more:
            if worker.poll() is not None:
                self.fail("the worker ended too early: " + worker.stderr.read())
            time.sleep(0.02)

    def finish(self, worker):
        self.assertEqual(worker.wait(timeout=120 * SLOWER), 0, worker.stderr.read())

    def trials(self, url):
        done = subprocess.run([ORACLE, "read", url, "s"], capture_output=True, text=True, check=True)
        trials = json.loads(done.stdout)["trials"]
        numbers = [trial.number for trial in optuna.load_study(study_name="s", storage=url).trials]
        self.assertEqual(numbers, list(range(len(trials))))
        return trials

    def test_the_contract_of_every_store(self):
        done = subprocess.run([os.path.join(BUILD, "tests", "ch_tests"), "--gtest_brief=1",
                               "--gtest_filter=*StoreContract*/postgresql"], capture_output=True, text=True,
                              check=False, env={**os.environ, "CH_TEST_POSTGRESQL": self.server.new_database()})
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("Running 0 tests", done.stdout)

    def test_workers_at_once_and_optuna_among_them(self):
        url = self.study()
        workers = [self.start(url, 50) for _ in range(3)]
        optuna.load_study(study_name="s", storage=url).optimize(
            lambda trial: trial.suggest_float("x", 0, 10), n_trials=10)
        for worker in workers:
            self.finish(worker)
        trials = self.trials(url)
        self.assertEqual(len(trials), 160)
        self.assertEqual({trial["state"] for trial in trials}, {"COMPLETE"})

    def test_a_killed_worker_leaves_whole_trials_and_frees_the_study(self):
        url = self.study()
        worker = self.start(url, 100000)
        self.wait_for_trials(url, worker, 20)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        before = self.trials(url)
        self.assertGreater(len(before), 5)
        for trial in before[:-1]:
            self.assertEqual((trial["state"], len(trial["values"])), ("COMPLETE", 1))
        self.finish(self.start(url, 3))
        self.assertEqual(len(self.trials(url)), len(before) + 3)

    def test_a_server_that_restarts_costs_no_trial(self):
        url = self.study()
        worker = self.start(url, 3000)
        for mode in ("immediate", "fast"):
            self.wait_for_trials(url, worker, 50)
            self.server.stop(mode)
            time.sleep(0.5)
            self.server.start()
        self.finish(worker)
        trials = self.trials(url)
        self.assertEqual(len(trials), 3000)
        self.assertEqual({trial["state"] for trial in trials}, {"COMPLETE"})

    def test_connections_that_break_at_any_byte_cost_no_trial_and_double_none(self):
        url = self.study()
        workers = []
        for seed in range(2):
            way = Breaking(self.server.port, seed)
            way.start()
            self.addCleanup(way.listener.close)
            workers.append((way, self.start(url.replace(f":{self.server.port}", f":{way.port}"), 150)))
        for way, worker in workers:
            self.finish(worker)
        # How often depends on how many trials a busy machine stores at a time.
        self.assertGreater(sum(way.broken for way, _ in workers), 3)
        trials = self.trials(url)
        self.assertEqual(len(trials), 300)
        self.assertEqual({trial["state"] for trial in trials}, {"COMPLETE"})

    def test_addresses_nobody_answers_at(self):
        nowhere = free_port()
        cases = {f"postgresql://me:{ESCAPED}@127.0.0.1:{nowhere}/db": "Connection refused",
                 f"postgresql://me:{PASSWORD}@127.0.0.1:{nowhere}/db": "%40",
                 f"postgresql://chop:wrong@127.0.0.1:{self.server.port}/postgres": "password authentication",
                 f"postgresql://chop:{ESCAPED}@127.0.0.1:{self.server.port}/none": "does not exist",
                 f"host=127.0.0.1 port={nowhere} user=me password={PASSWORD}": "Connection refused",
                 f"host=127.0.0.1 port={nowhere} password='{PASSWORD} b' user=me": "Connection refused",
                 f"host=127.0.0.1 password={PASSWORD} nonsense": "is no address of a PostgreSQL database",
                 "postgresql+psycopg2://me@no.such.host.invalid/db": "no.such.host.invalid",
                 # Nobody listens at addresses kept for documentation, nobody refuses either.
                 "postgres://me@192.0.2.1/db": "cannot connect"}
        for url, expected in cases.items():
            began = time.monotonic()
            done = subprocess.run([ORACLE, "read", url, "s"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(expected, done.stderr)
            self.assertLess(time.monotonic() - began, 10 * SLOWER, url)
            for secret in (PASSWORD, ESCAPED, "s3cret", "wrong@"):
                self.assertNotIn(secret, done.stderr)

    def test_sockets_and_drivers_of_sqlalchemy(self):
        url = self.study()
        name = url.rpartition("/")[2]
        for spelling in (url.replace("postgresql://", "postgresql+psycopg2://"),
                         f"postgresql://chop:{ESCAPED}@/{name}?host={self.server.folder}&port={self.server.port}"):
            done = subprocess.run([ORACLE, "read", spelling, "s"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_password_need_not_stand_in_the_address(self):
        name = self.study().rpartition("/")[2]
        where = f"127.0.0.1:{self.server.port}/{name}"
        passes, services = self.server.folder / "pgpass", self.server.folder / "services"
        secret = PASSWORD.replace(":", r"\:")
        passes.write_text(f"127.0.0.1:{self.server.port}:*:chop:{secret}\n")
        passes.chmod(0o600)
        services.write_text(f"[lab]\nhost=127.0.0.1\nport={self.server.port}\nuser=chop\ndbname={name}\n"
                            f"password={PASSWORD}\n")
        words = f"host=127.0.0.1 port={self.server.port} user=chop dbname={name}"
        for url, variables in ((f"postgresql://chop@{where}", {"PGPASSWORD": PASSWORD}),
                               (f"postgresql://chop@{where}", {"PGPASSFILE": str(passes)}),
                               ("postgresql://?service=lab", {"PGSERVICEFILE": str(services)}),
                               ("service=lab", {"PGSERVICEFILE": str(services)}),
                               (words, {"PGPASSWORD": PASSWORD}),
                               (f"{words} password={PASSWORD}", {})):
            with self.subTest(url):
                done = subprocess.run([ORACLE, "read", url, "s"], capture_output=True, text=True, check=False,
                                      env={**os.environ, **variables})
                self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([ORACLE, "read", words, "s"], capture_output=True, text=True, check=False)
        self.assertIn("no password supplied", done.stderr)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
