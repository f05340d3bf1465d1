"""Adding an op, a format, a pass, an optimiser, a data set or a convolution backend touches its own files alone.

The test adds some to a scratch copy of the tree (the files below tests/data/adding), builds, and uses
them as a person would. The scratch copy is an overlay over the tree, seen by this test alone: whatever
is written goes to a folder of its own, so nothing but the new files is compiled, and at the end that
folder says which files were touched. Where mounting is not allowed, the tree is copied and built anew.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(os.environ["CH_SOURCE"])
BUILD = pathlib.Path(os.environ["CH_BUILD"])
ADDED = ROOT / "tests" / "data" / "adding"
INSIDE = "CH_ADDING_INSIDE"  # set in the process that has mounts of its own


def added_files():
    """What is added, by its place in the tree."""
    return sorted(path.relative_to(ADDED) for path in ADDED.rglob("*") if path.is_file())


def tree_files(root):
    """The files of the tree: what git knows or would add."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True,
                            text=True, check=True)
    return [name for name in listed.stdout.split("\0") if name]


def can_overlay():
    """Whether a process with mounts of its own can lay a folder over the tree."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("lower", "upper", "work"):
            os.mkdir(os.path.join(folder, name))
        tried = subprocess.run(["unshare", "--mount", "mount", "-t", "overlay", "overlay", "-o",
                                "lowerdir=lower,upperdir=upper,workdir=work", "lower"],
                               cwd=folder, capture_output=True, check=False)
        return tried.returncode == 0


class Scratch:
    """A copy of the tree with a build of its own."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="adding."))
        if os.environ.get(INSIDE):
            self.root, self.build = ROOT, BUILD
            self.upper = self.folder / "upper"
            for name in ("upper", "work"):
                (self.folder / name).mkdir()
            subprocess.run(["mount", "-t", "overlay", "overlay", "-o",
                            f"lowerdir={ROOT},upperdir={self.upper},workdir={self.folder}/work", ROOT], check=True)
            os.chdir(ROOT)  # the old current folder is not the one below the overlay
        else:
            self.root, self.upper = self.folder / "tree", None
            self.build = self.root / "build" / BUILD.name
            for name in tree_files(ROOT):
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
            subprocess.run(["cmake", "--preset", BUILD.name], cwd=self.root, capture_output=True, check=True)

    def close(self):
        os.chdir("/")
        if self.upper:
            subprocess.run(["umount", ROOT], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, names):
        for name in names:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ADDED / name, self.root / name)

    def touched(self):
        """Files that are not as they were, those of the build left out."""
        if self.upper:
            files = [path.relative_to(self.upper) for path in self.upper.rglob("*") if not path.is_dir()]
        else:
            files = [path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file()]
            files = [file for file in files
                     if not (ROOT / file).exists() or (ROOT / file).read_bytes() != (self.root / file).read_bytes()]
        build = self.build.relative_to(self.root)
        return sorted(file for file in files if build not in file.parents)


