"""ch run on files, data sets and random numbers; ch pass --load; ch test of several networks."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy

CH = os.environ["CH_BIN"]
CONSTANT = """graph constant {
  parameter c: f32[2] = [1.5, -2.0]
  %c = get_attr[target=c]
  output(%c)
}
"""


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.environment = {**os.environ, "CH_CACHE_DIR": str(cls.folder / "cache")}
        for name in ("a", "b"):
            (cls.folder / name).mkdir()
            cls.start("train", "jsc-tiny" if name == "a" else "jsc-toy", "jsc", "--rows", 2000, "--max-epochs", 1,
                      "--learning-rate", "1e-2", "--project", name)
            shutil.copy(cls.folder / f"mase_output/{name}/software/training_ckpts/best.ckpt", cls.folder / name)

    @classmethod
    def start(cls, *words):
        return subprocess.run([CH, *map(str, words)], cwd=cls.folder, env=cls.environment, capture_output=True,
                              text=True, check=False)

    def ch(self, *words, code=0):
        done = self.start(*words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.log = done.stderr
        return done.stdout

    def outputs(self, *words):
        self.ch("run", *words, "--out", "out.npz")
        return dict(numpy.load(self.folder / "out.npz"))

    def test_one_node_is_what_its_reader_gets(self):
        hidden = self.outputs("a/best.ckpt", "--random", 3, "--samples", 4, "--node", "seq_blocks_1")["seq_blocks_1"]
        self.assertEqual(hidden.shape, (4, 16))
        self.assertLess((hidden < 0).sum(), hidden.size)  # before batch norm's relu
        last = self.outputs("a/best.ckpt", "--random", 3, "--samples", 4)
        again = self.outputs("a/best.ckpt", "--random", 3, "--samples", 4, "--node", "seq_blocks_3")
        numpy.testing.assert_array_equal(next(iter(last.values())), again["seq_blocks_3"])
        other = self.outputs("a/best.ckpt", "--random", 4, "--samples", 4)
        self.assertFalse(numpy.array_equal(next(iter(last.values())), next(iter(other.values()))))
        self.ch("run", "a/best.ckpt", "--random", 3, "--node", "seq_block_1", code=1)
        self.assertIn("did you mean 'seq_blocks_1'?", self.log)

    def test_a_data_set_a_csv_file_and_an_array_are_the_same_samples(self):
        draw = numpy.random.default_rng(0).normal(size=(7, 16)).astype(numpy.float32)
        numpy.save(self.folder / "x.npy", draw)
        numpy.savetxt(self.folder / "x.csv", draw, delimiter=",", fmt="%.9g")
        numpy.savez(self.folder / "x.npz", x=draw, y=numpy.arange(7) % 5)
        one, two, three = (next(iter(self.outputs("a/best.ckpt", file).values())) for file in ("x.npy", "x.csv", "x.npz"))
        numpy.testing.assert_array_equal(one, two)
        numpy.testing.assert_array_equal(one, three)
        jets = next(iter(self.outputs("a/best.ckpt", "jsc", "--rows", 2000).values()))
        self.assertEqual(jets.shape, (128, 5))
        self.assertIn("128 of 400 rows", self.log)
        self.ch("run", "a/best.ckpt", code=1)
        self.assertIn("nothing to run the network on", self.log)
        self.ch("run", "a/best.ckpt", "jsc", "--random", 1, code=1)
        self.assertIn("give one of them", self.log)

    def test_several_nodes_are_shown(self):
        words = ["a/best.ckpt", "--random", 3, "--samples", 4]
        both = self.outputs(*words, "--node", "seq_blocks_2", "--node", "seq_blocks_1", "--node", "seq_blocks_2")
        self.assertEqual(list(both), ["seq_blocks_2", "seq_blocks_1"])
        for name, values in both.items():
            numpy.testing.assert_array_equal(self.outputs(*words, "--node", name)[name], values)

    def test_json_has_all_values_as_numbers(self):
        words = ["a/best.ckpt", "--random", 3, "--samples", 4]
        expected = next(iter(self.outputs(*words).values()))
        (found,) = json.loads(self.ch("run", *words, "--json", "-"))
        self.assertEqual((found["dtype"], found["shape"]), ("f32", [4, 5]))
        numpy.testing.assert_array_equal(numpy.float32(found["values"]).reshape(found["shape"]), expected)

    def test_the_rows_of_an_array_are_said_and_can_be_fewer(self):
        numpy.save(self.folder / "nine.npy", numpy.ones((9, 16), numpy.float32))
        (whole,) = self.outputs("a/best.ckpt", "nine.npy").values()
        self.assertIn("Running on 9 rows", self.log)
        (part,) = self.outputs("a/best.ckpt", "nine.npy", "--samples", 2).values()
        self.assertIn("Running on 2 of 9 rows", self.log)
        self.assertEqual(part.shape, (2, 5))
        numpy.testing.assert_allclose(part, whole[:2], rtol=1e-6)
        numpy.savez(self.folder / "nine.npz", x=numpy.ones((9, 16), numpy.float32))
        for name in ("nine.npy", "nine.npz"):
            (part,) = self.outputs("a/best.ckpt", name, "--rows", 3).values()
            self.assertIn("Running on 3 rows", self.log)
            numpy.testing.assert_allclose(part, whole[:3], rtol=1e-6)

    def test_rows_are_the_first_ones_of_every_array_of_a_file(self):
        values = numpy.arange(9 * 16, dtype=numpy.float32).reshape(9, 16) / 100
        numpy.savez(self.folder / "values.npz", x=values, y=numpy.arange(9))
        numpy.save(self.folder / "columns.npy", numpy.asfortranarray(values))
        (whole,) = self.outputs("a/best.ckpt", "values.npz").values()
        for words in (("columns.npy", "--rows", 2), ("values.npz", "--rows", 4, "--samples", 2),
                      ("values.npz", "--rows", 2, "--samples", 4)):
            (part,) = self.outputs("a/best.ckpt", *words).values()
            self.assertEqual(part.shape, (2, 5), words)
            numpy.testing.assert_allclose(part, whole[:2], rtol=1e-6)

    def test_of_arrays_that_unpack_to_much_some_rows_can_be_run(self):
        numpy.savez_compressed(self.folder / "zeros.npz", x=numpy.zeros((3000000, 16), numpy.float32))
        (part,) = self.outputs("a/best.ckpt", "zeros.npz", "--rows", 3).values()
        self.assertEqual(part.shape, (3, 5))

    def test_a_few_rows_of_a_data_set_will_do(self):
        self.ch("run", "a/best.ckpt", "jsc", "--rows", 5)
        self.assertIn("Running on ", self.log)

    def test_random_rows_are_asked_for_as_samples(self):
        self.ch("run", "a/best.ckpt", "--random", 1, "--rows", 3, code=1)
        self.assertIn("--rows is for data sets, and --random is given", self.log)
        self.assertIn("--samples 3 makes so many rows", self.log)

    def test_a_network_in_toml_takes_the_shape_of_its_samples(self):
        (self.folder / "net.toml").write_text('[model]\nlayers = [{ op = "linear", out_features = 3 }]\n')
        numpy.save(self.folder / "six.npy", numpy.ones((2, 6), numpy.float32))
        self.assertIn("[2, 3]", self.ch("run", "net.toml", "--in", "six.npy"))
        self.assertIn("are random", self.log)

    def test_a_network_without_inputs_is_run(self):
        (self.folder / "constant.chir").write_text(CONSTANT)
        self.assertIn("1.50000 -2.00000", self.ch("run", "constant.chir"))

    def test_a_pass_loads_weights(self):
        words = ["pass", "profile_statistics", "jsc-tiny", "jsc", "--rows", 2000, "target_weight_nodes=linear",
                 "weight_statistics.range_min_max.dims=all", "--json", "-"]
        of_file = json.loads(self.ch(*words[:2], "a/best.ckpt", *words[3:]))["passes"][0]["info"]["nodes"]
        loaded = json.loads(self.ch(*words, "--load", "a/best.ckpt"))["passes"][0]["info"]["nodes"]
        fresh = json.loads(self.ch(*words))["passes"][0]["info"]["nodes"]
        self.assertEqual(loaded, of_file)
        self.assertNotEqual(loaded, fresh)

    def test_several_networks_are_tested_into_one_table(self):
        found = json.loads(self.ch("test", "a/best.ckpt", "b/best.ckpt", "jsc", "--rows", 2000, "--json", "-"))
        self.assertEqual([one["network"] for one in found], ["a/best.ckpt", "b/best.ckpt"])
        for one, name in zip(found, ("jsc-tiny", "jsc-toy")):
            alone = json.loads(self.ch("test", name, "jsc", "--rows", 2000, "--load", one["network"], "--json", "-"))
            self.assertEqual((one["accuracy"], one["loss"], one["rows"]),
                             (alone["accuracy"], alone["loss"], alone["rows"]))
        self.assertIn("\\begin{tabular}{lrrrr}",
                      self.ch("test", "a/best.ckpt", "b/best.ckpt", "jsc", "--rows", 2000, "--latex"))
        self.ch("test", "a/best.ckpt", "jsc-toy", "jsc", code=1)
        self.assertIn("no checkpoint given for 'jsc-toy'", self.log)


if __name__ == "__main__":
    unittest.main()
