"""A model argument: classified once, its file opened once, and what is wrong with it said at once."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest

NETWORK = """
[model]
input = [16]
classes = 5
layers = [{ op = "linear", out_features = "classes" }]
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.env = dict(os.environ, CH_CACHE_DIR=os.path.join(self.folder, "cache"))
        with open(self.path("n.toml"), "w") as file:
            file.write(NETWORK)

    def path(self, name):
        return os.path.join(self.folder, name)

    def ch(self, *words, under=(), code=0):
        done = subprocess.run([*under, os.environ["CH_BIN"], *words], cwd=self.folder, env=self.env,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def make_files(self):
        self.ch("convert", "jsc-tiny", "m.onnx")
        self.ch("convert", "jsc-tiny", "c.ckpt")


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class Opened(Case):
    def opens(self, name, *words):
        """How often a command opens the file of that name."""
        trace = self.path("trace")
        self.env = {**self.env, "ASAN_OPTIONS": "detect_leaks=0"}  # which cannot run under strace
        self.ch(*words, under=["strace", "-f", "-qq", "-e", "trace=open,openat", "-o", trace])
        with open(trace) as file:
            return len(re.findall(rf'"(?:[^"]*/)?{re.escape(name)}"', file.read()))

    def test_the_file_of_a_model_is_opened_once(self):
        self.make_files()
        data = ["jsc", "--rows", "200", "-q"]
        for name, *words in (("m.onnx", "test", "m.onnx", *data), ("c.ckpt", "test", "c.ckpt", *data),
                             ("c.ckpt", "test", "jsc-tiny", *data, "--load", "c.ckpt"),
                             ("n.toml", "train", "n.toml", *data, "--max-steps", "2"),
                             ("n.toml", "train", "--config", "n.toml", "--max-steps", "2", "--rows", "200",
                              "-q", "--project", "p"),
                             ("m.onnx", "inspect", "m.onnx"), ("c.ckpt", "inspect", "c.ckpt"),
                             ("c.ckpt", "inspect", "c.ckpt", "--tensors"), ("n.toml", "inspect", "n.toml"),
                             ("m.onnx", "convert", "m.onnx", "a.mz"), ("c.ckpt", "convert", "c.ckpt", "a.onnx"),
                             ("c.ckpt", "compare", "m.onnx", "c.ckpt"), ("m.onnx", "compare", "m.onnx", "c.ckpt"),
                             ("m.onnx", "sweep", "m.onnx", *data, "--max-steps", "2", "--seed", "0,1,2"),
                             ("m.onnx", "sweep", "jsc-tiny,m.onnx", *data, "--max-steps", "2", "--seed", "0,1"),
                             ("c.ckpt", "sweep", "jsc-tiny", *data, "--max-steps", "2", "--seed", "0,1,2",
                              "--load", "c.ckpt"),
                             ("m.onnx", "lower", "m.onnx", "--frozen"), ("m.onnx", "run", "m.onnx", "--random", "1"),
                             ("m.onnx", "bench-model", "m.onnx", "--repeats", "2")):
            if "--config" in words:
                with open(self.path("n.toml"), "w") as file:
                    file.write('dataset = "jsc"\n' + NETWORK)
            self.assertEqual(self.opens(name, *words), 1, words)


class Mistakes(Case):
    def test_a_file_that_is_not_there_is_said_before_the_data_is_read(self):
        for name in ("nosuch.onnx", "nosuch.ckpt", "nosuch.toml"):
            for words in (["test", name, "jsc"], ["train", name, "jsc"]):
                message = self.ch(*words, code=1)
                self.assertIn(f"error: cannot read '{name}': No such file or directory", message)
                self.assertNotIn("Initialising dataset", message)

    def test_a_misspelt_model_is_not_called_a_model_without_weights(self):
        for words in (["test", "jsc-tniy", "jsc"], ["test", "jsc-tniy", "n.toml", "jsc"]):
            message = self.ch(*words, code=1)
            self.assertIn("error: unknown model 'jsc-tniy'", message)
            self.assertIn("did you mean 'jsc-tiny'?", message)
        self.assertIn("no checkpoint given for 'jsc-tiny'", self.ch("test", "jsc-tiny", "jsc", code=1))

    def test_a_broken_network_in_toml_is_said_before_the_data_is_read(self):
        with open(self.path("n.toml"), "w") as file:
            file.write("[model\n")
        message = self.ch("train", "n.toml", "jsc", code=1)
        self.assertIn("'n.toml' is not valid TOML", message)
        self.assertNotIn("Initialising dataset", message)

    def test_damaged_files_are_called_what_their_name_says(self):
        self.make_files()
        for name, kind in (("m.onnx", "ONNX"), ("c.ckpt", "safetensors")):
            with open(self.path(name), "rb") as file:
                start = file.read(300)
            with open(self.path("bad." + name), "wb") as file:
                file.write(start)
            for words in (["inspect", "bad." + name], ["test", "bad." + name, "jsc"],
                          ["convert", "bad." + name, "out.safetensors"]):
                self.assertIn(f"'bad.{name}' is not a readable {kind} file", self.ch(*words, code=1))

    def test_weights_under_another_name_are_weights(self):
        self.make_files()
        os.rename(self.path("c.ckpt"), self.path("w.onnx"))
        self.assertIn("117 parameters, weights from the file", self.ch("inspect", "w.onnx"))

    def test_a_folder_without_a_network_is_said_to_be_one(self):
        os.mkdir(self.path("empty"))
        for words in (["inspect", "empty"], ["test", "empty", "jsc"], ["convert", "empty", "a.onnx"]):
            self.assertIn("the folder 'empty' holds no network", self.ch(*words, code=1))


if __name__ == "__main__":
    unittest.main()
