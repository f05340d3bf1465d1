"""What the stress scripts share. A script prints its figures; seeds are printed, and set by CH_STRESS_SEED."""
import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

CH = os.environ["CH_BIN"]
SOURCE = pathlib.Path(os.environ["CH_SOURCE"])
SECONDS = float(os.environ.get("CH_STRESS_SECONDS", "300"))
SEED = int(os.environ.get("CH_STRESS_SEED", random.SystemRandom().randrange(1 << 30)))
sys.path.insert(0, str(SOURCE / "tests/support"))


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def say(*words):
    print(*words, flush=True)


class Stress(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)
        self.end = time.monotonic() + SECONDS
        say(f"{self.id()}: seed {SEED}, at most {SECONDS:.0f} s")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="chop_stress_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}

    def is_over(self):
        return time.monotonic() > self.end

    def start(self, *words, cwd=None, **more):
        more = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **more}
        return subprocess.Popen([CH, *map(str, words)], cwd=cwd or self.folder, env=self.environment, **more)

    def ch(self, *words, code=0, cwd=None):
        done = subprocess.run([CH, *map(str, words)], cwd=cwd or self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def checkpoint(self, project, name, root=None):
        return (root or self.folder) / "mase_output" / project / "software/training_ckpts" / name
