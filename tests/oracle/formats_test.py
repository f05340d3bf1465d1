"""Every number format against a slow numpy implementation written from the formulas alone, bit
for bit, on random shapes of rank 0 to 5, random widths and nasty values; and the logarithms the
formulas rely on against PyTorch's. Another draw: CH_SEED=2 ./test formats_test
"""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import torch

f32 = np.float32
EPSILON = f32(1e-9)
MOST = np.finfo(f32).max
SEED = int(os.environ.get("CH_SEED", "20240125"))


def log2(a):
    """float32, rounded once."""
    return np.log2(a.astype(np.float64)).astype(f32)


def exact_floor_log2(a):
    return np.frexp(a.astype(np.float64))[1] - 1


def power(e):
    return np.ldexp(1.0, np.asarray(e).astype(np.int64))  # float64: holds 2^-200 and 2^128


def fixed(x, width, frac_width=None, is_signed=True, rounding=np.rint):
    f = width // 2 if frac_width is None else frac_width
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if is_signed else (0, 2**width - 1)
    top = f32(high) if float(f32(high)) <= high else np.nextafter(f32(high), f32(0))
    scaled = rounding((x * f32(2.0**f)).astype(f32))
    return np.where(scaled < low, f32(low), np.where(scaled > top, top, scaled)) / f32(2.0**f)  # -0 stays


def near_zero(x, q):
    return np.where(np.abs(x) <= f32(1e-8), x + f32(0), q)


def default_bias(bits, bias):
    return 2 ** (bits - 1) - 1 if bias is None else bias


def minifloat_denorm(x, width, exponent_width, exponent_bias=None):
    m, bias = width - exponent_width - 1, default_bias(exponent_width, exponent_bias)
    a = np.abs(x)
    e = np.clip(np.ceil(log2(a + EPSILON)), -bias, 2**exponent_width - 1 - bias)
    e = np.minimum(e, 127)
    mantissa = np.clip(np.rint(a.astype(np.float64) / power(e) * 2**m), 0, 2**m - 1) / 2**m
    return near_zero(x, np.copysign(power(e) * mantissa, x))


def minifloat_ieee(x, width, exponent_width, exponent_bias=None):
    m, bias = width - exponent_width - 1, default_bias(exponent_width, exponent_bias)
    a = np.abs(x)
    e = np.clip(np.floor(log2(a + EPSILON)), -bias, 2**exponent_width - 1 - bias)
    e = np.minimum(e, 127)
    r = a.astype(np.float64) / power(e)
    normal = 1 + np.clip(np.rint((r - 1) * 2**m), 0, 2**m - 1) / 2**m
    subnormal = 2 * np.clip(np.rint(r * 2**m / 2), 0, 2**m - 1) / 2**m
    return near_zero(x, np.copysign(power(e) * np.where(e == -bias, subnormal, normal), x))


def log(x, width, exponent_bias=None):
    k = width - 1
    bias = np.asarray(default_bias(k, exponent_bias))
    tenth = (0.1 * power(-bias)).astype(f32)
    e = np.clip(np.rint(log2(np.abs(x) + tenth)), -bias, np.minimum(2**k - 1 - bias, 127))
    return np.where(x + tenth < 0, -1, 1) * power(e)


def boxes(shape, block, skip):
    """The block size of every dimension."""
    rank = len(shape)
    kept = rank if not skip or rank < 2 else min(rank - 1, 2)
    tail = list(block)[-kept:] if kept else []
    tail = [1] * (rank - kept) + [-1] * (kept - len(tail)) + tail
    return [s if b < 0 or b > s else b for s, b in zip(shape, tail)]


def per_group(x, box, fn):
    """fn of the finite magnitudes (infinity as the largest float) of each box, spread over x."""
    a = np.minimum(np.nan_to_num(np.abs(x), nan=0.0, posinf=MOST), MOST).astype(f32)
    if x.size == 0:
        return a
    group = np.zeros(x.shape, np.int64)
    for d, place in enumerate(np.indices(x.shape)):
        group = group * (x.shape[d] + 1) + place // max(box[d], 1)
    out = np.empty(x.shape, f32)
    for g in np.unique(group):
        out[group == g] = fn(a[group == g], x[group == g])
    return out


