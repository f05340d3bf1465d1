"""Random small networks through `ch emit` and the simulators: every output is that of the integer network.

CH_HARDWARE_NETWORKS=200 draws so many instead of a few, CH_HARDWARE_FIRST begins with another seed.
"""
import os
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from in_folder import InFolder  # noqa: E402
from random_networks import Network  # noqa: E402

FEW = 8
# What a circuit may be: fully parallel, pipelined, behind a stream, folded.
WAYS = ((), ("--pipeline", "5"), ("--logic-depth", "3", "--interface", "stream"), ("--reuse", "1"), ("--reuse", "4"),
        ("--reuse", "1000", "--multiply", "lut"), ("--adders", "canonical", "--combinational", "--interface", "stream"),
        ("--adders", "plain", "--argmax"))


class RandomNetworks(InFolder):
    def compare(self, seed, simulator):
        path = self.folder / f"net{seed}.chir"
        way = WAYS[seed % len(WAYS)]
        path.write_text(Network(seed, reads_once="--reuse" in way).text())
        with self.subTest(seed=seed, way=way):
            said = self.json("simulate", path, "--simulator", simulator, "--random", "30", "--out", f"hw{seed}", *way)
            self.assertEqual(said[simulator]["differing"], 0)
            self.assertGreater(said[simulator]["samples"], 30)
        shutil.rmtree(self.folder / f"hw{seed}", ignore_errors=True)

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_icarus_gives_the_numbers_of_the_integers(self):
        first = int(os.environ.get("CH_HARDWARE_FIRST", "0"))
        for seed in range(first, first + int(os.environ.get("CH_HARDWARE_NETWORKS", FEW))):
            self.compare(seed, "icarus")

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_verilator_gives_the_numbers_of_the_integers(self):
        first = int(os.environ.get("CH_HARDWARE_FIRST", "0"))
        count = int(os.environ.get("CH_HARDWARE_NETWORKS", FEW))
        for seed in range(first, first + count, max(4, count // 20)):
            self.compare(seed, "verilator")


if __name__ == "__main__":
    unittest.main()
