"""Those who are measured: a process that answers a line of numbers for every line it is sent, or
a whole command that is started anew each time."""
import dataclasses
import json
import os
import select
import subprocess
import tempfile
import time


class Missing(Exception):
    """This peer cannot be had here; the reason is for people."""


class Failed(Exception):
    """A worker did not do what it should have done."""


@dataclasses.dataclass
class Worker:
    """A process of its own: says "ready {facts}", then answers each line with JSON."""
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    patience: float = 900
    facts: dict = dataclasses.field(default_factory=dict)

    def start(self):
        self.said = tempfile.TemporaryFile()
        self.rest = b""
        try:
            self.process = subprocess.Popen(
                [str(word) for word in self.command], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=self.said, env={**os.environ, **self.environment})
        except OSError as error:
            self.said.close()
            raise Missing(f"{self.command[0]}: {error.strerror}") from None
        word, _, text = self.line().partition(" ")
        if word == "missing":
            self.close()
            raise Missing(text)
        if word != "ready":
            raise Failed(f"said '{word} {text}' instead of ready")
        self.facts = json.loads(text or "{}")

    def line(self):
        """What it says next. Reading by hand: a deadline and buffered files do not go together."""
        deadline = time.monotonic() + self.patience
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [],
                                        max(0, deadline - time.monotonic()))
            got = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not got:
                why = "ended" if ready else f"was silent for {self.patience:.0f} s"
                self.close()
                raise Failed(f"{why}: {self.last_words}")
            self.rest += got
        text, _, self.rest = self.rest.partition(b"\n")
        return text.decode()

    def measure(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return json.loads(self.line())

    def close(self):
        if self.said.closed:
            return
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.said.seek(0)
        self.last_words = self.said.read().decode(errors="replace").strip()[-800:]
        self.said.close()


@dataclasses.dataclass
class Command:
    """A whole command, from its start to its end. `read` makes numbers of what it left behind."""
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    repeat: int = 1
    read: object = None
    facts: dict = dataclasses.field(default_factory=dict)

    def start(self):
        self.measure()  # fills caches

    def once(self):
        """Started as cheaply as can be, so that little but the command is measured."""
        words = [str(word) for word in self.command]
        with tempfile.TemporaryFile() as said, open(os.devnull, "r+b") as nothing:
            actions = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), 0),
                       (os.POSIX_SPAWN_DUP2, nothing.fileno(), 1),
                       (os.POSIX_SPAWN_DUP2, said.fileno(), 2)]
            environment = {**os.environ, **self.environment}
            start = time.perf_counter()
            process = os.posix_spawnp(words[0], words, environment, file_actions=actions)
            _, status = os.waitpid(process, 0)
            seconds = time.perf_counter() - start
            if status:
                said.seek(0)
                raise Failed(f"{' '.join(words)}: exit {os.waitstatus_to_exitcode(status)}: "
                             f"{said.read().decode(errors='replace').strip()[-800:]}")
        return seconds

    def measure(self):
        taken = sorted(self.once() for _ in range(self.repeat))
        return {"seconds": taken[len(taken) // 2], **(self.read() if self.read else {})}

    def close(self):
        pass
