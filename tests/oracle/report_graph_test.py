"""report_graph against torch.fx: str(graph) and the reprs of the layers, character for
character, for the zoo and for networks of functions, methods and odd names."""

import os
import subprocess
import sys
import unittest

import torch
import torch.fx
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from model_keys_test import MODELS  # noqa: E402


# Networks whose ReLUs our zoo builds in place; their twins were written for names and shapes.
IN_PLACE = {"lfc", "cnv", "vgg7"}


def twin(name):
    model = MODELS[name]()
    for module in model.modules():
        if name in IN_PLACE and isinstance(module, nn.ReLU):
            module.inplace = True
    return model


def functions(x, y):
    z = x + y
    z = z * 2.0
    for f in (F.relu, F.relu6, F.selu, F.silu, F.hardsigmoid, F.hardswish, F.elu, F.leaky_relu,
              F.hardtanh, F.gelu, F.softplus, F.softsign, torch.sigmoid, torch.tanh, F.dropout):
        z = f(z)
    z = F.relu(z, inplace=True)
    z = F.leaky_relu(z, 0.2)
    z = z - x
    z = z / y
    z = F.softmax(z, dim=1)
    z = F.log_softmax(z, dim=-1)
    wide = torch.cat([z, x], 1)
    tall = torch.cat([z, x])
    turned = torch.transpose(z, 1, 2)
    product = torch.matmul(z, turned)
    batched = torch.bmm(z, turned)
    square = product + batched
    total = torch.sum(square, (1, 2))
    mean = torch.mean(square, (1, 2), True)
    again = torch.sum(wide, 1)
    return tall, total, mean, again


def shapes(x):
    x = F.max_pool2d(x, 2)
    x = F.max_pool2d(x, (3, 3), stride=1, padding=1)
    x = F.avg_pool2d(x, 2)
    x = F.adaptive_avg_pool2d(x, (2, 2))
    z = torch.flatten(x, 2).view(-1, 2, 6).permute(0, 2, 1)
    z = torch.permute(z, (0, 2, 1))
    z = torch.reshape(z, (-1, 12)).reshape(-1, 3, 4)
    z = F.avg_pool1d(F.adaptive_avg_pool1d(z, 2), 2)
    z = torch.unsqueeze(torch.squeeze(z, 2), 1)
    z = z.relu().mean(1, True)
    z = z.add(z).flatten(1)
    return torch.narrow(z, 1, 0, 2)


class Modules(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.ModuleDict({
            "convA": nn.Conv2d(4, 8, 3, 2, 1, groups=2, bias=False),
            "BN": nn.BatchNorm2d(8, 1e-3, 0.01)})
        self.act_1 = nn.LeakyReLU(0.2, inplace=True)
        self.pool, self.max = nn.AvgPool2d(2), nn.MaxPool2d(2, 1, 1)
        self.list, self.flat, self.drop = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1)
        self.norm, self.fc = nn.LayerNorm(8), nn.Linear(8, 3, bias=False)
        self.h, self.e, self.g, self.s = nn.Hardtanh(-2.0, 2.0), nn.ELU(0.5), nn.GELU(), nn.Softmax(dim=1)

    def forward(self, x):
        x = self.act_1(self.act_1(self.features["BN"](self.features["convA"](x))))
        x = self.list(self.max(self.pool(x)))
        x = self.fc(self.norm(self.drop(self.flat(x))))
        return self.s(self.g(self.e(self.h(x))))


def printed():
    program = os.path.join(os.environ["CH_BUILD"], "tests", "oracle_report_graph")
    networks = {}
    text = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    for block in text.split("== ")[1:]:
        name, *lines = block.rstrip("\n").split("\n")
        layers = [line[3:] for line in lines if line.startswith("-- ")]
        networks[name] = ("\n".join(line for line in lines if not line.startswith("-- ")), layers)
    return networks


def traced(model):
    """PyTorch 2 writes num_users where 1.13 has #users."""
    graph = torch.fx.symbolic_trace(model)
    modules = dict(graph.named_modules())
    layers = [repr(modules[n.target]) for n in graph.graph.nodes if n.op == "call_module"]
    return str(graph.graph).replace("[#users=", "[num_users="), layers


class ReportGraphAgainstTorchFx(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.ours = printed()

    def compare(self, name, model):
        listing, layers = traced(model)
        self.assertEqual(self.ours[name][0], listing)
        self.assertEqual(self.ours[name][1], layers)

    def test_every_network_of_the_zoo_prints_as_in_pytorch(self):
        for name in MODELS:
            with self.subTest(model=name):
                self.compare(name, twin(name))

    def test_functions_are_named_and_called_as_fx_records_them(self):
        self.compare("functions", functions)

    def test_methods_and_windows_keep_the_form_of_their_arguments(self):
        self.compare("shapes", shapes)

    def test_modules_get_fx_names_and_their_own_reprs(self):
        self.compare("modules", Modules())


if __name__ == "__main__":
    unittest.main()