def block_max(x, block_size, skip_first_dim):
    most = per_group(x, boxes(x.shape, block_size, skip_first_dim), lambda a, _: a.max())
    above = most[most > 0]
    return np.where(most == 0, above.min() if above.size else f32(1), most).astype(f32)


def block_fp(x, block_size, width=12, exponent_width=8, exponent_bias=None, skip_first_dim=False):
    m, bias = width - 1, default_bias(exponent_width, exponent_bias)
    most = block_max(x, block_size, skip_first_dim)
    e = np.minimum(np.clip(np.ceil(log2(most)), -bias, 2**exponent_width - 1 - bias), 127)
    scaled = (np.abs(x) + EPSILON).astype(np.float64) / power(e) * 2**m
    q = np.clip(np.rint(scaled), 0, 2**m - 1) / 2**m * power(e)
    return near_zero(x, np.copysign(q, x))


def block_minifloat(x, width, exponent_width, exponent_bias_width, block_size,
                    skip_first_dim=False, bias_rule="reference"):
    e = np.floor(log2(block_max(x, block_size, skip_first_dim)))
    wanted = e if bias_rule == "reference" else 2**exponent_width - 1 - e
    return minifloat_ieee(x, width, exponent_width,
                          np.clip(wanted, 0, min(2**exponent_bias_width - 1, 149)))


def block_log(x, width, exponent_bias_width, block_size, skip_first_dim=False):
    e = np.ceil(log2(block_max(x, block_size, skip_first_dim)))
    return log(x, width, np.clip(2 ** (width - 1) - 1 - e, 0, min(2**exponent_bias_width - 1, 149)))


def along(shape, axis, block):
    box = [1] * len(shape)
    if shape:
        box[axis] = min(block, shape[axis])
    return box


def mxint(x, width, block_size=32, block_dim=-1, scale_bits=8):
    most = per_group(x, along(x.shape, block_dim, block_size), lambda a, _: a.max())
    most = np.maximum(most, f32(2.0**-126)).astype(np.float64)
    mantissa, e = np.frexp(most)
    e = np.where(mantissa == 0.5, e - 1, e)
    bias = 2 ** (scale_bits - 1) - 1
    s = np.clip(e, -bias, min(2**scale_bits - 1 - bias, 127))
    scaled = np.rint(x.astype(np.float64) / power(s) * 2 ** (width - 1))
    return np.clip(scaled, -(2 ** (width - 1)), 2 ** (width - 1) - 1) / 2 ** (width - 1) * power(s)


def mxfp(x, exponent_width, frac_width, block_size=32, block_dim=-1, scale_exp_bits=8):
    bias, top = 2 ** (exponent_width - 1) - 1, 2**exponent_width - 1
    most = per_group(x, along(x.shape, block_dim, block_size), lambda a, _: a.max())
    limit = 2 ** (scale_exp_bits - 1) - 1
    s = np.clip(exact_floor_log2(np.maximum(most, f32(2.0**-126))) - (top - bias), -limit, limit)
    v = np.abs(x).astype(np.float64) / power(s)
    e = np.clip(exact_floor_log2(np.where(v > 0, v, 1e-300)), 1 - bias, top - bias)
    highest = (2 - 2.0**-frac_width) * 2.0 ** (top - bias)
    q = np.minimum(np.rint(v / power(e - frac_width)) * power(e - frac_width), highest)
    return np.copysign(q * power(s), x)


def granular(shape, granularity, axis=0):
    if granularity == "row":
        return along(shape, -1, 10**9)
    box = list(shape)
    if granularity == "channel" and shape:
        box[axis] = 1
    return box


def scale_integer(x, width, is_signed=True, granularity="row", axis=0):
    top = f32(2.0 ** (width - 1 if is_signed else width))
    most = per_group(x, granular(x.shape, granularity, axis), lambda a, _: a.max())
    s = (top / (most + EPSILON)).astype(f32)
    low, high = (-top, top - 1) if is_signed else (f32(0), top - 1)
    scaled = np.rint((x * s).astype(f32))
    return (np.where(scaled < low, low, np.minimum(scaled, high)) / s).astype(f32)


