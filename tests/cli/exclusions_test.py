"""tests/exclusions.txt, the one list of what some builds leave out of the suite, is true: every line names a
test that there is, presets that there are, and a reason; and a script runs without what is named."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["CH_SOURCE"])
BUILD = pathlib.Path(os.environ["CH_BUILD"])
SCRIPT = """import sys, unittest
class Sums(unittest.TestCase):
    def test_right(self): self.assertEqual(1 + 1, 2)
    def test_wrong(self): self.assertEqual(1 + 1, 3)
if __name__ == "__main__":
    unittest.main()
"""


def exclusions():
    """(line, presets, test, the part of it or '', reason) of each line."""
    for line in (ROOT / "tests/exclusions.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            presets, name, reason = line.split(" | ")
            test, _, part = name.partition(":")
            yield line, presets.split(), test, part, reason


def cpp_tests():
    """Names of the C++ tests, as a filter of GoogleTest names them."""
    listed = subprocess.run([BUILD / "tests/ch_tests", "--gtest_list_tests"], capture_output=True, text=True, check=True)
    suite, names = "", set()
    for line in listed.stdout.splitlines():
        name = line.partition("#")[0].strip()
        if line.startswith("  "):
            names.add(suite + name)
        else:
            suite = name
    return names


class Exclusions(unittest.TestCase):
    def test_presets_are_there_and_reasons_are_given(self):
        presets = {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["testPresets"]}
        for line, named, _, _, reason in exclusions():
            self.assertLessEqual(set(named), presets - {"release"}, line)
            self.assertGreater(len(reason.split()), 3, line)

    def test_every_test_left_out_is_there(self):
        shown = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only"], capture_output=True, text=True, check=True)
        tests = set(re.findall(r"Test +#\d+: (\S+)", shown.stdout))
        cpp = cpp_tests()
        for line, _, test, part, _ in exclusions():
            if test == "ch_tests":
                pattern = re.compile(re.escape(part).replace(r"\*", ".*"))
                self.assertTrue(any(pattern.fullmatch(name) for name in cpp), line)
                continue
            self.assertIn(test, tests, line)
            if part:
                text = (ROOT / "tests" / (test.replace(".", "/") + ".py")).read_text()
                suite, _, name = part.partition(".")
                self.assertRegex(text, rf"(?s)\nclass {suite}\b.*\n    def {name}\(self", line)

    def test_a_script_runs_without_the_tests_named(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "sums_test.py"
            script.write_text(SCRIPT)
            for left_out, code in (("Sums.test_wrong", 0), ("Sums.test_right", 1), ("Other.test_wrong", 1)):
                done = subprocess.run([sys.executable, "-B", ROOT / "tests/support/without.py", left_out, script],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code, done.stderr)


if __name__ == "__main__":
    unittest.main()
