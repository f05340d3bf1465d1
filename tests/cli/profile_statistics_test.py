"""ch pass profile_statistics as a person uses it: what it prints, writes and refuses."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CH = os.environ["CH_BIN"]
RELU = ["target_activation_nodes=relu", "activation_statistics.range_min_max={}"]


class ProfileStatistics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def ch(self, *words, model="jsc-tiny"):
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        command = [CH, "pass", "profile_statistics", model, "jsc", *words, "--rows", "2000", "--batch-size", "8"]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    def good(self, *words, **more):
        result = self.ch(*words, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *words, says):
        result = self.ch(*words)
        self.assertEqual(result.returncode, 1, result.stderr)
        for text in says:
            self.assertIn(text, result.stderr)

    def test_counts_in_json(self):
        self.good("num_samples=32", *RELU, "target_weight_nodes=linear", "weight_statistics.range_min_max={}",
                  "--json", "stats.json")
        info = json.loads((self.folder / "stats.json").read_text())["passes"][0]["info"]
        self.assertEqual((info["samples"], info["batches"]), (32, 4))
        counts = {(node, operand): stats["range_min_max"]["count"]
                  for node, operands in info["nodes"].items() for operand, stats in operands.items()}
        self.assertEqual(counts, {("seq_blocks_1", "data_in_0"): 512, ("seq_blocks_3", "data_in_0"): 160,
                                  ("seq_blocks_2", "weight"): 80, ("seq_blocks_2", "bias"): 5})

    def test_every_statistic_with_every_kind_of_dims(self):
        words = ["num_samples=16", "target_activation_nodes=relu,linear"]
        for name in ("variance_online", "variance_precise", "range_n_sigma", "range_min_max", "range_quantile",
                     "abs_mean"):
            for dims in ("all", "NA", "0", "0,1", "1"):
                self.good(*words, f"activation_statistics.{name}.dims={dims}")
        for name in ("record", "histogram"):
            self.good(*words, f"activation_statistics.{name}={{}}", "profile_output_activation=true")

    def test_a_second_run_over_what_was_saved_gives_the_same_bytes(self):
        first = self.good(*RELU, "--save", "once.safetensors")
        again = self.good(*RELU, "--save", "twice.safetensors", model="once.safetensors")
        self.assertEqual(first.stdout, again.stdout)
        once, twice = (self.folder / name for name in ("once.safetensors", "twice.safetensors"))
        self.assertIn(b"range_min_max", once.read_bytes())
        self.assertEqual(once.read_bytes(), twice.read_bytes())

    def test_without_arguments_it_says_what_they_choose(self):
        said = self.good().stdout
        for text in ("nothing is measured", "activation_statistics say what", "target_activation_nodes where"):
            self.assertIn(text, said)

    def test_wrong_arguments(self):
        self.refused(*RELU, "num_samples=0", says=["passes.profile_statistics.num_samples = 0", "at least 1"])
        self.refused("target_activation_nodes=relu", "activation_statistics.range_quantile.quantile=1.5",
                     says=["activation_statistics.range_quantile.quantile = 1.5", "a number from 0 to 1"])
        self.refused("target_activation_nodes=relu", "activation_statistics.variance={}",
                     says=["activation_statistics.variance: unknown statistic", "variance_online"])
        self.refused("target_activation_nodes=relu", "activation_statistics.range_min_max.dims=0,7",
                     says=["range_min_max.dims: axis 7 does not exist", "for data_in_0 of seq_blocks_1"])
        self.refused("by=name", "target_activation_nodes=seq_block_1", "activation_statistics.abs_mean={}",
                     says=["there is no node 'seq_block_1'", "did you mean 'seq_blocks_1'?"])
        self.refused("by=colour", *RELU, says=["passes.profile_statistics.by", "one of type, name"])
        self.refused("target_weight_nodes=lineer", "weight_statistics.abs_mean={}",
                     says=["target_weight_nodes: there is no node of type 'lineer'", "did you mean 'linear'?"])


if __name__ == "__main__":
    unittest.main()
