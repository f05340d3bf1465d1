"""The estimate of a circuit's LUTs, against those that Yosys counted."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import hardware_designs  # noqa: E402
from in_folder import InFolder  # noqa: E402


def recorded():
    """By design: LUTs, registers, CARRY4."""
    text = (pathlib.Path(os.environ["CH_SOURCE"]) / "tests/data/hardware_luts.txt").read_text()
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {name: tuple(map(int, counts)) for name, *counts in rows}


def is_of_the_record():
    """Whether Yosys is the version that the record is of."""
    if not shutil.which("yosys"):
        return False
    said = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=False).stdout
    return said.startswith("Yosys 0.23 ")


class Estimate(InFolder):
    def emit(self, design, action="emit"):
        (self.folder / "net.chir").write_text(design.text)
        return self.json(action, "net.chir", *design.options)

    def test_it_is_near_what_yosys_counted(self):
        known = recorded()
        designs = hardware_designs.designs()
        self.assertGreaterEqual(len(designs), 40)
        self.assertEqual({design.name for design in designs}, set(known))
        errors = {}
        for design in designs:
            luts, registers, carries = known[design.name]
            said = self.emit(design)["estimate"]
            errors[design.name] = abs(said["luts"] / luts - 1)
            self.assertLessEqual(abs(said["registers"] - registers), 0.15 * registers, design.name)
            if "plain" not in design.name:
                self.assertLessEqual(abs(said["carries"] - carries), 0.07 * carries + 1, design.name)
            self.assertEqual(said["dsps"], 0)
        self.assertLessEqual(statistics.median(errors.values()), 0.10)
        self.assertLessEqual(max(errors.values()), 0.30, max(errors, key=errors.get))

    def test_its_error_is_printed_with_it(self):
        design = hardware_designs.designs()[0]
        (self.folder / "net.chir").write_text(design.text)
        said = self.good("emit", "net.chir").stdout
        self.assertIn("Estimated for UltraScale+", said)
        self.assertIn("of Yosys (median of 55 designs, at worst", said)

    @unittest.skipUnless(is_of_the_record(), "the record is of Yosys 0.23")
    def test_the_record_is_what_yosys_counts(self):
        known = recorded()
        for design in hardware_designs.designs():
            if design.name not in ("layer-4x4-3", "mlp-sigmoid-5"):
                continue
            made = self.emit(design, "synth")["circuits"][0]
            self.assertEqual((made["luts"], made["registers_made"], made["carries"]), known[design.name])


if __name__ == "__main__":
    unittest.main()
