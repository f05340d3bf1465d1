"""50 steps of every optimiser along the cosine give the weights of torch.optim, with settings that are usual and with random
ones, for any number of weights. Another draw: CH_SEED=2 ./test optimiser_test
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy
import torch

PROGRAM = pathlib.Path(os.environ["CH_BUILD"]) / "tests" / "oracle_optimiser_dump"
STEPS, WIDTH = 50, 257
SEED = int(os.environ.get("CH_SEED", "1"))


def draw(width):
    """Weights away from zero and gradients from tiny to large, the first few never anything."""
    random = numpy.random.RandomState(5)
    sign = numpy.where(random.rand(width) < 0.5, -1, 1)
    start = sign * random.uniform(1, 3, width)
    gradients = random.randn(STEPS, width) * 10.0 ** random.uniform(-4, 1, width)
    gradients[:, 1:4] = 0
    return start.astype(numpy.float32), gradients.astype(numpy.float32)


def torch_steps(make, start, gradients, eta_min, t_max):
    weights = torch.nn.Parameter(torch.from_numpy(start.copy()))
    optimiser = make([weights])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, t_max, eta_min=eta_min)
    trace, rates = [], []
    for gradient in gradients:
        rates.append(optimiser.param_groups[0]["lr"])
        weights.grad = torch.from_numpy(gradient.copy())
        optimiser.step()
        schedule.step()
        trace.append(weights.detach().numpy().copy())
    return numpy.array(trace), numpy.array(rates)


class Optimisers(unittest.TestCase):
    def compare(self, name, rate, decay=0.0, momentum=0.0, nesterov=False, t_max=STEPS, width=WIDTH):
        start, gradients = draw(width)
        eta_min = rate / 100
        make = {
            "adam": lambda p: torch.optim.Adam(p, lr=rate, weight_decay=decay),
            "adamw": lambda p: torch.optim.AdamW(p, lr=rate, weight_decay=decay),
            "sgd": lambda p: torch.optim.SGD(p, lr=rate, weight_decay=decay, momentum=momentum,
                                             nesterov=nesterov),
        }[name]
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            numpy.savez(folder / "start.npz", start=start, gradients=gradients)
            words = [PROGRAM, folder / "start.npz", folder / "end.npz", name, rate, eta_min, t_max, decay,
                     momentum, str(nesterov).lower()]
            subprocess.run([str(word) for word in words], check=True)
            with numpy.load(folder / "end.npz") as arrays:
                ours, our_rates = arrays["weights"], arrays["rates"]
        theirs, rates = torch_steps(make, start, gradients, eta_min, t_max)
        numpy.testing.assert_allclose(our_rates, rates, rtol=1e-10)
        self.assertGreater(numpy.abs(theirs[-1] - start).max(), 0.01 * rate, "nothing moved")
        # Relative to the larger of the weight and where it started: a weight that passes
        # through zero keeps the rounding of its size before.
        scale = numpy.maximum(numpy.abs(theirs), numpy.abs(start))
        worst = (numpy.abs(ours.astype(numpy.float64) - theirs) / scale).max()
        print(f"{name} decay {decay} momentum {momentum} nesterov {nesterov}: {worst:.1e}")
        self.assertLess(worst, 1e-6)

    def test_adam(self):
        self.compare("adam", 1e-2)

    def test_adam_with_weight_decay(self):
        self.compare("adam", 1e-2, decay=0.1)

    def test_adamw(self):
        self.compare("adamw", 1e-2)

    def test_adamw_with_weight_decay(self):
        self.compare("adamw", 1e-2, decay=0.1)

    def test_sgd(self):
        self.compare("sgd", 1e-2)

    def test_sgd_with_weight_decay(self):
        self.compare("sgd", 1e-2, decay=0.1)

    def test_sgd_with_momentum(self):
        self.compare("sgd", 1e-2, momentum=0.9)

    def test_sgd_with_momentum_and_weight_decay(self):
        self.compare("sgd", 1e-2, decay=0.1, momentum=0.9)

    def test_sgd_with_nesterov(self):
        self.compare("sgd", 1e-2, momentum=0.9, nesterov=True)

    def test_sgd_with_nesterov_and_weight_decay(self):
        self.compare("sgd", 1e-2, decay=0.1, momentum=0.9, nesterov=True)

    def test_random_settings_and_numbers_of_weights(self):
        random = numpy.random.RandomState(SEED)
        widths = [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129, 1000, 33000]
        for number, width in enumerate(random.permutation(widths)):
            settings = {"name": ["adam", "adamw", "sgd"][number % 3], "rate": float(10 ** random.uniform(-4, -2)),
                        "decay": float(random.choice([0, 10 ** random.uniform(-4, -1)])), "width": int(width),
                        "t_max": int(random.randint(1, 2 * STEPS))}
            if settings["name"] == "sgd":
                settings["momentum"] = float(random.choice([0, random.uniform(0.1, 0.99)]))
                settings["nesterov"] = bool(settings["momentum"] and random.rand() < 0.5)
            with self.subTest(f"CH_SEED={SEED}", **settings):
                self.compare(**settings)

    def test_beyond_the_end_of_the_cosine(self):
        self.compare("adam", 1e-2, t_max=20)


if __name__ == "__main__":
    unittest.main()
