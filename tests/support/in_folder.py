"""Tests of the command line that run in a folder of their own, with an empty cache."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_ch(self, *words):
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        return subprocess.run([os.environ["CH_BIN"], *map(str, words)], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)

    def good(self, *words):
        result = self.run_ch(*words)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        return result

    def json(self, *words):
        return json.loads(self.good(*words, "--json", "-").stdout)

    def refused(self, *words, code=1, says=()):
        result = self.run_ch(*words)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        for text in says:
            self.assertIn(text, result.stderr)
        return result
