#!/usr/bin/python3
"""./bench [WORK...]: measures this project beside its peers and the machine's own limits, on the
same work, taking turns, in one run.

Prints medians with their spread, ratios, and whether each target was met; writes the same as JSON
and as a picture. Targets decide nothing: the exit code is 1 only when somebody failed to work.
"""
import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import platform
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from harness import picture, rounds, show  # noqa: E402
from harness.rows import Row, Rows  # noqa: E402
from harness.setup import ROOT, Setup  # noqa: E402
from harness.worker import Failed  # noqa: E402


def load_works(folder):
    """Every file is a work, named as the file, in the order the files ask for."""
    works = {}
    for path in sorted(pathlib.Path(folder).glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        works[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(works[path.stem])
    return dict(sorted(works.items(), key=lambda item: item[1].ORDER))


def parse(arguments):
    parser = argparse.ArgumentParser(prog="./bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*", metavar="WORK", help="only these (default: all)")
    parser.add_argument("--list", action="store_true", help="name the works and end")
    parser.add_argument("--rounds", type=int, default=9, help="how often each is measured (9)")
    parser.add_argument("--quick", action="store_true", help="three rounds, the largest left out")
    parser.add_argument("--json", metavar="FILE", default=ROOT / "build/bench.json")
    parser.add_argument("--svg", metavar="FILE", default=ROOT / "build/bench.svg")
    parser.add_argument("--from", metavar="FILE", dest="source", help="show an earlier run again")
    parser.add_argument("--folder", default=HERE / "works", help=argparse.SUPPRESS)
    parser.add_argument("--build", default=ROOT / "build/release", help=argparse.SUPPRESS)
    return parser, parser.parse_args(arguments)


def say(words):
    """Progress, on one line that is overwritten, where somebody may look."""
    if sys.stderr.isatty():
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


def machine():
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file
                      if line.startswith("model name")), "")
    return {"processor": model, "cores": os.cpu_count(), "system": platform.platform(),
            "load": os.getloadavg()[0], "date": datetime.date.today().isoformat()}


def heading(done):
    machine = done["machine"]
    date = f"{machine['date']}, " if "date" in machine else ""
    return (f"{date}{machine['processor']}, {machine['cores']} cores, {done['rounds']} rounds at most, "
            f"load {machine['load']:.1f} at the start")


def measure(work, module, setup, count):
    """Rows, and all that they were made from."""
    count = min(count, getattr(module, "ROUNDS", count))
    try:
        workers = module.workers(setup)
    except Failed as reason:
        results = rounds.Results(work, failed={"preparation": str(reason)})
    else:
        results = rounds.measure(work, workers, count, say)
    rows = Rows(results)
    module.rows(rows)
    return rows.rows, results


def run(args, works):
    run_rows, raw, failures, here = [], {}, [], machine()
    with tempfile.TemporaryDirectory(prefix="ch-bench-") as scratch:
        setup = Setup(args.build, scratch, args.quick)
        for number, (work, module) in enumerate(works.items(), 1):
            if not sys.stderr.isatty():
                print(f"{number} of {len(works)}: {work}", file=sys.stderr, flush=True)
            rows, results = measure(work, module, setup, 3 if args.quick else args.rounds)
            run_rows += rows
            raw[work] = {"values": results.values, "facts": results.facts,
                         "missing": results.missing, "failed": results.failed}
            failures += [f"{work}: {who} {why}" for who, why in results.failed.items()]
    say("")
    return {"machine": here, "rounds": 3 if args.quick else args.rounds, "failures": failures,
            "rows": [row.as_json() for row in run_rows], "works": raw}


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(arguments):
    parser, args = parse(arguments)
    works = load_works(args.folder)
    unknown = [name for name in args.works if name not in works]
    if unknown:
        parser.error(f"unknown work '{unknown[0]}'; there are {', '.join(works)}")
    if args.rounds < 1:
        parser.error("--rounds is at least 1")
    if args.list:
        for name, module in works.items():
            print(f"{name:22}{module.__doc__.splitlines()[0]}")
        return 0
    if args.source:
        done = json.loads(pathlib.Path(args.source).read_text(encoding="utf-8"))
    else:
        done = run(args, {name: works[name] for name in works if name in (args.works or works)})
        write(args.json, json.dumps(done, indent=1) + "\n")
    rows = [Row.from_json(row) for row in done["rows"]]
    print(f"{heading(done)}\n\n{show.report(rows)}")
    write(args.svg, picture.svg(rows))
    for failure in done["failures"]:
        print(f"error: {failure}", file=sys.stderr)
    return 1 if done["failures"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
