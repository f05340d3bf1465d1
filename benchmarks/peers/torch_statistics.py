"""torch_statistics.py layers=bn,64,relu rows=1000000: a network over so many jets in batches, with mean and
variance, extremes, the 0.975 quantiles and the mean magnitude of what every relu and linear reads,
by PyTorch over each batch; the quantiles by numpy over everything."""
import time

from serve import about, arguments, best_threads, need, serve

numpy = need("numpy", "python3-numpy")
torch = need("torch", "python3-torch")
from torch_models import mlp, parameter_count  # noqa: E402

args = arguments(layers="", rows=1_000_000, batch=1024)
torch.manual_seed(0)
model = mlp(args["layers"]).eval()
jets = torch.randn(args["rows"], 16)


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
        return (self.mean, self.squares / self.count, self.low, self.high, low, high,
                self.magnitude / self.count)


def profile(x):
    seen, hooks = [], []
    for module in model.modules():
        if isinstance(module, (torch.nn.ReLU, torch.nn.Linear)):
            seen.append(Seen())
            hooks.append(module.register_forward_pre_hook(
                lambda _, inputs, to=seen[-1]: to.update(inputs[0])))
    with torch.no_grad():
        for first in range(0, len(x), args["batch"]):
            model(x[first:first + args["batch"]])
    for hook in hooks:
        hook.remove()
    return [one.result() for one in seen]


def measure():
    start = time.perf_counter()
    profile(jets)
    return {"seconds": time.perf_counter() - start}


serve(measure, parameters=parameter_count(model), **about(torch),
      **best_threads(torch, lambda: profile(jets[:20_000])))