def lsq_integer(x, width, step=None, is_signed=True, granularity="tensor", axis=0):
    low, high = (-(2.0 ** (width - 1)), 2.0 ** (width - 1) - 1) if is_signed else (0, 2.0**width - 1)

    def initial(_, values):
        finite = values[np.isfinite(values)]
        mean = np.cumsum(np.abs(finite.astype(np.float64)))[-1] / finite.size if finite.size else 0
        return f32(2 * mean / np.sqrt(high)) if mean > 0 else f32(1)

    s = f32(step) if step else per_group(x, granular(x.shape, granularity, axis), initial)
    s = np.minimum(np.maximum(s, EPSILON), MOST / f32(max(-low, high))).astype(f32)
    at = np.floor((x / s).astype(f32) + f32(0.5))
    return (np.where(at < low, f32(low), np.minimum(at, f32(high))) * s).astype(f32)


def affine(x, width, scale=None, zero_point=0, is_signed=True, narrow=False, granularity="tensor",
           axis=0):
    low, high = (-(2.0 ** (width - 1)), 2.0 ** (width - 1) - 1) if is_signed else (0, 2.0**width - 1)
    if narrow:
        low, high = (low + 1, high) if is_signed else (low, high - 1)
    low, high = low - zero_point, high - zero_point
    most = max(1.0, -low, high)

    def initial(_, values):
        finite = values[np.isfinite(values)]
        mean = np.cumsum(np.abs(finite.astype(np.float64)))[-1] / finite.size if finite.size else 0
        return f32(2 * mean / np.sqrt(most)) if mean > 0 else f32(1)

    s = f32(scale) if scale else per_group(x, granular(x.shape, granularity, axis), initial)
    s = np.minimum(np.maximum(s, np.finfo(f32).tiny), MOST / f32(most)).astype(f32)
    at = np.rint((x / s).astype(f32))
    at = np.where(at < low, f32(low), np.where(at > high, f32(high), at))
    return (at * s).astype(f32)


def mean_of(values):
    """As PyTorch adds a row: its own sum where it has at least eight lanes to fill."""
    finite = np.abs(values[np.isfinite(values)])
    if not finite.size:
        return f32(0)
    row = np.where(np.isfinite(values), np.abs(values), 0).astype(f32)
    total = torch.from_numpy(row)[None].sum(1).numpy()[0]
    return min(f32(total / f32(finite.size)), MOST)


def leading(shape):
    return [1, *shape[1:]] if len(shape) > 1 else list(shape)


def keep_nan(x, q):
    return np.where(np.isnan(x), x, q)


def binary(x, bipolar=True, scaled=None):
    scaled = not bipolar if scaled is None else scaled
    s = per_group(x, leading(x.shape), lambda _, v: mean_of(v)) if scaled else f32(1)
    return keep_nan(x, np.where(x >= 0, s, -s) if bipolar else np.where(x > 0, s, f32(0)))


def binary_residual(x, levels=2, means=None):
    means = means or [2.0 * n / (levels * (levels + 1)) for n in range(levels, 0, -1)]
    rest, total = x.copy(), np.zeros_like(x)
    for mean in means:
        b = np.where(rest >= 0, f32(abs(mean)), -f32(abs(mean)))
        total, rest = total + b, rest - b
    return keep_nan(x, total)


def ternary(x, scaling_factor=False, mean=None, median=None, max=None):
    def threshold(values):
        if mean is not None:
            return f32(0.75) * f32(mean)
        if median is not None:
            return f32(median)
        return f32(0.05 * max) if max is not None else f32(0.75) * mean_of(values)

    def factor(_, values):
        big = np.isfinite(values) & (np.abs(values) > threshold(values))
        if not big.any():
            return f32(0)
        row = np.where(big, np.abs(values), 0).astype(f32)
        return min(f32(torch.from_numpy(row)[None].sum(1).numpy()[0] / f32(big.sum())), MOST)

    delta = per_group(x, leading(x.shape), lambda _, v: threshold(v))
    alpha = per_group(x, leading(x.shape), factor) if scaling_factor else f32(1)
    return keep_nan(x, np.where(x > delta, alpha, np.where(x < -delta, -alpha, f32(0))))