class Adding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Scratch()
        cls.addClassCleanup(cls.scratch.close)
        cls.home = cls.scratch.folder / "home"
        cls.home.mkdir()
        cls.scratch.add(added_files())
        built = subprocess.run(["ninja", "-C", cls.scratch.build, "ch", "ch_tests"], capture_output=True, text=True,
                               check=False)
        if built.returncode != 0:
            raise RuntimeError("the tree does not build with the new files\n" + built.stdout[-8000:])

    def run_program(self, *command, code=0):
        done = subprocess.run([str(word) for word in command], cwd=self.home, capture_output=True, text=True,
                              env={**os.environ, "CH_CACHE_DIR": str(self.home / "cache")}, check=False)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        return done.stdout

    def ch(self, *words, code=0):
        return self.run_program(self.scratch.build / "ch", *words, code=code)

    def conformance(self, *patterns, least):
        """Runs the tests whose names match; being registered is what made them."""
        said = self.run_program(self.scratch.build / "tests" / "ch_tests", "--gtest_filter=" + ":".join(patterns))
        ran = re.search(r"\[  PASSED  \] (\d+) test", said)
        self.assertIsNotNone(ran, said[-2000:])
        self.assertGreaterEqual(int(ran[1]), least, f"too few tests match {patterns}")

    def quantised(self, x, *words):
        np.save(self.home / "x.npy", x)
        self.ch("format", *words, "--in", self.home / "x.npy", "--out", self.home / "y.npy")
        return np.load(self.home / "y.npy")

    def test_an_op_and_its_gradient_are_two_files(self):
        listed = json.loads(self.ch("ops", "--json", "-"))
        self.assertIn("centre", [op["op"] for op in listed])
        self.conformance("*/OpConformance.*/centre_?", "*/OpConformance.*/centre_grad_?", least=10)
        self.conformance("*/PlanConformance.*/centre_*", least=1)

    def test_a_format_without_a_fast_loop_is_one_file(self):
        x = np.linspace(-3, 3, 61, dtype=np.float32)
        np.testing.assert_array_equal(self.quantised(x, "thirds", "most=6"),
                                      (np.clip(np.rint(x * 3), -6, 6) / np.float32(3)).astype(np.float32))
        self.assertIn("bits per value", self.ch("format", "thirds", "most=6"))
        self.conformance("*EveryFormat.*thirds*", least=8)

    def test_a_format_with_a_fast_loop_is_two_files(self):
        x = np.random.default_rng(1).standard_normal(100_003).astype(np.float32)
        np.testing.assert_array_equal(self.quantised(x, "nines", "most=40"),
                                      (np.clip(np.rint(x * 9), -40, 40) / np.float32(9)).astype(np.float32))
        self.conformance("*EveryFormat.*nines*", "FastLoops.*", "FormatConformance.EveryFormat*",
                         "*/FormatConformance.*/linear_0", least=12)

    def test_a_network_runs_in_the_new_formats(self):
        for name in ("thirds", "nines"):
            config = self.home / f"{name}.toml"
            config.write_text(f'[passes.quantize]\nby = "type"\n[passes.quantize.default.config]\nname = "{name}"\n'
                              "data_in_most = 9\nweight_most = 9\nbias_most = 9\n", encoding="utf-8")
            self.ch("transform", "jsc-tiny", "jsc", "--config", config, "--rows", "2000", "--project", name)
            shown = json.loads(self.ch("compare", next(self.home.rglob(f"{name}/**/graph_module.mz")), "--json", "-"))
            self.assertIn(f"{name}(9)", json.dumps(shown))

    def test_a_pass_is_its_file_and_its_golden(self):
        self.assertIn("count_nodes", self.ch("passes"))
        self.assertIn("linear", self.ch("pass", "count_nodes", "jsc-tiny"))
        self.conformance("*/Promises.*/count_nodes", "*/Golden.*/count_nodes", "GoldenFiles.ShowEveryPass", least=3)

    def test_an_optimiser_is_one_file(self):
        self.ch("train", "jsc-tiny", "jsc", "--rows", "2000", "--max-steps", "3", "--training-optimizer", "sign_descent")

    def test_a_data_set_is_one_file(self):
        self.assertIn("larger", [each["dataset"] for each in json.loads(self.ch("datasets", "--json", "-"))])
        self.ch("train", "jsc-tiny", "larger", "--max-steps", "3")
        self.conformance("Datasets.EveryDefinitionIsComplete", least=1)

    def test_a_convolution_backend_is_one_file(self):
        (self.home / "net.toml").write_text(
            '[model]\nname = "net"\ninput = [3, 6, 6]\nlayers = [{ op = "conv2d", out_channels = 4, '
            'kernel_size = 3, padding = 1 }, "relu"]\n', encoding="utf-8")
        timed = json.loads(self.ch("bench-model", "net.toml", "--repeats", "3", "--json", "-"))
        self.assertIn("plain", [layer["backend"] for layer in timed["layers"]])
        self.conformance("*/ConvBackends.AllComputeTheReference*", "ConvBackend.NamesAreUnique*", least=3)

    def test_tests_that_go_over_a_registry_need_no_line_for_a_new_definition(self):
        self.conformance("OpCost.*", "OpTraits.*", "Registry.*", "ForwardKernels.OpsWithAKernel*", "Costs.*",
                         "RowsConformanceSuite.*", "Format*.*", "FastLoops.*", "Passes.*", "GoldenFiles.*", "Optimisers.*",
                         "TrainOptions.*", "Datasets.*", "Downloaded.*", "ByPath.*", "SettingDefs.*", "Settings*.*",
                         "Run.*", "Help.*", "OnnxExport.*", "SearchSpace.*", least=100)

    def test_nothing_but_the_new_files_was_touched(self):
        self.assertEqual(self.scratch.touched(), added_files())


if __name__ == "__main__":
    if INSIDE not in os.environ and can_overlay():
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, "-B", *sys.argv])
    else:
        unittest.main()
