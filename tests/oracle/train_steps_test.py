"""100 Adam steps from the same weights on the same batches give PyTorch's losses.

How near is near enough is measured, not guessed: PyTorch itself, in float32, with the rows of each
batch in several orders, strays from its own run in float64 by the rounding of its sums (and so by
its BLAS and its processor). We may stray a few times as far.

Some networks are also trained with batches of random size: CH_SEED=2 ./test train_steps_test for others.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from torch_models import MODELS  # noqa: E402

PROGRAM = pathlib.Path(os.environ["CH_BUILD"]) / "tests" / "oracle_train_steps"
STEPS = 100
SEED = int(os.environ.get("CH_SEED", "1"))
U64 = 0xFFFFFFFFFFFFFFFF
GOLD = 0x9E3779B97F4A7C15


def mix64(x):
    """splitmix64's finaliser on an array of 64-bit words, as docs/numerics.md states it."""
    x = x ^ (x >> numpy.uint64(30))
    x = x * numpy.uint64(0xBF58476D1CE4E5B9)
    x = x ^ (x >> numpy.uint64(27))
    x = x * numpy.uint64(0x94D049BB133111EB)
    return x ^ (x >> numpy.uint64(31))


def uniforms(seed, purpose, step, count):
    """The first numbers of a random stream of ours."""
    fnv = 0xCBF29CE484222325
    for byte in purpose.encode():
        fnv = ((fnv ^ byte) * 0x100000001B3) & U64
    word = lambda value: numpy.array([value & U64], dtype=numpy.uint64)  # noqa: E731
    key = mix64(mix64(word(seed + GOLD)) ^ mix64(word(fnv + step * GOLD)))[0]
    n = numpy.arange(count, dtype=numpy.uint64)
    bits = mix64(mix64(n * numpy.uint64(GOLD) + key) ^ key)
    return ((bits >> numpy.uint64(11)).astype(numpy.float64) + 0.5) * 2.0**-53


class OurDropout(torch.nn.Module):
    """Dropout with our masks: PyTorch's own generator draws others."""

    def __init__(self, node, order):
        super().__init__()
        self.node, self.order, self.step = node, order, 0

    def forward(self, x):
        keep = uniforms(0, f"dropout/{self.node}", self.step, x.numel()) >= 0.5
        self.step += 1
        mask = torch.tensor(keep.reshape(x.shape) * 2.0, dtype=x.dtype)
        return x * mask[self.order]


class Arrays(dict):
    """The arrays of an npz file, read at once so that the file may go."""

    @property
    def files(self):
        return list(self)


def dict_of(path):
    with numpy.load(path) as arrays:
        return Arrays((key, arrays[key]) for key in arrays.files)


def torch_losses(name, start, batch, rate, dtype=torch.float32, order=None):
    """Losses and running statistics of PyTorch; `order` permutes the rows of each batch, which
    changes nothing but the rounding."""
    order = torch.arange(batch) if order is None else order
    make, prefix = MODELS[name]
    model = make()
    state = {key[len(prefix):]: torch.from_numpy(start[key]) for key in start.files if key not in "xy"}
    result = model.load_state_dict(state, strict=False)
    assert not result.unexpected_keys, result.unexpected_keys
    assert all(key.endswith("num_batches_tracked") for key in result.missing_keys), result.missing_keys
    if isinstance(model, torch.nn.Sequential):
        for i, layer in enumerate(model):
            if isinstance(layer, torch.nn.Dropout):
                model[i] = OurDropout((prefix + str(i)).replace(".", "_"), order)
    model.to(dtype).train()
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    x, y = torch.from_numpy(start["x"]).to(dtype), torch.from_numpy(start["y"])
    losses = []
    for step in range(STEPS):
        rows = step * batch + order
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    buffers = {prefix + key: value.numpy() for key, value in model.state_dict().items() if "running" in key}
    return losses, buffers


def orders(batch):
    """The rows as they are, backwards, and shuffled twice."""
    shuffled = [torch.randperm(batch, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2)]
    return [torch.arange(batch), torch.arange(batch).flip(0), *shuffled]


def worst(ours, theirs):
    return max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))


class TrainSteps(unittest.TestCase):
    def compare(self, name, batch, rate):
        """Our losses and statistics, PyTorch's statistics, how far we are from float64, and how far
        PyTorch is at the worst of four orders."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            words = [PROGRAM, name, str(STEPS), str(batch), str(rate), folder]
            ours = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
            start, end = dict_of(folder / "start.npz"), dict_of(folder / "end.npz")
        exact, buffers = torch_losses(name, start, batch, rate, torch.float64)
        spread = max(worst(torch_losses(name, start, batch, rate, order=order)[0], exact) for order in orders(batch))
        return ours, end, buffers, worst(ours, exact), spread

    def check(self, name, batch):
        for rate in (1e-4, 1e-3):
            ours, end, buffers, difference, spread = self.compare(name, batch, rate)
            print(f"{name}: at rate {rate:g} ({ours[0]:.4f} -> {ours[-1]:.4f}) 100 losses are within "
                  f"{difference:.1e} of float64, PyTorch's within {spread:.1e}")
            self.assertLess(ours[-1], ours[0], "nothing was learnt, so nothing was compared")
            self.assertLess(difference, max(1e-5, 3 * spread), f"at rate {rate:g}")
            if rate > 1e-4:
                continue
            # A bias in front of a batch norm has no gradient but noise, which Adam turns into
            # whole steps: inner means may wander by them. The input's mean may not.
            for key, value in buffers.items():
                wanders = key.endswith("running_mean") and not key.endswith(".0.running_mean")
                numpy.testing.assert_allclose(end[key], value, rtol=1e-3, atol=STEPS * 1e-4 if wanders else 1e-4,
                                              err_msg=key)


    def test_batches_of_random_size(self):
        random = numpy.random.RandomState(SEED)
        for name in [n for n in MODELS if n.startswith("jsc")]:
            batch = int(random.choice([5, 7, 8, 9, 15, 17, 31, 33, 63, 65, 100, 129, 255, 257]))
            with self.subTest(f"CH_SEED={SEED}", name=name, batch=batch):
                _, _, _, difference, spread = self.compare(name, batch, 1e-3)
                print(f"{name}: batches of {batch}: within {difference:.1e} of float64, PyTorch's within {spread:.1e}")
                self.assertLess(difference, max(1e-5, 5 * spread))


for _name in MODELS:
    _batch = 32 if _name == "toy_convnet" else 256
    setattr(TrainSteps, f"test_{_name}", lambda self, n=_name, b=_batch: self.check(n, b))

if __name__ == "__main__":
    torch.set_num_threads(1)
    numpy.seterr(over="ignore")
    unittest.main()
