"""Little memory: a run goes on with fewer threads or says that there is not enough, and never crashes."""
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import unittest

CH = os.environ["CH_BIN"]


class LittleMemory(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        with open(self.folder / "rows.csv", "w", encoding="utf-8") as rows:
            for row in range(600):
                rows.write("".join(f"{(row * 7 + i * 3) % 11 - 5}," for i in range(16)) + f"{row % 5}\n")

    def ends(self, megabytes, *words):
        size = megabytes << 20
        loader = self.folder / "loader"
        environment = {"CH_CACHE_DIR": str(self.folder / "cache"), "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(loader)}
        result = subprocess.run([CH, *words], cwd=self.folder, capture_output=True, text=True, check=False,
                                env={**os.environ, **environment},
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
        said = [path.read_text() for path in self.folder.glob("loader.*")]
        for path in self.folder.glob("loader.*"):
            path.unlink()
        if not any("transferring control" in text for text in said):
            return  # libraries were not loaded, or one of them could not set itself up: nothing of ours ran
        self.assertIn(result.returncode, (0, 1), f"{megabytes} MB, {words}: {result.stderr}")
        if result.returncode == 1:
            self.assertIn("not enough memory", result.stderr, megabytes)

    def test_training_never_ends_in_a_crash(self):
        for megabytes in (80, 88, 92, 94, 96, 98, 100, 104, 110, 128, 136, 200, 400):
            self.ends(megabytes, "train", "jsc-deep", "rows.csv", "--max-epochs", "1", "--batch-size", "512", "-q")

    def test_convolutions_never_end_in_a_crash(self):
        for megabytes in (90, 100, 110, 120, 130, 150, 200):
            self.ends(megabytes, "bench-model", "toy_convnet", "--batch-size", "8", "--repeats", "1")

    def test_padding_takes_no_memory_of_its_own(self):
        (self.folder / "wide.toml").write_text("[model]\ninput = [1, 1]\nlayers = [{ op = \"conv1d\", out_channels = 4, "
                                               "kernel_size = 1, padding = 300000 }]\n")
        half = 500 << 20
        for kind in (["--frozen"], []):
            result = subprocess.run([CH, "lower", "wide.toml", *kind], cwd=self.folder, capture_output=True, text=True,
                                    check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (half, half)))
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_large_networks_never_end_in_a_crash(self):
        for megabytes in (100, 140, 180, 196, 200, 204, 212, 230, 260):
            self.ends(megabytes, "inspect", "resnet18", "-q")


if __name__ == "__main__":
    unittest.main()
