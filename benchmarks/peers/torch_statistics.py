"""torch_statistics.py layers=bn,64,relu rows=1000000: a network over so many jets in batches, with mean and
variance, extremes, the 0.975 quantiles and the mean magnitude of what every relu and linear reads,
by PyTorch over each batch; the quantiles by numpy over everything. Threads and batches of the size that suit."""
import time

from serve import about, arguments, best_of, best_threads, need, need_torch, serve

numpy = need("numpy", "python3-numpy")
torch = need_torch()
from torch_models import mlp, parameter_count  # noqa: E402

args = arguments(layers="", rows=1_000_000)
BATCHES = (1024, 8192, 65536)
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
        low, high = torch.aminmax(values)
        self.low, self.high = min(self.low, low.item()), max(self.high, high.item())
        self.magnitude += torch.linalg.vector_norm(values, 1).item()
        self.kept.append(values.numpy().reshape(-1))  # layers make new tensors: these stay as they are

    def result(self):
        low, high = numpy.quantile(numpy.concatenate(self.kept), [0.025, 0.975], overwrite_input=True)
        return (self.mean, self.squares / self.count, self.low, self.high, low, high,
                self.magnitude / self.count)


def profile(x, batch):
    seen, hooks = [], []
    for module in model.modules():
        if isinstance(module, (torch.nn.ReLU, torch.nn.Linear)):
            seen.append(Seen())
            hooks.append(module.register_forward_pre_hook(
                lambda _, inputs, to=seen[-1]: to.update(inputs[0])))
    with torch.inference_mode():
        for first in range(0, len(x), batch):
            model(x[first:first + batch])
    for hook in hooks:
        hook.remove()
    return [one.result() for one in seen]


sample = jets[:2 * max(BATCHES)]
chosen = best_threads(torch, lambda: profile(sample, BATCHES[1]))
way, tried = best_of({f"batches of {batch}": lambda batch=batch: profile(sample, batch) for batch in BATCHES})


def measure():
    start = time.perf_counter()
    profile(jets, int(way.split()[-1]))
    return {"seconds": time.perf_counter() - start}


serve(measure, parameters=parameter_count(model), way=way, tried=tried, **chosen, **about(torch, numpy))
