"""The README's three commands, run one after the other in an empty folder: each ends well, and every line of a table
that the README shows is printed, with numbers as close as in the tutorial (tutorial_test.py)."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tutorial_test import same_line

CH = os.environ["CH_BIN"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def section(title):
    return re.search(rf"^## {title}\n(.*?)^## ", (ROOT / "README.md").read_text(), re.M | re.S)[1]


class Readme(unittest.TestCase):
    def test_the_three_commands_print_what_it_shows(self):
        text = section("Three commands")
        commands = re.findall(r"^ {4}(\./ch .*)$", re.sub(r"\\\n\s*", "", text), re.M)
        self.assertEqual(len(commands), 3)
        printed = []
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "ch").symlink_to(pathlib.Path(CH).resolve())
            (pathlib.Path(folder) / "configs").symlink_to(ROOT / "configs")
            environment = dict(os.environ, NO_COLOR="1",
                               CH_CACHE_DIR=os.environ.get("CH_TEST_CACHE", f"{folder}/cache"))
            for command in commands:
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment,
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")
                printed += done.stdout.splitlines()
        shown = re.findall(r"^ {4}([|+].*)$", text, re.M)
        self.assertGreater(len(shown), 10)
        for line in shown:
            self.assertTrue(any(same_line(line, other) for other in printed), f"not printed: {line}")

    def test_the_readme_has_at_most_120_lines(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().splitlines()), 120)


if __name__ == "__main__":
    unittest.main()