FORMATS = {
    "integer": fixed,
    "integer_floor": lambda x, **c: fixed(x, **c, rounding=np.floor),
    "scale_integer": scale_integer,
    "lsq_integer": lsq_integer,
    "affine": affine,
    "minifloat_denorm": minifloat_denorm,
    "minifloat_ieee": minifloat_ieee,
    "log": log,
    "block_fp": block_fp,
    "block_minifloat": block_minifloat,
    "block_log": block_log,
    "mxint": mxint,
    "mxfp": mxfp,
    "binary": binary,
    "binary_residual": binary_residual,
    "ternary": ternary,
}
PASS_THROUGH = {"minifloat_denorm", "minifloat_ieee", "block_fp", "block_minifloat"}


def maybe(rng, config, key, value):
    if rng.random() < 0.5:
        config[key] = value


def random_config(rng, name, shape):
    n = lambda a, b: int(rng.integers(a, b + 1))  # noqa: E731
    rank = len(shape)
    config = {}
    if name in ("integer", "integer_floor"):
        config["width"] = n(1, 32) if rng.random() < 0.2 else n(2, 12)
        maybe(rng, config, "frac_width", n(-4, 14))
        maybe(rng, config, "is_signed", False)
    elif name in ("scale_integer", "lsq_integer", "affine"):
        config["width"] = n(2, 12)
        maybe(rng, config, "granularity", ["row", "channel", "tensor"][n(0, 2)])
        maybe(rng, config, "axis", n(-rank, rank - 1) if rank else 0)
        maybe(rng, config, "is_signed", False)
        if name == "lsq_integer":
            maybe(rng, config, "step", float(10.0 ** rng.uniform(-3, 1)))
        if name == "affine":
            maybe(rng, config, "scale", float(10.0 ** rng.uniform(-3, 1)))
            maybe(rng, config, "narrow", True)
            half = 2 ** (config["width"] - 1)
            maybe(rng, config, "zero_point",
                  n(-half, half - 1) if config.get("is_signed", True) else n(0, 2 * half - 1))
    elif name.startswith("minifloat"):
        config["exponent_width"] = n(1, 8)
        config["width"] = config["exponent_width"] + n(2, 23 if rng.random() < 0.2 else 6)
        maybe(rng, config, "exponent_bias", n(-126, 149) if rng.random() < 0.3 else n(-4, 20))
    elif name == "log":
        config["width"] = n(2, 9)
        maybe(rng, config, "exponent_bias", n(-126, 149) if rng.random() < 0.3 else n(-4, 20))
    elif name.startswith("block"):
        config["block_size"] = [[-1, 1, 2, 3, 4, 8, 16][n(0, 6)] for _ in range(n(1, 3))]
        maybe(rng, config, "skip_first_dim", True)
        config["width"] = n(2, 9)
        if name != "block_fp":
            config["exponent_bias_width"] = n(1, 8)
        if name == "block_fp":
            maybe(rng, config, "exponent_width", n(1, 8))
            maybe(rng, config, "exponent_bias", n(-4, 127))
        if name == "block_minifloat":
            config["exponent_width"] = n(1, 6)
            config["width"] = config["exponent_width"] + n(2, 6)
            maybe(rng, config, "bias_rule", "top")
    elif name.startswith("mx"):
        maybe(rng, config, "block_size", n(1, 20))
        maybe(rng, config, "block_dim", n(-rank, rank - 1) if rank else -1)
        if name == "mxint":
            config["width"] = n(2, 24)
            maybe(rng, config, "scale_bits", n(2, 8))
        else:
            config.update(exponent_width=n(1, 5), frac_width=n(0, 10))
            maybe(rng, config, "scale_exp_bits", n(2, 8))
    elif name == "binary":
        maybe(rng, config, "bipolar", False)
        maybe(rng, config, "scaled", bool(n(0, 1)))
    elif name == "binary_residual":
        config["levels"] = n(1, 3)
        maybe(rng, config, "means", [float(v) for v in rng.uniform(0.1, 1, config["levels"])])
    elif name == "ternary":
        maybe(rng, config, "scaling_factor", True)
        maybe(rng, config, ["mean", "median", "max"][n(0, 2)], float(rng.uniform(0, 2)))
    return config


