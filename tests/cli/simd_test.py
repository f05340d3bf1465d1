"""--simd and CH_SIMD: what they name, what they refuse, and where the level of vector instructions is recorded."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import same_bits_test

CH = os.environ["CH_BIN"]
SEARCH = """
[search.search_space]
name = "graph/quantize/mixed_precision_ptq"

[search.search_space.setup]
by = "name"

[search.search_space.seed.default.config]
name = ["integer"]
data_in_width = [4, 8]
data_in_frac_width = [3]
weight_width = [4, 8]
weight_frac_width = [3]

[search.strategy]
name = "optuna"
eval_mode = true

[search.strategy.sw_runner.basic_evaluation]
data_loader = "val_dataloader"
num_samples = 64

[search.strategy.hw_runner.average_bitwidth]
compare_to = 32

[search.strategy.setup]
n_jobs = 1
n_trials = 2
timeout = 20000
sampler = "random"
sum_scaled_metrics = false

[search.strategy.metrics]
accuracy.scale = 1.0
accuracy.direction = "maximize"
average_bitwidth.scale = 0.2
average_bitwidth.direction = "minimize"
"""


def ch(*words, folder=".", level=None):
    environment = {name: value for name, value in os.environ.items() if name != "CH_SIMD"}
    if level is not None:
        environment["CH_SIMD"] = level
    return subprocess.run([CH, *map(str, words)], cwd=folder, env=environment, capture_output=True, text=True)


LEVELS = json.loads(ch("version", "--json", "-").stdout)["simd_levels"]
HAS = ", ".join(LEVELS)


def level_in(*words, **more):
    return json.loads(ch("version", "--json", "-", *words, **more).stdout)["simd"]


class Levels(unittest.TestCase):
    def test_the_flag_wins_over_the_variable_and_both_over_the_machine(self):
        self.assertEqual(level_in(), LEVELS[-1])
        self.assertEqual(level_in(level=""), LEVELS[-1])
        for level in LEVELS:
            self.assertEqual(level_in("--simd", level), level)
            self.assertEqual(level_in(level=level), level)
            self.assertEqual(level_in("--simd", level, level=LEVELS[-1]), level)
            self.assertEqual(level_in("--simd", level, level="nonsense"), level)
        self.assertIn(f"vector instructions: {LEVELS[0]} (this processor has {HAS})",
                      ch("version", "--simd", LEVELS[0]).stdout)

    def test_a_level_that_does_not_exist_is_an_error_with_those_that_do(self):
        for result, source in [(ch("train", "jsc-tiny", "jsc", "--simd", "avx9"), "--simd"),
                               (ch("train", "jsc-tiny", "jsc", level="avx9"), "CH_SIMD"),
                               (ch("models", level="avx9"), "CH_SIMD")]:
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(result.stdout, "")
            self.assertIn(f"error: {source}: there is no level 'avx9' of vector instructions", result.stderr)
            self.assertIn(f"this processor has {HAS}", result.stderr)

    def test_a_level_that_this_processor_lacks_is_an_error_with_those_it_has(self):
        missing = [level for level in ["baseline", "avx2", "avx512"] if level not in LEVELS]
        if not missing or LEVELS == ["neon"]:
            self.skipTest("this processor has every level")
        result = ch("train", "jsc-tiny", "jsc", "--simd", missing[-1])
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"--simd: this processor has no {missing[-1]}\n  hint: it has {HAS}\n", result.stderr)

    def test_all_actions_that_compute_take_it(self):
        for action in "train test sweep search transform run pass compare inspect bench-model lower version".split():
            self.assertIn("--simd LEVEL", ch("help", action).stdout, action)

    def test_bench_model_names_the_level(self):
        result = ch("bench-model", "jsc-tiny", "--repeats", 3, "--simd", LEVELS[0], "--json", "-")
        self.assertEqual(json.loads(result.stdout)["simd"], LEVELS[0])
        self.assertIn(f"with {LEVELS[0]}:", ch("bench-model", "jsc-tiny", "--repeats", 3, "--simd", LEVELS[0]).stdout)


class Recorded(unittest.TestCase):
    def setUp(self):
        if len(LEVELS) < 2:
            self.skipTest("this processor has one level")
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.network, self.images = same_bits_test.write_images(self.folder)

    def good(self, *words, **more):
        result = ch(*words, folder=self.folder, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def mark_of(self, project):
        path = self.folder / "mase_output" / project / "software/training_ckpts/last.ckpt"
        with open(path, "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        return header["__metadata__"].get("chop.simd")

    def test_a_run_of_convolutions_resumed_at_another_level_says_so(self):
        words = ["train", self.network, self.images, "--batch-size", 32, "--max-steps", 3, "--project", "p"]
        self.good(*words, "--simd", LEVELS[-1])
        self.assertEqual(self.mark_of("p"), LEVELS[-1])
        self.assertNotIn("begun with", self.good(*words, "--simd", LEVELS[-1], "--resume").stderr)
        other = self.good(*words, "--simd", LEVELS[0], "--resume")
        self.assertIn(f"The run was begun with {LEVELS[-1]}, here it goes on with {LEVELS[0]}", other.stderr)
        self.assertIn(f"--simd {LEVELS[-1]} keeps to the first", other.stderr)

    def test_a_run_of_our_own_kernels_names_no_level_where_arithmetic_is_fused(self):
        for level in LEVELS:
            self.good("train", "jsc-tiny", "jsc", "--rows", 2000, "--max-epochs", 1, "--project", level, "--simd", level)
            self.assertEqual(self.mark_of(level), level if level == "baseline" else None)

    def test_a_study_of_convolutions_continued_at_another_level_says_so(self):
        config = self.folder / "search.toml"
        config.write_text(SEARCH)
        words = ["search", self.network, self.images, "--config", config, "--storage", "study.db", "--study", "s"]
        self.good(*words, "--simd", LEVELS[-1])
        shown = json.loads(self.good("study", "show", "s", "--storage", "study.db", "--json", "-").stdout)
        self.assertEqual(shown["user_attrs"]["simd"], LEVELS[-1])
        self.assertNotIn("begun with", self.good(*words, "--simd", LEVELS[-1]).stderr)
        other = self.good(*words, "--simd", LEVELS[0])
        self.assertIn(f"was begun with {LEVELS[-1]}, here it goes on with {LEVELS[0]}", other.stderr)


if __name__ == "__main__":
    unittest.main()
