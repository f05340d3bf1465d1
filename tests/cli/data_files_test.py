"""Data files given by path: tested whole, used without labels, and how many rows of how many were used."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy

CH = os.environ["CH_BIN"]
QUANTIZE = """
[passes.quantize]
by = "type"
num_samples = 20
[passes.quantize.linear.config]
name = "integer"
data_in_width = 8
weight_width = 8
"""


class DataFiles(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        draw = numpy.random.default_rng(0)
        self.x = draw.normal(size=(100, 16)).astype(numpy.float32)
        self.y = draw.integers(0, 5, 100)
        numpy.savez(self.folder / "labelled.npz", x=self.x, y=self.y)
        numpy.savez(self.folder / "samples.npz", jets=self.x)
        numpy.savez(self.folder / "same.npz", x=self.x, y=self.y * 0)
        numpy.save(self.folder / "samples.npy", self.x)
        numpy.savetxt(self.folder / "samples.csv", self.x, delimiter=",")
        (self.folder / "q.toml").write_text(QUANTIZE)
        self.ch("convert", "jsc-tiny", "net.mz")

    def ch(self, *words, code=0):
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run([CH, *map(str, words)], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.log = done.stderr
        return done.stdout

    def json(self, *words):
        return json.loads(self.ch(*words, "--json", "-"))

    def test_a_file_is_tested_whole_unless_it_is_to_be_split(self):
        whole = self.json("test", "net.mz", "labelled.npz")
        self.assertEqual((whole["rows"], whole["rows_in_data"]), (100, 100))
        self.assertIn("dataset 'labelled': 100 rows, all to test with", self.log)
        split = self.json("test", "net.mz", "--in", "labelled.npz", "--split")
        self.assertEqual((split["rows"], split["rows_in_data"]), (20, 100))
        self.assertIn("100 rows: 72 train, 8 validation, 20 test", self.log)
        self.assertIn("10 of 100 rows", self.ch("test", "net.mz", "labelled.npz", "--rows", 10))
        # as numpy counts
        self.ch("run", "net.mz", "--in", "samples.npy", "--out", "out.npz")
        out = next(iter(numpy.load(self.folder / "out.npz").values()))
        self.assertEqual(whole["correct"], int((out.argmax(1) == self.y).sum()))
        self.assertIn("is given twice", self.ch("test", "net.mz", "jsc", "--in", "x.npz", code=1) + self.log)

    def test_a_label_without_an_output_is_an_error(self):
        y = self.y.copy()
        y[3] = 7
        numpy.savez(self.folder / "seven.npz", x=self.x, y=y)
        for command in ("test", "train"):
            self.ch(command, "net.mz", "seven.npz", "-q", code=1)
            self.assertIn("the network has 5 outputs, the data set 8 classes", self.log)
        y[3] = -1
        numpy.savez(self.folder / "negative.npz", x=self.x, y=y)
        self.ch("test", "net.mz", "negative.npz", "-q", code=1)
        self.assertIn("the label of row 3 is -1.0", self.log)

    def test_calibration_profiling_and_comparison_need_no_labels(self):
        for file in ("samples.npz", "samples.npy", "samples.csv", "same.npz"):
            with self.subTest(file):
                made = self.json("transform", "net.mz", file, "--config", "q.toml", "--project", file)
                self.assertIn("100 rows, without labels", self.log)
                self.assertEqual(made["passes"][0]["info"]["calibration_rows"], 20)
                self.assertIsNone(made["accuracy"])
                both = self.json("compare", "net.mz", made["checkpoint"], "--in", file, "--samples", 30)
                self.assertEqual(both["outputs"]["rows"], 30)
                self.assertNotIn("accuracy", both)
        self.ch("test", "net.mz", "samples.npz", code=1)
        self.assertIn("holds the arrays jets", self.log)
        self.ch("test", "net.mz", "same.npz", code=1)
        self.assertIn("all samples have the same label", self.log)
        self.assertIn("labels are the array y of an .npz file", self.log)

    def test_as_many_samples_are_profiled_as_are_asked_for(self):
        words = ["pass", "profile_statistics", "net.mz", "samples.npy", "num_samples=32",
                 "target_activation_nodes=linear"]
        for dims in ("none", "None", "NA"):
            info = self.json(*words, f"activation_statistics.range_min_max.dims={dims}")["passes"][0]["info"]
            self.assertEqual((info["samples"], info["rows"]), (32, 100))
        least = info["nodes"]["seq_blocks_2"]["data_in_0"]["range_min_max"]["min"]
        self.assertEqual(len(numpy.ravel(least)), 16)
        self.assertIn("32 of 100 rows", self.ch(*words, "activation_statistics.range_min_max.dims=all"))


if __name__ == "__main__":
    unittest.main()
