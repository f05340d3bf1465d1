"""The bytes of a trained network, by level of vector instructions: tests/data/same_bits.txt holds a
digest for each of a few trainings at each level, and docs/numerics.md shows them as a table. What our
own kernels compute has one digest wherever multiplications and additions are fused.

After a change that is meant to change the bits, record them again, table included. Levels that this
machine does not have keep their entries; tools/on_arm64 and tools/on_cpu run this file elsewhere.

    CH_BIN=build/release/ch /usr/bin/python3 tests/cli/same_bits_test.py --record
"""
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

CH = str(pathlib.Path(os.environ.get("CH_BIN", "build/release/ch")).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests/data/same_bits.txt"
PAGE = ROOT / "docs/numerics.md"
EXAMPLES = ROOT / "configs/examples"
LEVELS = ["baseline", "avx2", "avx512", "neon"]
FUSED = LEVELS[1:]
BEGIN, END = "<!-- table of same_bits_test.py -->\n", "<!-- end of table -->\n"

MLP = str(EXAMPLES / "jsc_mlp_64.toml")
CONVNET = "small convnet"
#: what is trained, and the format that it is quantised in before, if any
TRAININGS = {"jsc-tiny": ("jsc-tiny", None), "jsc-s": ("jsc-s", None), "16-64-32-32-5": (MLP, None),
             "16-64-32-32-5, integer": (MLP, "integer"), "16-64-32-32-5, lsq_integer": (MLP, "lsq_integer"),
             CONVNET: (None, None)}
NETWORK = """[model]
name = "convnet"
input = [1, 12, 12]
classes = 4
layers = [
  { op = "conv2d", out_channels = 16, kernel_size = 3, padding = 1 }, "relu",
  { op = "max_pool2d", kernel_size = 2 },
  { op = "conv2d", out_channels = 32, kernel_size = 3 }, "relu",
  { op = "flatten", start_dim = 1 },
  { op = "linear", out_features = "classes" },
]
"""


def about():
    """What the program says of itself: the levels it has here, the version of oneDNN."""
    done = subprocess.run([CH, "version", "--json", "-"], capture_output=True, text=True, check=True,
                          env={name: value for name, value in os.environ.items() if name != "CH_SIMD"})
    return json.loads(done.stdout)


def write_images(folder):
    """Squares of noise, brighter in one of four corners."""
    import numpy
    draw = random.Random(0)
    y = [draw.randrange(4) for _ in range(600)]
    x = [[[draw.gauss(0, 1) + ((row < 6, column < 6) == (label < 2, label % 2 == 0)) for column in range(12)]
          for row in range(12)] for label in y]
    numpy.savez(folder / "images.npz", x=numpy.array(x, dtype=numpy.float32)[:, None], y=numpy.array(y))
    (folder / "convnet.toml").write_text(NETWORK)
    return str(folder / "convnet.toml"), str(folder / "images.npz")


def run(level, scratch, action, *arguments):
    command = [CH, action, *arguments, "--simd", level, "--project-dir", str(scratch), "-q"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")


def digest(name, level):
    """Of the checkpoint after two epochs at this level."""
    network, number_format = TRAININGS[name]
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        data = "jsc"
        sizes = ["--rows", "20000", "--batch-size", "256"]
        if network is None:
            network, data = write_images(scratch)
            sizes = ["--batch-size", "32"]
        if number_format:
            run(level, scratch, "transform", network, data, *sizes, "--project", "quantised",
                "--config", str(EXAMPLES / f"quantize/{number_format}.toml"))
            network = str(scratch / "quantised/software/transform/transformed_ckpt/graph_module.mz")
        run(level, scratch, "train", network, data, *sizes, "--max-epochs", "2", "--learning-rate", "1e-3", "--seed", "0",
            "--project", "trained")
        checkpoint = scratch / "trained/software/training_ckpts/best.ckpt"
        return hashlib.sha256(checkpoint.read_bytes()).hexdigest()[:16]


def recorded():
    """Digests by training and level, and the version of oneDNN under the key None."""
    found = {}
    for line in RECORD.read_text().splitlines():
        if line.startswith("# oneDNN "):
            found[None] = line.split()[-1]
        if not line.startswith("#"):
            name, level, value = line.split(" | ")
            found.setdefault(name, {})[level] = value
    return found


def table(found):
    lines = [f"| training | {' | '.join(LEVELS)} |", "|---|" + "---|" * len(LEVELS)]
    for name in TRAININGS:
        cells = [f"`{found[name][level][:8]}`" if level in found[name] else "" for level in LEVELS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "".join(f"{line}\n" for line in lines)


def record():
    told = about()
    found = recorded() if RECORD.exists() else {}
    for name in TRAININGS:
        for level in told["simd_levels"]:
            found.setdefault(name, {})[level] = digest(name, level)
    text = f"# Digests of checkpoints, as tests/cli/same_bits_test.py makes them.\n# oneDNN {told['onednn']}\n"
    text += "".join(f"{name} | {level} | {found[name][level]}\n" for name in TRAININGS
                    for level in LEVELS if level in found[name])
    RECORD.write_text(text)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + table(found) + END + rest.split(END)[1])


class SameBits(unittest.TestCase):
    def test_every_level_gives_the_bytes_that_are_recorded(self):
        told = about()
        found = recorded()
        self.assertEqual(set(found) - {None}, set(TRAININGS))
        for name in TRAININGS:
            if name == CONVNET and told["onednn"] != found[None]:
                continue  # another oneDNN may sum in another order
            for level in told["simd_levels"]:
                with self.subTest(training=name, level=level):
                    self.assertEqual(digest(name, level), found[name][level])

    def test_what_our_kernels_compute_is_equal_wherever_arithmetic_is_fused(self):
        for name, by_level in recorded().items():
            if name not in (None, CONVNET):
                with self.subTest(training=name):
                    self.assertEqual(len({by_level[level] for level in FUSED if level in by_level}), 1)

    def test_the_table_of_the_docs_is_what_is_recorded(self):
        shown = PAGE.read_text().split(BEGIN)[1].split(END)[0]
        self.assertEqual(shown, table(recorded()), f"{__file__} --record writes it")


if __name__ == "__main__":
    if sys.argv[1:] == ["--record"]:
        record()
    else:
        unittest.main()
