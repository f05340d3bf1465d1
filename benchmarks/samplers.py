#!/usr/bin/python3
"""benchmarks/samplers.py: our samplers against Optuna's on published test functions.

  benchmarks/samplers.py [--seeds 30] [--trials 100] [--json FILE] [--reuse FILE] [--jobs N]

TPE on ten functions of one objective, NSGA-II on bi-objective ones: the same bounds, numbers of
trials and population for both, seeds 0, 1, ... Prints the tables as Markdown and writes all single
results to --json. Bold: Optuna's median is better; ≈: Mann and Whitney's test finds no difference
between the seeds at the 5 % level. --reuse takes Optuna's results from such a file instead of
running it again. --design compares on the functions the settings were chosen on. Before all this
the C++ and Python functions must agree at random points.
"""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import sys

import numpy as np
from scipy.stats import mannwhitneyu

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "benchmarks" / "samplers"))
import functions  # noqa: E402

TABLES = {**functions.SINGLE, **functions.DESIGN, **functions.PAIRS, **functions.DESIGN_PAIRS}
POPULATION = 50


def program(build, *words, text=None):
    done = subprocess.run([pathlib.Path(build) / "benchmarks" / "bench_samplers", *map(str, words)],
                          input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench_samplers: {done.stderr}")
    return [line.split() for line in done.stdout.splitlines()]


def check_functions(build, names):
    """Both languages compute the same thing."""
    random = np.random.RandomState(0)
    for name in names:
        function, bounds = TABLES[name][:2]
        low, high = np.array(bounds, dtype=float).T
        points = low + random.rand(20, len(bounds)) * (high - low)
        text = "\n".join(" ".join(map(repr, map(float, point))) for point in points)
        ours = np.array(program(build, "values", name, text=text), dtype=float)
        theirs = np.array([np.atleast_1d(function(point)) for point in points])
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12, err_msg=name)


def our_results(build, name, sampler, seeds, trials, *options):
    rows = program(build, "run", name, sampler, 0, seeds, trials, *options)
    return [float(row[0]) for row in rows]


def area(pairs, reference):
    """The hypervolume of two objectives."""
    total, lowest = 0.0, reference[1]
    for first, second in sorted(pairs):
        if first < reference[0] and second < lowest:
            total += (reference[0] - first) * (lowest - second)
            lowest = second
    return total


def optuna_result(name, kind, seed, trials):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    function, bounds = TABLES[name][:2]
    samplers = optuna.samplers

    def objective(trial):
        x = np.array([trial.suggest_float(f"x{i}", low, high)
                      for i, (low, high) in enumerate(bounds)])
        value = function(x)
        return tuple(map(float, value)) if kind == "nsgaii" else float(value)

    if kind == "nsgaii":
        sampler = samplers.NSGAIISampler(population_size=POPULATION, seed=seed)
        study = optuna.create_study(directions=["minimize"] * 2, sampler=sampler)
        study.optimize(objective, n_trials=trials)
        return area([trial.values for trial in study.trials], TABLES[name][2])
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # multivariate is an experimental option
        sampler = samplers.TPESampler(seed=seed, multivariate=kind == "multivariate")
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=trials)
    return study.best_value


def optuna_results(pool, known, name, kind, seeds, trials):
    """Results by seed, from an earlier run as far as it goes."""
    old = known.get(name, {}).get(kind, [])
    if len(old) >= seeds:
        return old[:seeds]
    jobs = [pool.submit(optuna_result, name, kind, seed, trials) for seed in range(seeds)]
    return [job.result() for job in jobs]


def shown(value):
    return f"{value:.4g}"


def print_table(title, rows, ours, columns, better):
    names = {"default": "Optuna TPE", "multivariate": "Optuna TPE, multivariate",
             "nsgaii": "Optuna NSGA-II"}
    print(f"\n{title}\n\n| function | variables | ours | " +
          " | ".join(names[column] for column in columns) + " |")
    print("|---|--:|--:|" + "--:|" * len(columns))
    wins = dict.fromkeys(columns, 0)
    for name, results in rows.items():
        mine = statistics.median(results[ours])
        cells = []
        for column in columns:
            theirs = statistics.median(results[column])
            won = not better(theirs, mine)
            wins[column] += won
            alike = mannwhitneyu(results[ours], results[column]).pvalue >= 0.05
            cells.append((shown(theirs) if won else f"**{shown(theirs)}**") + (" ≈" if alike else ""))
        print(f"| {name} | {len(TABLES[name][1])} | {shown(mine)} | " + " | ".join(cells) + " |")
    print("| ours not worse on | | | " +
          " | ".join(f"{wins[column]} of {len(rows)}" for column in columns) + " |")
    return wins


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build" / "dev")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--trials", type=int, default=100, help="of TPE; NSGA-II has ten times as many")
    parser.add_argument("--json")
    parser.add_argument("--reuse")
    parser.add_argument("--design", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


def main():
    args = parse()
    single = functions.DESIGN if args.design else functions.SINGLE
    pairs = functions.DESIGN_PAIRS if args.design else functions.PAIRS
    check_functions(args.build, [*single, *pairs])
    earlier = json.loads(pathlib.Path(args.reuse).read_text()) if args.reuse else {}
    if earlier.get("trials", args.trials) != args.trials:
        sys.exit(f"{args.reuse} has {earlier['trials']} trials, not {args.trials}")
    known = earlier.get("results", {})
    results = {}
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        for name in single:
            results[name] = {"tpe": our_results(args.build, name, "tpe", args.seeds, args.trials)}
            for kind in ("default", "multivariate"):
                results[name][kind] = optuna_results(pool, known, name, kind, args.seeds, args.trials)
        for name in pairs:
            results[name] = {
                "ours": our_results(args.build, name, "nsgaii", args.seeds, 10 * args.trials,
                                    f"population_size={POPULATION}"),
                "nsgaii": optuna_results(pool, known, name, "nsgaii", args.seeds, 10 * args.trials)}
    wins = print_table(f"Median of the best value over {args.seeds} seeds, {args.trials} trials "
                       "(less is better)", {name: results[name] for name in single}, "tpe",
                       ["default", "multivariate"], lambda a, b: a < b)
    if pairs:
        wins |= print_table(f"Median of the hypervolume over {args.seeds} seeds, "
                            f"{10 * args.trials} trials (more is better)",
                            {name: results[name] for name in pairs}, "ours", ["nsgaii"],
                            lambda a, b: a > b)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(
            {"seeds": args.seeds, "trials": args.trials, "wins": wins, "results": results}))


if __name__ == "__main__":
    main()
