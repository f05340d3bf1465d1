"""The statistics of profile_statistics against numpy: random shapes, axes, quantiles and batches. Another draw:
CH_SEED=2 ./test statistics_test
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

PROGRAM = pathlib.Path(os.environ["CH_BUILD"]) / "tests" / "oracle_statistics_dump"
SEED = int(os.environ.get("CH_SEED", "0"))


def measure(cases):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "cases.json").write_text(json.dumps(cases))
        subprocess.run([str(PROGRAM), str(folder / "cases.json"), str(folder / "results.json")], check=True)
        return json.loads((folder / "results.json").read_text())


def cut(random, count):
    """A way to cut `count` samples into batches."""
    batches = []
    while sum(batches) < count:
        batches.append(int(random.randint(1, count - sum(batches) + 1)))
    return batches


def grouped(samples, dims):
    """[groups..., reduced] of samples [n, *shape], as the reference system flattens them."""
    if dims == "all":
        return samples.reshape(-1)
    if dims is None:
        return numpy.moveaxis(samples, 0, -1)
    kept = [axis for axis in range(samples.ndim - 1) if axis not in dims]
    moved = samples.transpose([axis + 1 for axis in kept] + [0] + [axis + 1 for axis in sorted(dims)])
    return moved.reshape([samples.shape[axis + 1] for axis in kept] + [-1])


def expected(stat, args, samples):
    groups = grouped(samples, args["dims"]).astype(numpy.float64)
    if args.get("abs"):
        groups = numpy.abs(groups)
    count = groups.shape[-1]
    mean = groups.mean(-1)
    if stat == "abs_mean":
        return {"abs_mean": numpy.abs(groups).mean(-1), "count": count}
    if stat == "range_min_max":
        low, high = groups.min(-1), groups.max(-1)
        return {"min": low, "max": high, "range": high - low if count > 1 else "NA", "count": count}
    if stat == "range_quantile":
        low, high = numpy.quantile(groups, [1 - args["quantile"], args["quantile"]], axis=-1)
        return {"min": low, "max": high, "range": high - low, "count": count}
    if count < 2:
        missing = ["mean", "variance"] if stat.startswith("variance") else ["min", "max", "range"]
        return {key: "NA" for key in missing}
    precise = stat == "variance_precise" or args.get("var_mode") == "precise"
    if precise or args.get("estimator") == "unbiased":
        variance = groups.var(-1, ddof=1)
    elif args["dims"] == "all" and args.get("estimator", "reference") == "reference":
        rows = samples.reshape(len(samples), -1).astype(numpy.float64)
        rows = numpy.abs(rows) if args.get("abs") else rows
        means, size = rows.mean(1), rows.shape[1]
        inside = rows.var(1, ddof=1) * size if size > 1 else numpy.zeros(len(rows))
        variance = (inside.sum() + size * ((means - means.mean()) ** 2).sum()) / count
    else:
        variance = groups.var(-1)
    if stat.startswith("variance"):
        return {"mean": mean, "variance": variance, "count": count}
    apart = args["num_sigma"] * numpy.sqrt(variance)
    return {"min": mean - apart, "max": mean + apart, "range": 2 * apart, "count": count}


def draw_case(random, stat):
    shape = [int(n) for n in random.randint(1, 6, random.randint(1, 5))]
    if random.rand() < 0.2:  # around the widths of vectors
        shape = [1, int(random.choice([1, 7, 8, 9, 15, 16, 17, 31, 33, 65, 129]))]
    if random.rand() < 0.7:
        shape[0] = 1
    count = int(random.randint(1, 12))
    samples = (random.randn(count, *shape) * 10.0 ** random.randint(-3, 4) + random.randn()).astype(numpy.float32)
    if random.rand() < 0.3:
        samples = numpy.round(samples)  # ties
    kind = random.randint(3)
    axes = [int(a) for a in random.permutation(len(shape))[: random.randint(1, len(shape) + 1)]]
    args = {"dims": ["all", None, axes][kind], "device": "cpu"}
    if stat in ("range_min_max", "range_quantile", "range_n_sigma"):
        args["abs"] = bool(random.rand() < 0.5)
    if stat == "range_quantile":
        args["quantile"] = float(random.choice([0.5, 0.9, 0.97, 1.0, random.rand()]))
        args["mode"] = str(random.choice(["auto", "exact"]))
    if stat == "range_n_sigma":
        args["num_sigma"] = float(random.uniform(0.5, 4))
        args["var_mode"] = str(random.choice(["online", "precise"]))
    if stat in ("range_n_sigma", "variance_online"):
        args["estimator"] = str(random.choice(["reference", "population", "unbiased"]))
    case = {"stat": stat, "args": args, "shape": shape, "data": [float(x) for x in samples.reshape(-1)]}
    return case, samples


def draw_values(random, name, count):
    return {
        "normal": random.randn(count),
        "lognormal": numpy.exp(8 * random.randn(count)),
        "cauchy": random.standard_cauchy(count),
        "relu": numpy.maximum(random.randn(count), 0),
        "two far spikes": numpy.where(random.rand(count) < 0.5, -1e30, 1e-30),
        "sorted": numpy.sort(random.randn(count)),
        "falling": numpy.sort(random.randn(count))[::-1],
        "whole": random.randint(-2000, 2000, count),
        "one value": numpy.full(count, 0.1),
        "subnormal": random.randn(count) * 1e-42,
        "all exponents": numpy.ldexp(random.uniform(-1, 1, count), random.randint(-140, 127, count)),
    }[name].astype(numpy.float32)


class Statistics(unittest.TestCase):
    def compare(self, stat, rounds=120):
        random = numpy.random.RandomState(SEED + sum(map(ord, stat)))
        drawn = [draw_case(random, stat) for _ in range(rounds)]
        batched = measure([{**case, "batches": cut(random, len(samples))} for case, samples in drawn])
        one_by_one = measure([{**case, "batches": [1] * len(samples)} for case, samples in drawn])
        self.assertEqual(batched, one_by_one)
        for (case, samples), result in zip(drawn, batched):
            with self.subTest(f"CH_SEED={SEED}", stat=stat, args=case["args"], shape=case["shape"], samples=len(samples)):
                scale = float(numpy.abs(samples).max())
                for key, value in expected(stat, case["args"], samples).items():
                    if isinstance(value, str) or key == "count":
                        self.assertEqual(result[key], value, key)
                        continue
                    slack = scale * scale if key == "variance" else scale
                    numpy.testing.assert_allclose(result[key], value, rtol=1e-6, atol=2e-7 * slack, err_msg=key)
                    self.assertEqual(numpy.shape(result[key]), numpy.shape(value), key)

    def test_variance_online(self):
        self.compare("variance_online")

    def test_variance_precise(self):
        self.compare("variance_precise")

    def test_range_n_sigma(self):
        self.compare("range_n_sigma")

    def test_range_min_max(self):
        self.compare("range_min_max")

    def test_range_quantile(self):
        self.compare("range_quantile")

    def test_abs_mean(self):
        self.compare("abs_mean")


class StreamedQuantiles(unittest.TestCase):
    def compare(self, name, groups, quantile):
        random = numpy.random.RandomState(7)
        samples = draw_values(random, name, 4000 * groups).reshape(4000, 1, groups)
        case = {"stat": "range_quantile", "shape": [1, groups], "data": [float(x) for x in samples.reshape(-1)],
                "args": {"dims": [0], "quantile": quantile, "mode": "stream"}}
        batched, single = measure([{**case, "batches": b} for b in (cut(random, 4000), [1] * 4000)])
        self.assertEqual(batched, single)
        bound = batched["relative_error"]
        self.assertLessEqual(bound, 2.0**-11 if groups <= 8 else 1)
        # Between two ranks the error is at most that of the ranks themselves.
        data = numpy.sort(samples[:, 0].astype(numpy.float64), axis=0)
        for key, q in (("min", 1 - quantile), ("max", quantile)):
            place = q * (len(data) - 1)
            low, high = data[int(numpy.floor(place))], data[min(int(numpy.floor(place)) + 1, len(data) - 1)]
            true = low + (high - low) * (place - numpy.floor(place))
            slack = bound * numpy.maximum(numpy.abs(low), numpy.abs(high)) + 2.0**-126 * bound + 1e-7 * numpy.abs(true)
            self.assertTrue((numpy.abs(numpy.array(batched[key]) - true) <= slack).all(), (name, groups, key))
        return batched

    def test_the_bound_holds_for_nasty_distributions(self):
        for name in ["normal", "lognormal", "cauchy", "relu", "two far spikes", "sorted", "falling", "whole",
                     "one value", "subnormal", "all exponents"]:
            for groups in (1, 12):
                with self.subTest(name=name, groups=groups):
                    self.compare(name, groups, 0.97)

    def test_the_ends_are_exact(self):
        random = numpy.random.RandomState(1)
        samples = random.randn(5000).astype(numpy.float32)
        result = measure([{"stat": "range_quantile", "shape": [1, 5], "data": [float(x) for x in samples],
                           "batches": [1000], "args": {"quantile": 1.0, "mode": "stream"}}])[0]
        self.assertEqual((result["min"], result["max"]), (samples.min(), samples.max()))

    def test_auto_streams_beyond_its_limit_and_says_so(self):
        random = numpy.random.RandomState(2)
        samples = random.randn(1100, 1000).astype(numpy.float32)
        data = [float(x) for x in samples.reshape(-1)]
        tasks = [{"stat": "range_quantile", "shape": [1, 1000], "data": data, "batches": batches, "args": {}}
                 for batches in ([1000], [100] * 11, [700, 400])]
        few, many, other = measure(tasks)
        self.assertEqual(few["relative_error"], 0)
        self.assertEqual(few["size_in_bytes"], 4 * 1000 * 1000)
        self.assertEqual(many, other)
        self.assertEqual(many["relative_error"], 2.0**-11)
        self.assertLess(many["size_in_bytes"], 2**20)
        self.assertAlmostEqual(many["max"], numpy.quantile(samples, 0.975), delta=2.0**-11 * 3)


class Histograms(unittest.TestCase):
    def test_given_edges_count_as_numpy_does(self):
        random = numpy.random.RandomState(3)
        for bins in (2, 7, 64, 1000):
            samples = numpy.round(random.randn(300, 8) * 8).astype(numpy.float32) / 8
            result = measure([{"stat": "histogram", "shape": [1, 8], "data": [float(x) for x in samples.reshape(-1)],
                               "batches": cut(random, 300), "args": {"bins": bins, "min": -2, "max": 1.5}}])[0]
            edges = numpy.array(result["edges"], numpy.float32)
            counts, _ = numpy.histogram(samples, bins=edges)
            self.assertEqual(result["counts"], counts.tolist())
            self.assertEqual(result["underflow"], int((samples < -2).sum()))
            self.assertEqual(result["overflow"], int((samples > 1.5).sum()))
            numpy.testing.assert_allclose(edges, numpy.linspace(-2, 1.5, bins + 1), atol=1e-6)

    def test_found_edges_hold_everything_whatever_the_batches(self):
        random = numpy.random.RandomState(4)
        for name in ["normal", "lognormal", "cauchy", "relu", "two far spikes", "sorted", "falling", "whole",
                     "one value", "subnormal", "all exponents"]:
            for bins in (2, 10, 256):
                with self.subTest(name=name, bins=bins):
                    samples = draw_values(random, name, 3000)
                    case = {"stat": "histogram", "shape": [1, 3], "data": [float(x) for x in samples],
                            "args": {"bins": bins}}
                    one, other = measure([{**case, "batches": b} for b in (cut(random, 1000), [1] * 1000)])
                    self.assertEqual(one, other)
                    edges = numpy.array(one["edges"])
                    counts, _ = numpy.histogram(samples.astype(numpy.float64), bins=edges)
                    self.assertEqual(one["counts"], counts.tolist())
                    self.assertEqual(sum(one["counts"]), 3000)
                    self.assertLessEqual(len(one["counts"]), bins)


if __name__ == "__main__":
    unittest.main()
