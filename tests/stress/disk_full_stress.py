"""A disk that fills up during a training, at many sizes: an error, nothing broken, and resuming when there is room."""
import os
import pathlib
import shutil
import subprocess
import unittest

from stress import Stress, digest, say

WORDS = ["train", "jsc-trt", "jsc", "--rows", 4000, "--batch-size", 64, "--max-epochs", 3, "--project", "p",
         "--checkpoint-every-n-steps", 20, "-q"]


def mount(folder, size, *options):
    folder.mkdir(exist_ok=True)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k" + "".join(f",{o}" for o in options),
                           "tmpfs", folder], check=False, capture_output=True).returncode == 0


class FullDisk(Stress):
    def test_every_size_of_disk(self):
        self.ch(*WORDS)
        whole = {name: digest(self.checkpoint("p", name)) for name in ("best.ckpt", "last.ckpt")}
        size = sum(p.stat().st_size for p in (self.folder / "mase_output").rglob("*") if p.is_file()) // 1024
        disk = self.folder / "disk"
        real = mount(disk, 4)
        if real:
            self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        full = 0
        sizes = list(range(4, size + 200, 12))
        self.random.shuffle(sizes)
        for kilobytes in sizes:
            if self.is_over():
                break
            with self.subTest(kilobytes=kilobytes, tmpfs=real):
                full += self.fill(disk, kilobytes, real, whole)
        say(f"{full} times the disk was full ({'tmpfs' if real else 'RLIMIT_FSIZE'}): "
            "an error each time, then resumed to equal bytes")

    def fill(self, disk, kilobytes, real, whole):
        shutil.rmtree(disk / "mase_output", ignore_errors=True)
        disk.mkdir(exist_ok=True)
        limit = [] if real else ["prlimit", f"--fsize={kilobytes * 1024}", "--"]
        if real:
            subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", disk], check=True)
        done = subprocess.run([*limit, os.environ["CH_BIN"], *map(str, WORDS)], cwd=disk, env=self.environment,
                              capture_output=True, text=True, check=False)
        if real:
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        if done.returncode != 0 and real:
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("disk is full", done.stderr)
        for file in pathlib.Path(disk).rglob("*.ckpt"):
            self.ch("inspect", file, "-q", cwd=disk)
        self.ch(*WORDS, "--resume", cwd=disk)
        for name, expected in whole.items():
            self.assertEqual(digest(self.checkpoint("p", name, disk)), expected, name)
        return done.returncode != 0


if __name__ == "__main__":
    unittest.main()
