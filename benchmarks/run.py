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
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from harness import levels, page, picture, rounds, show  # noqa: E402
from harness.rows import Row, Rows  # noqa: E402
from harness.setup import HELD, ROOT, Setup  # noqa: E402
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
    parser.add_argument("--quick", action="store_true", help="at most three rounds, the largest left out")
    parser.add_argument("--simd", choices=("", *HELD), default="", metavar="LEVEL",
                        help="hold everybody who can be held to avx2")
    parser.add_argument("--json", metavar="FILE", default=ROOT / "build/bench.json")
    parser.add_argument("--svg", metavar="FILE", default=ROOT / "build/bench.svg")
    parser.add_argument("--from", metavar="FILE", dest="source", help="show an earlier run again")
    parser.add_argument("--beside", metavar="FILE",
                        help="with --from: another run, side by side in one table and one picture")
    parser.add_argument("--page", action="store_true",
                        help="with --beside: writes both runs into docs/speed.md, README.md and their picture")
    parser.add_argument("--root", default=ROOT, type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--folder", default=HERE / "works", help=argparse.SUPPRESS)
    parser.add_argument("--build", default=ROOT / "build/release", help=argparse.SUPPRESS)
    return parser, parser.parse_args(arguments)


def say(words):
    """Progress, on one line that is overwritten, where somebody may look."""
    if sys.stderr.isatty():
        print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


def machine():
    model, flags = platform.machine(), levels.processor_flags()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                model = value.strip()
    return {"processor": model, "features": [name for flag, name in levels.FEATURES.items() if flag in flags],
            "cores": os.cpu_count(), "system": system(), "load": os.getloadavg()[0],
            "date": datetime.date.today().isoformat()}


def ours(setup):
    """What our program says of itself; nothing where it cannot be run."""
    try:
        done = subprocess.run([setup.build / "ch", "version", "--json", "-"], capture_output=True, text=True,
                              check=True, env={**os.environ, **setup.environment})
    except (OSError, subprocess.CalledProcessError):
        return ""
    told = json.loads(done.stdout)
    level = levels.NAMES.get({"baseline": ""}.get(told["simd"], told["simd"]), told["simd"])
    return (f"ch {told['version']} ({told['commit']}, {told['compiler']}), oneDNN {told['onednn']}, "
            f"{level} kernels")


def forget_variables():
    """Removes what would change how fast somebody is; returns what there was."""
    found = {name: value for name, value in os.environ.items() if name.startswith(levels.VARIABLES)}
    for name in found:
        del os.environ[name]
    return found


def system():
    """Debian 12, or what the system calls itself."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return platform.platform()
    return f"{release.get('NAME', '').replace(' GNU/Linux', '')} {release.get('VERSION_ID', '')}".strip()


def heading(done):
    """What the figures below were made on, and by whom."""
    machine = done["machine"]
    lines, ways = show.peers(done["works"])
    lines[:0] = [done["ours"]] if done.get("ours") else []
    if done.get("unset"):
        found = ", ".join(f"{name}={value}" for name, value in done["unset"].items())
        lines.append(f"variables that would have changed somebody's speed, unset: {found}")
    if done.get("simd"):
        lines.append(f"held to {done['simd']}: {', '.join(held(done))}")
        free = not_held(done)
        if free:
            lines.append(f"not held to it, having no switch for it: {', '.join(free)}")
    first = (f"{machine['date']}, {machine['processor']} ({', '.join(machine['features'])}), "
             f"{machine['cores']} cores, {machine['system']}, {done['rounds']} rounds at most, "
             f"load {machine['load']:.1f} at the start")
    return "\n".join([first, *lines]), ways


def names_of(done, free):
    found = {"ours": None} if not free else {}
    for raw in done["works"].values():
        for facts in raw["facts"].values():
            if "version" in facts and bool(facts.get("not_held")) == free:
                found[facts["version"]] = None
    return list(found)


def held(done):
    return names_of(done, False)


def not_held(done):
    return names_of(done, True)


def measure(work, module, setup, count):
    """Rows, and all that they were made from."""
    count = min(count, getattr(module, "ROUNDS", count))
    try:
        workers = module.workers(setup)
    except Failed as reason:
        results = rounds.Results(work, failed={"preparation": str(reason)})
    else:
        results = rounds.measure(work, workers, count, say)
    for facts in results.facts.values():
        levels.assess(facts, setup.simd)
    rows = Rows(results, setup.simd or levels.machine_level())
    module.rows(rows)
    return rows.rows, results


def run(args, works):
    run_rows, raw, failures, here, unset = [], {}, [], machine(), forget_variables()
    count = min(args.rounds, 3) if args.quick else args.rounds
    with tempfile.TemporaryDirectory(prefix="ch-bench-") as scratch:
        setup = Setup(args.build, scratch, args.quick, args.simd)
        about = ours(setup)
        for number, (work, module) in enumerate(works.items(), 1):
            if not sys.stderr.isatty():
                print(f"{number} of {len(works)}: {work}", file=sys.stderr, flush=True)
            rows, results = measure(work, module, setup, count)
            run_rows += rows
            raw[work] = {"values": results.values, "facts": results.facts,
                         "missing": results.missing, "failed": results.failed}
            failures += [f"{work}: {who} {why}" for who, why in results.failed.items()]
    say("")
    return {"machine": here, "ours": about, "unset": unset, "simd": args.simd, "rounds": count, "failures": failures,
            "rows": [row.as_json() for row in run_rows], "works": raw}


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def rows_of(done):
    return [Row.from_json(row) for row in done["rows"]]


def level(done):
    """The widest vectors that a run could use."""
    if done.get("simd"):
        return levels.NAMES[done["simd"]]
    return "AVX-512" if "AVX-512" in done["machine"]["features"] else (done["machine"]["features"] or [""])[0]


def names_of_runs(one, other):
    """By level; by processor where the runs are of different ones."""
    names = [level(one), level(other)]
    machines = [done["machine"]["processor"] for done in (one, other)]
    if machines[0] == machines[1]:
        return names
    return [f"{machine}, {name}" for machine, name in zip(machines, names)]


def show_both(one, other, args):
    """Two runs: a heading of each, one table, one picture; or all of that in the pages."""
    runs, names = [rows_of(one), rows_of(other)], names_of_runs(one, other)
    heads = [heading(done)[0] for done in (one, other)]
    if args.page:
        abouts = [page.about(name, done, head.splitlines()[1:])
                  for name, done, head in zip(names, (one, other), heads)]
        for path in page.write(args.root, runs, names, abouts):
            print(f"wrote {path}")
        return
    for name, head in zip(names, heads):
        print(f"{name}: {head}\n")
    print(show.side_by_side(runs, names))
    write(args.svg, picture.svg(runs, names))


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
    if args.beside and not args.source:
        parser.error("--beside FILE needs --from FILE")
    if args.page and not args.beside:
        parser.error("--page needs --from FILE and --beside FILE")
    if args.source:
        done = read(args.source)
    else:
        done = run(args, {name: works[name] for name in works if name in (args.works or works)})
        write(args.json, json.dumps(done, indent=1) + "\n")
    if args.beside:
        show_both(done, read(args.beside), args)
        return 0
    rows = rows_of(done)
    head, ways = heading(done)
    print(f"{head}\n\n{show.report(rows)}")
    if ways:
        print("\nThe fastest way of each peer counts:\n" + "\n".join(f"  {way}" for way in ways))
    write(args.svg, picture.svg([rows]))
    for failure in done["failures"]:
        print(f"error: {failure}", file=sys.stderr)
    return 1 if done["failures"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
