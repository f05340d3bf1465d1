"""ch format as a person uses it: listing, showing, quantising a file, and its mistakes."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np


class Format(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def ch(self, *words, code=0):
        run = subprocess.run([os.environ["CH_BIN"], "format", *words], capture_output=True, text=True,
                             env={**os.environ, "CH_CACHE_DIR": self.folder.name}, check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def test_lists_all_formats_with_their_keys(self):
        text = self.ch("--list").stdout
        for name in ("integer, fixed", "minifloat_ieee", "block_fp", "mxfp", "frac_width"):
            self.assertIn(name, text)
        entries = json.loads(self.ch("--list", "--json", "-").stdout)
        defined = pathlib.Path(os.environ["CH_SOURCE"], "src/formats/defs").glob("*.cpp")
        self.assertEqual(sorted(e["format"] for e in entries), sorted(f.stem.rstrip("_") for f in defined))
        integer = next(e for e in entries if e["format"] == "integer")
        self.assertEqual([k["key"] for k in integer["keys"]], ["width", "frac_width", "is_signed"])

    def test_shows_range_bits_codes_and_errors(self):
        text = self.ch("integer", "width=8", "frac_width=4").stdout
        self.assertTrue(text.startswith("integer(8, 4): q = clamp("))
        self.assertIn("7.9375", text)
        shown = json.loads(self.ch("integer", "width=8", "frac_width=4", "--json", "-").stdout)
        self.assertEqual(shown["bits"], {"value": 8, "shared": 0})
        self.assertEqual(shown["range"]["lowest"], -8)
        self.assertEqual(shown["range"]["step"], 0.0625)
        for row in shown["values"]:
            self.assertEqual(row["q"], row["code"] / 16)

    def test_shows_every_format(self):
        for words in (["float"], ["integer_floor", "width=4"], ["scale_integer", "width=8"],
                      ["lsq_integer", "width=4"], ["minifloat_denorm", "width=8", "exponent_width=4"],
                      ["minifloat_ieee", "width=8", "exponent_width=4"], ["log", "width=8"],
                      ["block_fp", "block_size=[1,16]"], ["binary"], ["binary_residual"], ["ternary"],
                      ["block_minifloat", "width=8", "exponent_width=4", "exponent_bias_width=4",
                       "block_size=16"],
                      ["block_log", "width=8", "exponent_bias_width=4", "block_size=16"],
                      ["mxint", "width=8"], ["mxfp", "exponent_width=4", "frac_width=3"]):
            self.assertIn("bits per value", self.ch(*words).stdout)

    def test_quantises_a_file(self):
        x = np.random.default_rng(1).standard_normal((3, 5, 7)).astype(np.float32)
        np.save(self.path("x.npy"), x)
        text = self.ch("fixed", "width=6", "frac_width=3", "--in", self.path("x.npy"), "--out",
                       self.path("y.npy")).stdout
        self.assertIn("[3, 5, 7]", text)
        y = np.load(self.path("y.npy"))
        np.testing.assert_array_equal(y, np.clip(np.rint(x * 8), -32, 31) / 8)
        self.assertEqual(y.dtype, np.float32)

    def test_mistakes_are_named_with_what_would_work(self):
        for words, message in (
                (["intger"], "unknown number format 'intger'"),
                (["integer"], "needs the key 'width'"),
                (["integer", "width=99"], "width is a whole number from 1 to 32"),
                (["integer", "widht=8"], "did you mean 'width'?"),
                ([], "`ch format --list` lists them all"),
                (["integer", "width=8", "--out", self.path("y.npy")], "--out needs --in")):
            self.assertIn(message, self.ch(*words, code=1).stderr)
        self.assertIn("unexpected argument '8'", self.ch("integer", "8", code=2).stderr)
        with open(self.path("bad.npy"), "w", encoding="utf-8") as file:
            file.write("not numpy")
        self.assertIn("bad.npy", self.ch("integer", "width=8", "--in", self.path("bad.npy"),
                                         "--out", self.path("y.npy"), code=1).stderr)
        self.assertFalse(os.path.exists(self.path("y.npy")))


if __name__ == "__main__":
    unittest.main()
