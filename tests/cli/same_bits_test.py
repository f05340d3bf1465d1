"""The bytes of a trained network do not depend on the processor: tests/data/same_bits.txt holds a
digest for each of a few trainings, and every level of vector instructions from AVX2 on gives it.

After a change that is meant to change the bits, record them again:

    CH_BIN=build/release/ch /usr/bin/python3 tests/cli/same_bits_test.py --record
"""
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import unittest

CH = str(pathlib.Path(os.environ.get("CH_BIN", "build/release/ch")).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests/data/same_bits.txt"
EXAMPLES = ROOT / "configs/examples"

MLP = str(EXAMPLES / "jsc_mlp_64.toml")
#: what is trained, and the format that it is quantised in before, if any
TRAININGS = {"jsc-tiny": ("jsc-tiny", None), "jsc-s": ("jsc-s", None), "16-64-32-32-5": (MLP, None),
             "16-64-32-32-5, integer": (MLP, "integer"), "16-64-32-32-5, lsq_integer": (MLP, "lsq_integer")}


def levels():
    """What this machine can do, of the levels that promise the same bits."""
    flags = set(re.search(r"^flags\s*: (.*)$|\Z", pathlib.Path("/proc/cpuinfo").read_text(), re.M)[0].split())
    if platform.machine() == "aarch64":
        return ["baseline"]
    return [level for level, needs in (("avx2", {"avx2", "fma"}), ("avx512", {"avx2", "avx512bw", "avx512vl"}))
            if needs <= flags]


def run(level, scratch, action, *arguments):
    command = [CH, action, *arguments, "--rows", "20000", "--batch-size", "256", "--project-dir", str(scratch), "-q"]
    done = subprocess.run(command, env={**os.environ, "CH_SIMD": level}, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")


def digest(name, level):
    """Of the checkpoint after two epochs at this level."""
    network, number_format = TRAININGS[name]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        if number_format:
            run(level, scratch, "transform", network, "jsc", "--project", "quantised",
                "--config", str(EXAMPLES / f"quantize/{number_format}.toml"))
            network = str(scratch / "quantised/software/transform/transformed_ckpt/graph_module.mz")
        run(level, scratch, "train", network, "jsc", "--max-epochs", "2", "--learning-rate", "1e-3", "--seed", "0",
            "--project", "trained")
        checkpoint = scratch / "trained/software/training_ckpts/best.ckpt"
        return hashlib.sha256(checkpoint.read_bytes()).hexdigest()[:16]


def recorded():
    lines = RECORD.read_text().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))


class SameBits(unittest.TestCase):
    def test_every_level_gives_the_bytes_that_are_recorded(self):
        found = levels()
        if not found:
            self.skipTest("this processor has no fused multiply-add, so its sums are rounded otherwise")
        for name, expected in recorded().items():
            for level in found:
                with self.subTest(training=name, level=level):
                    self.assertEqual(digest(name, level), expected)

    def test_all_trainings_are_recorded(self):
        self.assertEqual(set(recorded()), set(TRAININGS))


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        text = "# Digests of checkpoints, as tests/cli/same_bits_test.py makes them.\n"
        RECORD.write_text(text + "".join(f"{name} {digest(name, levels()[0])}\n" for name in TRAININGS))
    else:
        unittest.main()
