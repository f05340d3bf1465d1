"""torch_quantisers.py megabytes=100: number formats as PyTorch computes them, eagerly or compiled, on one
thread; numpy does the plainest of them too. Answers with the seconds of each."""
import time

from serve import about, arguments, need, need_torch, serve

numpy = need("numpy", "python3-numpy")
torch = need_torch()

args = arguments(megabytes=100)
torch.set_num_threads(1)
x = torch.rand(args["megabytes"] * 250_000) * 4 - 2


def integer(rounding):
    return torch.clamp(rounding(x * 16), -128, 127) / 16


def minifloat_denorm(e=4, m=3, bias=7):
    a = x.abs()
    exponent = torch.clamp(torch.ceil(torch.log2(a + 1e-9)), -bias, 2**e - 1 - bias)
    mantissa = torch.clamp(torch.round(a / 2**exponent * 2**m), 0, 2**m - 1) / 2**m
    return torch.where(a <= 1e-8, x, torch.sign(x + 1e-9) * 2**exponent * mantissa)


def minifloat_ieee(e=4, m=3, bias=7):
    a = x.abs()
    exponent = torch.clamp(torch.floor(torch.log2(a + 1e-9)), -bias, 2**e - 1 - bias)
    r = a / 2**exponent
    normal = 1 + torch.clamp(torch.round((r - 1) * 2**m), 0, 2**m - 1) / 2**m
    subnormal = 2 * torch.clamp(torch.round(r * 2**m / 2), 0, 2**m - 1) / 2**m
    mantissa = torch.where(exponent == -bias, subnormal, normal)
    return torch.where(a <= 1e-8, x, torch.sign(x + 1e-9) * 2**exponent * mantissa)


def log(bias=63, k=7):
    tenth = 0.1 * 2.0**-bias
    exponent = torch.clamp(torch.round(torch.log2(x.abs() + tenth)), -bias, 2**k - 1 - bias)
    return torch.sign(x + tenth) * 2**exponent


def residual():
    b = torch.where(x >= 0, 2 / 3, -2 / 3)
    return b + torch.where(x - b >= 0, 1 / 3, -1 / 3)


def scaled():
    s = 128 / (x.abs().max() + 1e-9)
    return torch.clamp(torch.round(x * s), -128, 127) / s


FORMATS = {
    "integer": lambda: integer(torch.round),
    "integer_floor": lambda: integer(torch.floor),
    "lsq_integer": lambda: torch.clamp(torch.floor(x / 0.1 + 0.5), -8, 7) * 0.1,
    "minifloat_denorm": minifloat_denorm,
    "minifloat_ieee": minifloat_ieee,
    "log": log,
    "binary": lambda: torch.where(x >= 0, 1.0, -1.0),
    "binary_residual": residual,
    "ternary": lambda: torch.where(x > 0.6, 1.0, torch.where(x < -0.6, -1.0, 0.0)),
    "scale_integer": scaled,
}


def numpy_integer():
    return numpy.clip(numpy.rint(x.numpy() * 16), -128, 127) / 16


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def faster(run):
    """The eager way or the compiled one, which may fail here."""
    if not hasattr(torch, "compile"):
        return run
    compiled = torch.compile(run)
    try:
        compiled()
        return min((run, compiled), key=lambda way: min(seconds(way) for _ in range(3)))
    except Exception:
        return run


chosen = {name: faster(run) for name, run in FORMATS.items()}


def measure():
    taken = {f"torch.{name}": seconds(run) for name, run in chosen.items()}
    return {**taken, "numpy.integer": seconds(numpy_integer)}


serve(measure, threads=1, **about(torch, numpy))
