"""LogicNets: a checkpoint of the public code runs with the numbers of PyTorch, trains on, and becomes a circuit of tables."""
import os
import pathlib
import shutil
import sys
import unittest

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from in_folder import InFolder  # noqa: E402
from tensors_of import tensors_of  # noqa: E402

EXAMPLE = pathlib.Path(os.environ["CH_SOURCE"]) / "configs/examples/logicnets.toml"
SIZES = (16, 64, 32, 32, 32, 5)
FAN_IN = 3


class Mask(torch.nn.Module):
    """A module with one parameter, which is how the public code keeps its masks."""

    def __init__(self, rows, columns):
        super().__init__()
        mask = torch.zeros(rows, columns)
        for row in mask:
            row[torch.randperm(columns)[:FAN_IN]] = 1
        self.mask = torch.nn.Parameter(mask, requires_grad=False)


class Sparse(torch.nn.Linear):
    def __init__(self, rows, columns):
        super().__init__(columns, rows)
        self.mask = Mask(rows, columns)

    def forward(self, x):
        return torch.nn.functional.linear(x, self.weight * self.mask.mask, self.bias)


class Transforms(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.pre_transforms = torch.nn.ModuleList([torch.nn.BatchNorm1d(features)])


class Layer(torch.nn.Module):
    def __init__(self, columns, rows, input_quant):
        super().__init__()
        self.input_quant = input_quant
        self.fc = Sparse(rows, columns)
        self.output_quant = Transforms(rows)


class Network(torch.nn.Module):
    """Quantisers of layers are shared with the next: their tensors are in the file twice."""

    def __init__(self):
        super().__init__()
        layers = []
        for columns, rows in zip(SIZES, SIZES[1:]):
            layers.append(Layer(columns, rows, layers[-1].output_quant if layers else Transforms(columns)))
        self.module_list = torch.nn.ModuleList(layers)

    def forward(self, x, quantised):
        def codes(value, low, high, frac):
            return torch.clamp(torch.round(value * 2**frac), low, high) / 2**frac if quantised else value

        x = codes(x, -2048, 2047, 8)
        x = codes(self.module_list[0].input_quant.pre_transforms[0](x), -4, 3, 2)
        for i, layer in enumerate(self.module_list):
            x = layer.output_quant.pre_transforms[0](layer.fc(x))
            x = codes(x, -4, 3, 1) if i == len(self.module_list) - 1 else codes(x, 0, 7, 2)
        return x


class LogicNets(InFolder):
    def setUp(self):
        super().setUp()
        torch.manual_seed(3)
        self.network = Network()
        for module in self.network.modules():
            if isinstance(module, torch.nn.BatchNorm1d):
                module.running_mean.uniform_(-0.3, 0.3)
                module.running_var.uniform_(0.5, 1.5)
                module.weight.data.uniform_(0.7, 1.4)
                module.bias.data.uniform_(-0.2, 0.5)
            elif isinstance(module, Sparse):
                module.weight.data.uniform_(-1.5, 1.5)
        self.network.eval()
        torch.save({"model_dict": self.network.state_dict(), "epoch": 7}, self.folder / "checkpoint.pth")
        generator = numpy.random.default_rng(0)
        self.rows = generator.normal(size=(400, 16)).astype(numpy.float32)
        numpy.savez(self.folder / "rows.npz", x=self.rows, y=numpy.arange(400) % 5)
        shutil.copy(EXAMPLE, self.folder / "logicnets.toml")

    def quantised(self):
        self.good("transform", "--config", "logicnets.toml", "--load", "checkpoint.pth", "--load-partial",
                  "--project", "q")
        return "mase_output/q/software/transform/transformed_ckpt/graph_module.mz"

    def run_rows(self, *words):
        self.good("run", *words, "--in", "rows.npy", "--out", "out.npz")
        return next(iter(numpy.load(self.folder / "out.npz").values()))

    def test_a_checkpoint_of_the_public_code_gives_the_numbers_of_pytorch(self):
        numpy.save(self.folder / "rows.npy", self.rows)
        with torch.no_grad():
            wanted = self.network(torch.from_numpy(self.rows), quantised=True).numpy()
        made = self.run_rows(self.quantised())
        # A sum at the border of two codes may be rounded either way by another order of additions.
        self.assertLessEqual((made != wanted).sum(), 4)
        self.assertGreater(len(numpy.unique(wanted)), 4)

    def test_what_a_file_has_beside_the_network_is_listed(self):
        said = self.refused("transform", "--config", "logicnets.toml", "--load", "checkpoint.pth")
        self.assertIn("unexpected: module_list.1.input_quant.pre_transforms.0", said.stderr)
        self.assertNotIn("missing", said.stderr.split("note: ")[1])

    def test_it_trains_on_and_keeps_its_masks(self):
        self.good("train", self.quantised(), "rows.npz", "--max-epochs", "2", "--batch-size", "50",
                  "--learning-rate", "1e-2", "--project", "trained")
        self.good("convert", "mase_output/trained/software/training_ckpts/last.ckpt", "trained.safetensors")
        tensors = tensors_of(self.folder / "trained.safetensors")
        for i, layer in enumerate(self.network.module_list):
            mask = layer.fc.mask.mask.numpy()
            weight = tensors[f"module_list.{i}.fc.weight"]
            numpy.testing.assert_array_equal(tensors[f"module_list.{i}.fc.mask"], mask)
            self.assertEqual(numpy.count_nonzero(weight[mask == 0]), 0)
            self.assertTrue((weight[mask == 1] != layer.fc.weight.detach().numpy()[mask == 1]).any())

    def test_it_becomes_a_circuit_of_tables_that_simulates_to_the_same_numbers(self):
        file = self.quantised()
        made = self.json("emit", file)
        self.assertEqual(made["table_neurons"], sum(SIZES[1:]))
        self.assertNotIn("linear", {node["op"] for node in made["nodes"]})
        text = self.good("emit", file).stdout
        self.assertIn("165 neurons are tables of up to 9 input bits", text)
        adders = self.json("emit", file, "--table-bits", "0")
        self.assertEqual(adders["table_neurons"], 0)
        self.assertGreater(adders["estimate"]["luts"], 2 * made["estimate"]["luts"])
        if shutil.which("iverilog") is None:
            self.skipTest("iverilog is not installed")
        made = self.json("simulate", file, "rows.npz", "--simulator", "icarus")
        self.assertEqual(made["icarus"]["differing"], 0)
        self.assertLessEqual(made["float"]["differing"], 4)


if __name__ == "__main__":
    unittest.main()
