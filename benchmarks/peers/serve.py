"""What the peers in Python share: arguments as KEY=VALUE, "ready" with facts, then one
measurement for every line read. A peer that is not installed says so and ends."""
import contextlib
import importlib
import json
import re
import signal
import sys
import time

import blas

SECONDS = 0.2
WARM = 0.05
PREPARATION = 150  # seconds in which a way must be ready: compilers may take long, and workers are waited for


def need(name, package):
    """The module, or the end of this process with a line the driver understands."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"missing Debian's {package} is not installed", flush=True)
        sys.exit(0)


def need_torch():
    """PyTorch, taking denormal numbers for zeros as we do."""
    torch = need("torch", "python3-torch")
    torch.set_flush_denormal(True)
    return torch


def arguments(**defaults):
    """The KEY=VALUE words of the command line, as the types of the defaults."""
    given = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    return {key: type(value)(given.get(key, value)) for key, value in defaults.items()}


def seconds_per_call(call):
    """Over about a fifth of a second, and warm: others have worked meanwhile."""
    start = time.perf_counter()
    while time.perf_counter() - start < WARM:
        call()
    calls, start, passed = 0, time.perf_counter(), 0.0
    while passed < SECONDS:
        call()
        calls += 1
        passed = time.perf_counter() - start
    return passed / calls


@contextlib.contextmanager
def at_most(seconds):
    """Raises TimeoutError inside when it takes longer; 0: no limit."""
    def give_up(*_):
        raise TimeoutError(f"not ready after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def best_of(ways, rounds=3):
    """The name of the fastest of {name: call}, and the seconds of each, its best of some rounds. A way that
    fails here, such as a compiler that is not installed, is left out; the reason stands in place of its seconds."""
    taken = {}
    for number in range(1 + rounds):  # the first gets it ready
        for name, call in ways.items():
            if isinstance(taken.get(name), str):
                continue
            try:
                with at_most(PREPARATION if number == 0 else 0):
                    seconds = seconds_per_call(call)
                taken[name] = seconds if number < 2 else min(seconds, taken[name])
            except Exception as reason:  # whatever a library throws: another way is left
                said = str(reason).strip().splitlines() or [""]
                taken[name] = f"{type(reason).__name__}: {said[0][:120]}"
    timed = {name: seconds for name, seconds in taken.items() if isinstance(seconds, float)}
    if not timed:
        raise RuntimeError(f"no way works: {taken}")
    return min(timed, key=timed.get), taken


def best_threads(torch, call, most=2):
    """Sets the threads of PyTorch and of its BLAS, whichever pair is fastest for this work."""
    taken = {}
    for threads in range(1, most + 1):
        for products in range(1, most + 1):
            torch.set_num_threads(threads)
            blas.set_threads(products)
            seconds_per_call(call)
            taken[threads, products] = seconds_per_call(call)
    threads, products = min(taken, key=taken.get)
    torch.set_num_threads(threads)
    blas.set_threads(products)
    return {"threads": threads, "blas_threads": products}


def about(torch, *others):
    """Who is measured: versions, BLAS, oneDNN, the level of its own kernels."""
    said = torch.__config__.show()
    level = re.search(r"CPU capability usage: (\S+)", said)
    onednn = re.search(r"MKL-DNN v(\S+)", said)
    names = [f"{other.__name__} {other.__version__}" for other in others]
    return {"version": " with ".join([f"PyTorch {torch.__version__}", *names]), "blas": blas.name(),
            "onednn": onednn.group(1) if onednn else "", "level": level.group(1) if level else "unknown"}


def serve(measure, **facts):
    print("ready", json.dumps(facts), flush=True)
    for _ in sys.stdin:
        print(json.dumps(measure()), flush=True)
