"""Circuits of trained networks on whole test splits: RTL, integers and the float run have the same numbers.

  agreement_full.py [WORD...]     the networks with WORD in their names; prints a row of a table for each

Digits are read from CH_MNIST, the folder of the four idx files; without it those networks are left out.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CH = os.environ.get("CH_BIN", "ch")
SOURCE = pathlib.Path(os.environ.get("CH_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
MNIST = os.environ.get("CH_MNIST", str(SOURCE.parent / "shared/data/mnist"))

# Bits of data, weights and biases, and how many of them are behind the point.
FORMATS = {"8 (4)": ((8, 4), (8, 4), (8, 4)), "6 (3)": ((6, 3), (6, 3), (6, 3)), "mixed": ((7, 3), (5, 4), (8, 5))}
ACTIVATIONS = ("relu", "relu6", "leaky_relu", "hardtanh", "hardsigmoid", "hardswish", "sigmoid", "tanh", "gelu", "silu")

WITH_ACTIVATION = """[model]
name = "{act}-net"
input = [16]
classes = 5
layers = ["batch_norm1d", {{ op = "linear", out_features = 16 }}, "{act}", {{ op = "linear", out_features = "classes" }}]
"""
WITH_SOFTMAX = """[model]
name = "softmax-net"
input = [16]
classes = 5
layers = ["batch_norm1d", { op = "linear", out_features = 12 }, "relu", { op = "linear", out_features = "classes" },
          { op = "softmax", dim = 1 }, { op = "linear", out_features = "classes" }]
"""
DIGITS = """[model]
name = "digits"
input = [1, 28, 28]
classes = 10
layers = [
  { op = "conv2d", out_channels = 8, kernel_size = 5, padding = 2 }, "relu", { op = "max_pool2d", kernel_size = 2 },
  { op = "conv2d", out_channels = 16, kernel_size = 5, padding = 2 }, "relu", { op = "max_pool2d", kernel_size = 3 },
  "flatten", { op = "linear", out_features = "classes" },
]
"""


class Case:
    """A network, its formats, and how its circuit is made."""

    def __init__(self, name, model, formats, *options, data="jsc", rows=None):
        self.name, self.model, self.formats, self.options, self.data, self.rows = name, model, formats, options, data, rows


def cases():
    made = []
    for model in ("jsc-tiny", "jsc-toy", "jsc-s", "configs/examples/jsc_mlp_64.toml"):
        name = "16-64-32-32-5" if model.endswith("toml") else model
        made += [Case(f"{name}, {kind}", model, kind) for kind in FORMATS]
    made.append(Case("residual, 6 (3)", "configs/examples/residual.toml", "6 (3)"))
    made += [Case(f"{act}, 6 (3)", WITH_ACTIVATION.format(act=act), "6 (3)") for act in ACTIVATIONS]
    made.append(Case("softmax, 6 (3)", WITH_SOFTMAX, "6 (3)"))
    made += [Case(f"jsc-toy, 6 (3), {stages} stages", "jsc-toy", "6 (3)", "--pipeline", str(stages)) for stages in (4, 9)]
    made.append(Case("jsc-toy, 6 (3), stream", "jsc-toy", "6 (3)", "--interface", "stream"))
    made.append(Case("digits, 8 (4), folded", DIGITS, "8 (4)", "--reuse", "25", data="mnist"))
    return made


class Agreement(unittest.TestCase):
    said = {}

    def run_ch(self, folder, *words):
        done = subprocess.run([CH, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def quantised(self, case, folder):
        model = case.model
        if "\n" in model:
            (folder / "network.toml").write_text(model)
            model = "network.toml"
        elif model.endswith(".toml"):
            model = str(SOURCE / model)
        data = ("--data", MNIST) if case.data == "mnist" else ()
        self.run_ch(folder, "train", model, case.data, "--max-epochs", 1, "--batch-size", 1024, "--learning-rate", 3e-3,
                    "--project", "trained", *data)
        lines = [f'model = "{model}"', f'dataset = "{case.data}"', 'project = "quantised"', "[passes.quantize]", 'by = "type"',
                 "[passes.quantize.default.config]", 'name = "integer"']
        for operand, (width, frac) in zip(("data_in", "weight", "bias"), FORMATS[case.formats]):
            lines += [f"{operand}_width = {width}", f"{operand}_frac_width = {frac}"]
        (folder / "quantise.toml").write_text("\n".join(lines) + "\n")
        self.run_ch(folder, "transform", "--config", "quantise.toml", *data, "--load",
                    "mase_output/trained/software/training_ckpts/best.ckpt")
        return folder / "mase_output/quantised/software/transform/transformed_ckpt/graph_module.mz"

    def simulate(self, case):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            network = self.quantised(case, folder)
            words = ["simulate", network, case.data, "--simulator", "verilator", "--random", 1000, "--json", "-", *case.options]
            if case.data == "mnist":
                words += ["--data", MNIST]
            return json.loads(self.run_ch(folder, *words))

    def check(self, case):
        with self.subTest(case.name):
            said = self.simulate(case)
            type(self).said[case.name] = said
            print(row(case.name, said), file=sys.stderr, flush=True)
            self.assertEqual(said["verilator"]["differing"], 0)
            if "verilator_stalled" in said:
                self.assertEqual(said["verilator_stalled"]["differing"], 0)
            self.assertEqual(said["float"]["samples"], 10_000 if case.data == "mnist" else 197_362)
            if not any(node["remark"] for node in said["nodes"]):
                self.assertEqual(said["float"]["differing"], 0)

    def test_rtl_integers_and_floats_agree_on_whole_test_splits(self):
        for case in cases():
            if WORDS and not any(word in case.name for word in WORDS):
                continue
            if case.data == "mnist" and not pathlib.Path(MNIST).is_dir():
                print(f"{case.name}: left out, no folder {MNIST}", file=sys.stderr)
                continue
            self.check(case)


def row(name, said):
    """A line of the table: what was compared, and how much of it differed."""
    remarks = sum(bool(node["remark"]) for node in said["nodes"])
    exact = "exact" if remarks == 0 else f"{remarks} remarks"
    stalled = said.get("verilator_stalled", {}).get("differing", "")
    rtl = f"{said['verilator']['differing']}" + (f", {stalled} with pauses" if stalled != "" else "")
    return (f"| {name} | {said['verilator']['samples']:,} | {rtl} | {said['float']['values']:,} | {said['float']['differing']:,} | "
            f"{exact} | {said['latency']:,} | {said['verilator']['build_seconds']:.0f} / {said['verilator']['run_seconds']:.1f} |")


WORDS = [word for word in sys.argv[1:] if not word.startswith("-")]

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
