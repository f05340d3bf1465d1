"""quantised_forward_torch.py MODEL BATCH RUNS: PyTorch's half of bench_quantised_forward. For every
line it reads it prints the microseconds of processor time per forward pass, in float and with
every Linear's operands in integer(8, 4)."""
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "oracle"))
from torch_models import MODELS  # noqa: E402


def quantise(x):
    return torch.clamp(torch.round(x * 16), -128, 127) / 16


class LinearInteger(torch.nn.Module):
    def __init__(self, linear):
        super().__init__()
        self.linear = linear

    def forward(self, x):
        return torch.nn.functional.linear(quantise(x), quantise(self.linear.weight),
                                          quantise(self.linear.bias))


def quantised(module):
    for child_name, child in module.named_children():
        if isinstance(child, torch.nn.Linear):
            setattr(module, child_name, LinearInteger(child))
        else:
            quantised(child)
    return module


name, batch, runs = sys.argv[1], *map(int, sys.argv[2:])
torch.set_num_threads(1)
torch.manual_seed(0)
plain = MODELS[name][0]().eval()
fake = quantised(MODELS[name][0]()).eval()
x = torch.randn(batch, 16)


def microseconds(model):
    start = time.process_time()
    for _ in range(runs):
        model(x)
    return (time.process_time() - start) / runs * 1e6


with torch.no_grad():
    for _ in sys.stdin:
        print(microseconds(plain), microseconds(fake), flush=True)