def random_values(rng, shape):
    x = rng.standard_normal(shape) * 10.0 ** rng.uniform(-3, 3)
    style = rng.random()
    if style < 0.3:
        x = np.rint(x * 64) / 64  # many ties
    elif style < 0.5:
        x = x * 10.0 ** rng.uniform(-12, 12, shape)
    x = np.asarray(x, f32)
    nasty = np.array([0, -0.0, 1e-9, -1e-8, 1.1e-8, 1e-40, -1e-45, 3e38, -3.4e38, np.inf, -np.inf,
                      np.nan, 1, -2, 0.5, 127.99999, 128.00002], f32)
    if rng.random() < 0.5 and x.size:
        x = np.where(rng.random(shape) < 0.15, nasty[rng.integers(0, len(nasty), shape)], x)
    if rng.random() < 0.1:
        x = np.zeros_like(x)
    return np.asarray(x, f32).reshape(shape)


def bits(a):
    return np.where(np.isnan(a), np.uint32(0x7FC00000), np.asarray(a, f32).view(np.uint32))


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rng = np.random.default_rng(SEED)
        cls.cases, values, offset = [], [], 0
        for name in FORMATS:
            for _ in range(120):
                shape = [int(v) for v in rng.integers(1, 9, rng.integers(0, 6))]
                if rng.random() < 0.2:
                    shape = [int(rng.integers(0, 200))]
                elif rng.random() < 0.1:  # around the widths of vectors, and none
                    shape = [int(v) for v in rng.choice([0, 1, 3, 7, 9, 15, 17, 31, 33, 63, 65], 2)]
                x = random_values(rng, shape)
                cls.cases.append({"format": name, "config": random_config(rng, name, shape),
                                  "shape": shape, "offset": offset, "x": x})
                values.append(x.ravel())
                offset += x.size
        with tempfile.TemporaryDirectory() as folder:
            path = lambda file: os.path.join(folder, file)  # noqa: E731
            with open(path("cases"), "w", encoding="utf-8") as file:
                for case in cls.cases:
                    file.write(json.dumps({k: v for k, v in case.items() if k != "x"}) + "\n")
            np.concatenate(values).tofile(path("values"))
            program = os.path.join(os.environ["CH_BUILD"], "tests", "oracle_formats_dump")
            subprocess.run([program, path("cases"), path("values"), path("out")], check=True)
            out = np.fromfile(path("out"), f32)
        for case in cls.cases:
            at, n = 3 * case["offset"], case["x"].size
            case["fast"], case["plain"], case["decoded"] = (
                out[at + i * n:at + (i + 1) * n].reshape(case["shape"]) for i in range(3))

    def test_every_format_has_the_bits_of_its_formula(self):
        for case in self.cases:
            with np.errstate(all="ignore"):
                want = np.asarray(FORMATS[case["format"]](case["x"], **case["config"]), np.float64)
                want = keep_nan(case["x"], want.astype(f32))
            for kind in ("plain", "fast"):
                wrong = bits(case[kind]) != bits(want)
                if wrong.any():
                    self.fail(f"CH_SEED={SEED} {kind} {case['format']} {case['config']} {case['shape']}: "
                              f"{case['x'][wrong][:4]} became {case[kind][wrong][:4]}, "
                              f"not {want[wrong][:4]}")

    def test_codes_decode_to_the_quantised_values(self):
        for case in self.cases:
            if np.isnan(case["x"]).any():
                continue  # NaN has no code
            passed = np.abs(case["x"]) <= f32(1e-8) if case["format"] in PASS_THROUGH else False
            same = (case["fast"] == case["decoded"]) | (passed & (case["decoded"] == 0))
            self.assertTrue(same.all(), f"{case['format']} {case['config']} {case['shape']}")


class Logarithms(unittest.TestCase):
    """log2 rounded once to float32 is what PyTorch gives wherever ceil, floor or rint decide."""

    def test_pytorch_decides_as_a_logarithm_rounded_once(self):
        around = np.arange(-300, 300)
        for k in range(-126, 128):
            for centre in (2.0**k, np.sqrt(2) * 2.0**k):
                middle = int(np.array([centre], f32).view(np.uint32)[0])
                x = (middle + around).astype(np.uint32).view(f32)
                theirs = torch.log2(torch.from_numpy(x)).numpy()
                for rounding in (np.ceil, np.floor, np.rint):
                    np.testing.assert_array_equal(rounding(theirs), rounding(log2(x)))


if __name__ == "__main__":
    unittest.main()
