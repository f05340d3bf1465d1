"""The training step costs no more instructions than it did: counted by valgrind, so that neither
other work on the machine nor the width of its vectors matters (there it is AVX2 at most).

What is counted is the difference between a run of N and one of 2 N steps of one epoch, over N:
loading, validating and saving cancel out. tests/data/instructions.txt holds what is
expected. After a change that is meant to cost or to save instructions, record them again:

    CH_BIN=build/release/ch /usr/bin/python3 tests/cli/instructions_test.py --record
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CH = str(pathlib.Path(os.environ.get("CH_BIN", "build/release/ch")).resolve())
RECORD = pathlib.Path(__file__).resolve().parent.parent / "data" / "instructions.txt"
STEPS = {"jsc-tiny": 80, "jsc-s": 25}
SLACK = 0.1
HOW = f"CH_BIN={CH} /usr/bin/python3 {pathlib.Path(__file__).resolve()} --record"


def why_not():
    """Why instructions of this build cannot be counted, or nothing."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed"
    cache = pathlib.Path(CH).parent / "CMakeCache.txt"
    flags = cache.read_text() if cache.exists() else ""
    if "-fsanitize" in flags:
        return "the build has sanitisers"
    if not re.search(r"^CMAKE_BUILD_TYPE:\w+=Rel", flags, re.M):
        return "the build is not optimised"
    return ""


class Counter:
    """Runs the program in a folder of its own, with nothing of the user's environment."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                            "CH_CACHE_DIR": str(self.folder / "cache")}

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, network, steps, *before):
        command = [*before, CH, "train", network, "jsc", "--rows", "60000", "--batch-size", "256", "--seed", "0",
                   "--threads", "1", "--cpu", "0", "--checkpoint-every-seconds", "0", "--max-steps", str(steps),
                   "--project", "counted"]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        shutil.rmtree(self.folder / "mase_output", ignore_errors=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        return done.stderr

    def counted(self, network, steps):
        # What libraries do before main() depends on the time it takes them.
        said = self.run(network, steps, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                        "--collect-atstart=no", "--toggle-collect=main")
        return int(re.search(r"Collected\s*:\s*(\d+)", said).group(1))

    def per_step(self, network):
        self.run(network, 1)  # the data set is generated once, and read by all that follow
        steps = STEPS[network]
        return round((self.counted(network, 2 * steps) - self.counted(network, steps)) / steps)


def recorded():
    lines = RECORD.read_text().splitlines()
    return {name: int(count) for name, count in (line.split() for line in lines if line and line[0] != "#")}


def verdict(network, count, expected):
    """(whether it holds, what to say) of a count beside the recorded one."""
    change = count / expected - 1
    facts = f"{network}: {count:,} instructions per training step, {expected:,} are recorded ({change:+.1%})"
    if change > SLACK:
        return False, (f"{facts}: more than {SLACK:.0%} above. Find out why (callgrind_annotate says where), "
                       f"or if it is meant to cost that, record it: {HOW}")
    if change < -SLACK:
        return True, f"{facts}: well done; record it, so that it stays: {HOW}"
    return True, facts


class Verdict(unittest.TestCase):
    def test_more_than_a_tenth_above_fails_and_says_what_to_do(self):
        holds, says = verdict("net", 1111, 1000)
        self.assertFalse(holds)
        for part in ["1,111", "1,000", "+11.1%", "--record"]:
            self.assertIn(part, says)

    def test_within_a_tenth_holds(self):
        self.assertEqual(verdict("net", 1090, 1000)[0], True)
        self.assertNotIn("--record", verdict("net", 910, 1000)[1])

    def test_far_below_asks_to_record_and_holds(self):
        holds, says = verdict("net", 500, 1000)
        self.assertTrue(holds)
        self.assertIn("--record", says)


@unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
class Instructions(unittest.TestCase):
    def test_a_training_step_costs_what_is_recorded(self):
        counter = Counter()
        self.addCleanup(counter.close)
        for network, expected in recorded().items():
            with self.subTest(network=network):
                holds, says = verdict(network, counter.per_step(network), expected)
                print(says)
                self.assertTrue(holds, says)


def record():
    if why_not():
        sys.exit(f"nothing recorded: {why_not()}")
    counter = Counter()
    lines = ["# Instructions per training step at batch 256, as tests/cli/instructions_test.py counts them.",
             *(f"{network} {counter.per_step(network)}" for network in STEPS)]
    counter.close()
    RECORD.write_text("\n".join(lines) + "\n")
    print(RECORD.read_text(), end="")


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    else:
        unittest.main()
