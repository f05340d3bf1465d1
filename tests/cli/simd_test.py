"""--simd and CH_SIMD: what they name, what they refuse."""
import json
import os
import subprocess
import unittest

CH = os.environ["CH_BIN"]

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


if __name__ == "__main__":
    unittest.main()
