"""profile_statistics_torch.py ROWS THREADS: PyTorch and numpy's half of bench_profile_statistics.

For every line it reads it runs jsc-s over ROWS jets in batches and measures mean and variance,
extremes, the 0.975 quantiles and the mean magnitude of what every relu and linear reads, all at
once over each batch (the quantiles over everything); prints seconds and the process's peak memory in MB."""
import pathlib
import resource
import sys
import time

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "oracle"))
from torch_models import MODELS  # noqa: E402

rows, threads = map(int, sys.argv[1:])
torch.set_num_threads(threads)
torch.manual_seed(0)
model = MODELS["jsc-s"][0]().eval()
x = torch.randn(rows, 16)
BATCH = 1024


class Seen:
    def __init__(self):
        self.count, self.mean, self.squares, self.magnitude = 0, 0.0, 0.0, 0.0
        self.low, self.high, self.kept = float("inf"), -float("inf"), []

    def update(self, values):
        n = values.numel()
        variance, mean = torch.var_mean(values, unbiased=False)
        delta = mean.item() - self.mean
        self.mean += delta * n / (self.count + n)
        self.squares += variance.item() * n + delta * delta * self.count * n / (self.count + n)
        self.count += n
        self.low, self.high = min(self.low, values.min().item()), max(self.high, values.max().item())
        self.magnitude += values.abs().sum().item()
        self.kept.append(values.numpy().reshape(-1).copy())

    def result(self):
        low, high = numpy.quantile(numpy.concatenate(self.kept), [0.025, 0.975])
        return self.mean, self.squares / self.count, self.low, self.high, low, high, self.magnitude / self.count


def profile():
    seen, hooks = [], []
    for module in model.modules():
        if isinstance(module, (torch.nn.ReLU, torch.nn.Linear)):
            seen.append(Seen())
            hooks.append(module.register_forward_pre_hook(lambda _, inputs, to=seen[-1]: to.update(inputs[0])))
    with torch.no_grad():
        for first in range(0, rows, BATCH):
            model(x[first:first + BATCH])
    for hook in hooks:
        hook.remove()
    return [one.result() for one in seen]


for _ in sys.stdin:
    start = time.perf_counter()
    profile()
    seconds = time.perf_counter() - start
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, flush=True)
