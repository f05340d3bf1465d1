"""What the peers in Python share: arguments as KEY=VALUE, "ready" with facts, then one
measurement for every line read. A peer that is not installed says so and ends."""
import importlib
import json
import sys
import time

SECONDS = 0.2
WARM = 0.05


def need(name, package):
    """The module, or the end of this process with a line the driver understands."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"missing Debian's {package} is not installed", flush=True)
        sys.exit(0)


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


def best_threads(torch, call):
    """Sets one thread or two, whichever is faster for this work."""
    taken = {}
    for threads in (1, 2):
        torch.set_num_threads(threads)
        seconds_per_call(call)
        taken[threads] = seconds_per_call(call)
    best = min(taken, key=taken.get)
    torch.set_num_threads(best)
    return best


def serve(measure, **facts):
    print("ready", json.dumps(facts), flush=True)
    for _ in sys.stdin:
        print(json.dumps(measure()), flush=True)
