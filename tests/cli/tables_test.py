"""Tables and pictures of results: Markdown and LaTeX of passes, 80 columns, heat maps of a grid."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ET

import numpy as np

SEARCH = """
[search.search_space]
name = "graph/quantize/mixed_precision_ptq"
[search.search_space.setup]
by = "type"
[search.search_space.seed.linear.config]
name = "integer"
data_in_width = [4, 8]
data_in_frac_width = 3
weight_width = [4, 8]
weight_frac_width = 3
[search.strategy]
name = "optuna"
[search.strategy.sw_runner.basic_evaluation]
[search.strategy.setup]
n_trials = 3
sampler = "random"
[search.strategy.metrics.accuracy]
scale = 1.0
direction = "maximize"
"""
PASSES = (["calculate_avg_bits"], ["calculate_flops"], ["report_trainable_parameters"], ["report_node_hardware_type"],
          ["report_node_type"], ["report_node_meta_param"], ["summarize_quantization", "nodes=true"],
          ["profile_statistics", "by=type", "target_weight_nodes=linear", "weight_statistics.range_min_max.dims=all"])


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ch(self, *words):
        done = subprocess.run([os.environ["CH_BIN"], *words, "-q"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_tables_of_passes_obey_markdown_and_latex(self):
        for name, *args in PASSES:
            with self.subTest(name):
                data = ["jsc", "--rows", "200"] if name == "profile_statistics" else []
                self.assertRegex(self.ch("pass", name, "jsc-tiny", *data, *args, "--markdown"), r"(?m)^\|:?-+:?\|")
                latex = self.ch("pass", name, "jsc-tiny", *data, *args, "--latex")
                self.assertIn(r"\begin{tabular}", latex)
                self.assertNotRegex(latex, r"(?m)^[|+]|^---")
        self.assertIn(r"\begin{tabular}", self.ch("inspect", "jsc-tiny", "--report", "flops", "--latex"))

    def test_tables_of_sweep_test_and_weights_fit_80_columns(self):
        sweep = self.ch("sweep", "jsc-tiny", "jsc", "--rows", "500", "--max-epochs", "1", "--seed", "0,1", "--batch-size",
                        "64,128", "--project", "a-project-with-a-name-that-is-rather-long")
        best = "mase_output/a-project-with-a-name-that-is-rather-long/software/sweep/batch_size=64_seed={}/best.ckpt"
        several = self.ch("test", best.format(0), best.format(1), "jsc", "--rows", "500")
        np.savez(self.folder / "ten.npz", x=np.random.RandomState(0).randn(300, 16).astype(np.float32), y=np.arange(300) % 10)
        self.ch("train", "jsc-tiny", "ten.npz", "--max-epochs", "1", "--project", "ten")
        ten = self.ch("test", "mase_output/ten/software/training_ckpts/best.ckpt", "ten.npz")
        weights = self.ch("compare", best.format(0), best.format(1), "--weights")
        for text in (sweep, several, ten, weights[weights.index("row 0"):]):
            self.assertLessEqual(max(map(len, text.splitlines())), 80, text)

    def test_best_trials_fit_80_columns_with_all_their_parameters(self):
        (self.folder / "s.toml").write_text(SEARCH)
        text = self.ch("search", "jsc-s", "jsc", "--rows", "500", "--config", "s.toml", "--project", "s")
        best = text[text.index("Best trial"):]
        self.assertLessEqual(max(map(len, best.splitlines())), 80, best)
        self.assertEqual(best.count("weight_width"), 5)

    def sweep_pictures(self, *words):
        self.ch("sweep", "jsc-tiny", "jsc", "--rows", "500", "--max-epochs", "1", "--project", "p", *words)
        folder = self.folder / "mase_output/p/software/sweep"
        for path in folder.glob("*.svg"):
            ET.parse(path)
        return folder, {path.name for path in folder.glob("*.svg")}

    def test_a_grid_of_two_settings_has_heat_maps_and_readable_curves(self):
        folder, names = self.sweep_pictures("--batch-size", "64,128,256", "--learning-rate", "0.1,1e-3,1e-5")
        curves = ("train_loss", "val_loss", "train_acc", "val_acc")
        self.assertEqual(names, {f"{c}_batch_size={b}.svg" for c in curves for b in (64, 128, 256)} |
                         {f"grid_{c}.svg" for c in (*curves, "test_loss", "test_acc")})
        header, *rows = (folder / "sweep.csv").read_text().splitlines()
        column = header.split(",").index("val_acc")
        shown = re.findall(r">(0\.\d{4})<", (folder / "grid_val_acc.svg").read_text())
        self.assertEqual(shown, [f"{float(row.split(',')[column]):.4f}" for row in rows])

    def test_a_small_grid_has_its_curves_in_one_picture(self):
        _, names = self.sweep_pictures("--batch-size", "64,128", "--learning-rate", "0.1,1e-3")
        self.assertIn("val_acc.svg", names)
        self.assertIn("grid_val_acc.svg", names)

    def test_heat_maps_have_means_over_seeds(self):
        folder, _ = self.sweep_pictures("--batch-size", "64,128", "--learning-rate", "0.1,1e-3", "--seed", "0,1")
        self.assertIn("means over the seeds", (folder / "grid_val_acc.svg").read_text())
        header, *rows = (folder / "seeds.csv").read_text().splitlines()
        column = header.split(",").index("val_acc")
        shown = re.findall(r">(0\.\d{4})<", (folder / "grid_val_acc.svg").read_text())
        self.assertEqual(shown, [f"{float(row.split(',')[column]):.4f}" for row in rows])


if __name__ == "__main__":
    unittest.main()
