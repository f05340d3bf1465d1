"""ch pass with the report passes, as a person uses it: what is printed, written and refused."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

CH = os.environ["CH_BIN"]


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def ch(self, *words):
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        return subprocess.run([CH, *map(str, words)], cwd=self.folder, env=environment,
                              capture_output=True, text=True)

    def good(self, *words):
        result = self.ch(*words)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        return result

    def test_report_graph_prints_the_listing_the_counts_and_the_layers(self):
        lines = self.good("pass", "report_graph", "jsc-tiny").stdout.splitlines()
        self.assertEqual(lines[0], "graph():")
        self.assertEqual(lines[6], "    return seq_blocks_3")
        self.assertEqual(lines[7], "Network overview:")
        self.assertEqual(lines[8], "{'placeholder': 1, 'get_attr': 0, 'call_function': 0, "
                                   "'call_method': 0, 'call_module': 4, 'output': 1}")
        self.assertEqual(lines[9], "Layer types:")
        self.assertEqual(len(lines), 11)

    def test_a_report_goes_to_the_file_it_is_given(self):
        result = self.good("pass", "report_graph", "jsc-tiny", "file_name=g.txt")
        self.assertEqual(result.stdout, "")
        self.assertTrue((self.folder / "g.txt").read_text(encoding="utf-8").startswith("graph():\n"))

    def test_json_has_what_the_table_has(self):
        self.good("pass", "report_node_type", "jsc-tiny", "--json", "r.json")
        report = json.loads((self.folder / "r.json").read_text())
        nodes = report["passes"][0]["info"]["nodes"]
        self.assertEqual([n["mase_op"] for n in nodes],
                         ["placeholder", "batch_norm1d", "relu", "linear", "relu", "output"])

    def test_wrong_arguments_are_named_with_what_is_allowed(self):
        result = self.ch("pass", "report_node_meta_param", "jsc-tiny", "which=foo")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn('passes.report_node_meta_param.which = "foo" is not allowed', result.stderr)
        self.assertIn("all, common, hardware, software", result.stderr)

    def test_sparsity_runs_on_the_networks_own_data_set(self):
        self.good("pass", "add_natural_sparsity", "jsc-tiny", "num_samples=64", "--rows", 1000,
                  "--json", "s.json")
        info = json.loads((self.folder / "s.json").read_text())["passes"][0]["info"]
        self.assertEqual(info["num_samples"], 64)
        self.assertEqual(info["seq_blocks.2_weight"]["density"], 1.0)
        self.assertAlmostEqual(info["avg_activation"]["density"] + info["avg_activation"]["sparsity"], 1)

    def test_a_picture_is_written_where_it_was_asked_for(self):
        self.good("pass", "plot_graph", "jsc-tiny", "file_name=pictures/net.dot")
        self.assertIn('"seq_blocks_1" -> "seq_blocks_2"', (self.folder / "pictures" / "net.dot").read_text())
        if self.good("pass", "plot_graph", "jsc-tiny", "file_name=net.svg").returncode == 0:
            self.assertIn("<title>seq_blocks_2</title>", (self.folder / "net.svg").read_text())

    def test_passes_lists_arguments_with_what_is_allowed(self):
        self.assertIn("save_path", self.good("passes", "report_node_meta_param").stdout)


if __name__ == "__main__":
    unittest.main()
