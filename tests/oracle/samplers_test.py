"""benchmarks/samplers.py runs: the functions of both languages agree, tables and JSON come out."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(os.environ["CH_SOURCE"]) / "benchmarks" / "samplers.py"


class Samplers(unittest.TestCase):
    def test_few_trials(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            words = [SCRIPT, "--build", os.environ["CH_BUILD"], "--seeds", "1", "--trials", "11",
                     "--json", path]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            results = json.loads(path.read_text())["results"]
            again = subprocess.run([*words, "--reuse", path], capture_output=True, text=True,
                                   check=True)
        self.assertTrue(results)
        self.assertIn("| hartmann6 | 6 | ", done.stdout)
        self.assertIn("| zdt1 | 30 | ", done.stdout)
        self.assertEqual(again.stdout, done.stdout)


if __name__ == "__main__":
    unittest.main()
