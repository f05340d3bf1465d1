"""ch compare as a person uses it: train, transform, and look at what that changed."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CH = os.environ["CH_BIN"]

PASSES = """
[passes.quantize]
by = "type"
[passes.quantize.linear.config]
name = "integer"
data_in_width = 8
data_in_frac_width = 4
weight_width = 8
weight_frac_width = 4
bias_width = 8
bias_frac_width = 4
"""
ROWS = ["--rows", "2000"]


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "passes.toml").write_text(PASSES)
        project = ["--project", "p", "--quiet"]
        cls.best = "mase_output/p/software/training_ckpts/best.ckpt"
        cls.saved = "mase_output/p/software/transform/transformed_ckpt/graph_module.mz"
        for words in (["train", "jsc-tiny", "jsc", *ROWS, "--max-epochs", "1", "--batch-size", "64",
                       "--learning-rate", "1e-2", *project],
                      ["transform", "jsc-tiny", "jsc", *ROWS, "--config", "passes.toml", "--load", cls.best,
                       "--json", "transform.json", *project]):
            run = cls.run_ch(*words)
            assert run.returncode == 0, run.stdout + run.stderr

    @classmethod
    def run_ch(cls, *words):
        return subprocess.run([CH, *words], cwd=cls.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "CH_CACHE_DIR": str(cls.folder / "cache")})

    def compare(self, *words, code=0):
        run = self.run_ch("compare", *words)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def as_json(self, *words):
        return json.loads(self.compare(*words, "--json", "-", "--quiet").stdout)

    def test_one_checkpoint_is_compared_with_itself_without_formats(self):
        text = self.compare(self.saved).stdout
        self.assertRegex(text, r"seq_blocks_2 +Linear +LinearInteger +integer\(8, 4\) +yes")
        self.assertRegex(text, r"seq_blocks_0 +BatchNorm1d +BatchNorm1d +no")
        self.assertIn("Weights: 3,744 bits before, 1,704 after, compression 2.20", text)
        found = self.as_json(self.saved)
        self.assertEqual([n["node"] for n in found["nodes"] if n["changed"]], ["seq_blocks_2"])
        weight = found["nodes"][3]["operands"][0]
        self.assertEqual(weight["operand"], "weight")
        self.assertLessEqual(weight["max_abs_error"], 1 / 32)
        self.assertEqual(weight["bits_after"], 640)
        # A checkpoint before and one after give the same answer.
        two = self.as_json(self.best, self.saved)
        self.assertEqual(two["nodes"], found["nodes"])
        self.assertEqual(two["totals"], found["totals"])

    def test_weights_stand_side_by_side(self):
        text = self.compare(self.saved, "--node", "seq_blocks_2", "--weights").stdout
        self.assertIn("seq_blocks_2.weight [5, 16]: Linear, float -> LinearInteger, integer(8, 4)\nrow 0\n", text)
        self.assertIn("seq_blocks_2.bias [5]: ", text)
        shown, bias = self.as_json(self.saved, "--node", "seq_blocks_2", "--weights")["weights"]
        self.assertEqual((shown["operand"], shown["shape"]), ("weight", [5, 16]))
        self.assertEqual((bias["operand"], bias["shape"]), ("bias", [5]))
        for before, after in zip(shown["before"], shown["after"]):
            self.assertEqual(after, max(-128, min(127, round(before * 16))) / 16)  # round() is half-even
        alone = self.as_json(self.saved, "--node", "seq_blocks_2", "--weights", "--operand", "bias")["weights"]
        self.assertEqual(alone, [bias])
        text = self.compare(self.saved, "--node", "seq_blocks_2", "--weights", "--operand", "weight").stdout
        self.assertEqual(text.count("  before "), 10)

    def test_data_shows_where_outputs_part_and_what_it_costs(self):
        found = self.as_json(self.saved, "--data", *ROWS)
        self.assertEqual(found["dataset"], "jsc")
        self.assertTrue(found["synthetic"])
        self.assertEqual(found["outputs"]["first_to_differ"], "seq_blocks_2")
        self.assertEqual([n["different"] for n in found["outputs"]["nodes"][:3]], [0, 0, 0])
        self.assertEqual(found["outputs"]["rows"], 400)
        transformed = json.loads((self.folder / "transform.json").read_text())["accuracy"]
        self.assertAlmostEqual(found["accuracy"]["before"]["accuracy"], transformed[0]["before"], places=9)
        self.assertAlmostEqual(found["accuracy"]["after"]["accuracy"], transformed[0]["after"], places=9)
        for words in (["jsc"], ["--data", "jsc"], ["--data=auto"]):
            self.assertEqual(self.as_json(self.saved, *words, *ROWS)["accuracy"], found["accuracy"])
        self.assertEqual(self.as_json(self.best, self.saved, "jsc", *ROWS)["outputs"], found["outputs"])
        few = self.compare(self.saved, "--data", *ROWS, "--samples", "50").stdout
        self.assertIn("<- first", few)
        self.assertIn("of 50 rows", few)
        self.assertIn("(synthetic)", few)

    def test_a_data_file_needs_no_second_network_before_it(self):
        rows = [",".join(str((7 * row + column) % 5) for column in range(16)) for row in range(12)]
        (self.folder / "samples.csv").write_text("\n".join(rows) + "\n")
        found = self.as_json(self.saved, "samples.csv")
        self.assertEqual(found["outputs"]["rows"], 12)
        self.assertEqual(self.as_json(self.best, self.saved, "samples.csv")["outputs"], found["outputs"])
        self.assertEqual(self.as_json(self.saved, "--data", "samples.csv")["outputs"], found["outputs"])
        self.assertIn("cannot read 'missing.npz'", self.compare(self.saved, "missing.npz", code=1).stderr)
        (self.folder / "empty").mkdir(exist_ok=True)
        said = self.compare(self.saved, "empty", code=1).stderr
        self.assertNotIn("holds no network", said)  # a folder without a network is taken for data

    def test_equal_networks_are_equal(self):
        text = self.compare(self.saved, self.saved, "--data", *ROWS).stdout
        for words in ("The networks are equal: no node differs", "All outputs are equal",
                      "Equal predictions: 400 of 400 rows, 100.00 %", "The accuracy is the same"):
            self.assertIn(words, text)
        found = self.as_json(self.saved, self.saved)
        self.assertTrue(found["equal"])
        self.assertIsNone(found["nodes"][3]["operands"][0]["sqnr_db"])  # infinite

    def test_all_weights_are_shown_without_a_node_and_two_files_of_one_name_told_apart(self):
        text = self.compare(self.saved, "--weights").stdout
        found = self.as_json(self.saved, "--weights")["weights"]
        self.assertEqual({one["operand"] for one in found}, {"weight", "bias"})
        for one in found:
            self.assertIn(f"{one['node']}.{one['operand']} [", text)
        of_buffers = self.as_json(self.saved, "--weights", "--operand", "running_mean")["weights"]
        self.assertEqual([one["node"] for one in of_buffers], ["seq_blocks_0"])
        (self.folder / "other").mkdir()
        other = self.folder / "other" / pathlib.Path(self.saved).name
        shutil.copy(self.folder / self.saved, other)
        self.assertIn(f"after:  {other}", self.compare(self.saved, str(other)).stdout)

    def test_different_networks_are_compared_as_far_as_they_go(self):
        text = self.compare("jsc-tiny", "jsc-toy").stdout
        self.assertIn("Only after: seq_blocks_4 (ReLU), seq_blocks_5 (Linear)", text)
        self.assertIn("Not compared: seq_blocks_2: weight is [5, 16] before, [8, 16] after", text)

    def test_mistakes_are_named_with_what_would_work(self):
        for words, messages in (
                (["jsc-tiny"], ["'jsc-tiny' has no number formats", "name two networks"]),
                (["missing.mz"], ["cannot read 'missing.mz'"]),
                (["jsc-tinny", "jsc-tiny"], ["unknown model 'jsc-tinny'", "did you mean 'jsc-tiny'?"]),
                (["mase_output"], ["the folder 'mase_output' holds no network"]),
                ([self.saved, "--weights", "--operand", "scale"], ["no node has the operand 'scale'"]),
                ([self.saved, "--node", "seq_block_2"], ["no node 'seq_block_2'", "did you mean 'seq_blocks_2'?"]),
                ([self.saved, "--node", "seq_blocks_2", "--weights", "--operand", "bais"],
                 ["has no operand 'bais'", "did you mean 'bias'?"]),
                ([self.saved, "--node", "seq_blocks_1", "--weights"], ["it owns no parameters"]),
                (["jsc-tiny", "lfc", "--data"], ["take different samples: [1, 16] before, [1, 1, 28, 28] after"]),
                ([self.saved, "--data", "mnst"], ["unknown data set 'mnst'", "did you mean 'mnist'?"])):
            run = self.compare(*words, code=1)
            for message in messages:
                self.assertIn(message, run.stderr)
            self.assertEqual(run.stdout, "")
        self.assertIn("usage: ch compare A", self.compare(code=2).stderr)


if __name__ == "__main__":
    unittest.main()
