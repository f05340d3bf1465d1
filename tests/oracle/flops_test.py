"""MACs and elementwise work of networks against hooks on the same layers in PyTorch."""

import json
import math
import os
import subprocess
import tempfile
import unittest

import torch
from torch import nn

from model_keys_test import MODELS

CH = os.environ["CH_BIN"]


def counted(model, batch):
    with tempfile.TemporaryDirectory() as folder:
        words = [CH, "pass", "calculate_flops", model, f"batch_size={batch}", "--json", "-"]
        told = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(told.stdout)["passes"][0]["info"]["total"]


def hooked(model, sample):
    """Sums over the layers as they run: MACs, and lab operations of modules."""
    total = {"macs": 0, "lab": 0, "parameters": sum(p.numel() for p in model.parameters())}

    def count(module, inputs, output):
        size_in, size_out = inputs[0].numel(), output.numel()
        if isinstance(module, nn.Linear):
            total["macs"] += size_out * module.weight.shape[1]
        elif isinstance(module, (nn.Conv1d, nn.Conv2d)):
            total["macs"] += size_out * module.in_channels // module.groups * math.prod(module.kernel_size)
        elif isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            total["lab"] += 4 * size_in
        elif isinstance(module, (nn.ReLU, nn.ReLU6)):
            total["lab"] += size_in

    for module in model.modules():
        module.register_forward_hook(count)
    with torch.no_grad():
        model.eval()(sample)
    total["lab"] += total["macs"]
    return total


class CostsAgainstHooks(unittest.TestCase):
    def test_macs_and_parameters_are_those_hooks_see(self):
        samples = {"jsc-tiny": (16,), "jsc-toy": (16,), "jsc-s": (16,), "resnet18": (3, 224, 224),
                   "mobilenetv2": (3, 224, 224), "vgg7": (3, 32, 32)}
        for name, shape in samples.items():
            with self.subTest(name):
                batch = 2 if len(shape) == 3 else 8
                ours = counted(name, batch)
                theirs = hooked(MODELS[name](), torch.randn(batch, *shape))
                self.assertEqual(ours["macs"], theirs["macs"])
                self.assertEqual(ours["total_parameters"], theirs["parameters"])
                if name.startswith("jsc"):
                    self.assertEqual(ours["lab"]["operations"], theirs["lab"])


if __name__ == "__main__":
    unittest.main()
