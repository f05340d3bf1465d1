"""Sobol's points as SciPy has them, pruners and importances as Optuna does."""
import json
import os
import pathlib
import subprocess
import unittest

import numpy
import optuna
from scipy.stats import qmc

PROGRAM = pathlib.Path(os.environ["CH_BUILD"]) / "tests" / "oracle_search_dump"
optuna.logging.set_verbosity(optuna.logging.ERROR)


def ours(what, task):
    done = subprocess.run([PROGRAM, what], input=json.dumps(task), capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Sobol(unittest.TestCase):
    def test_first_points(self):
        points = ours("sobol", {"points": 128, "dimensions": 256})
        theirs = qmc.Sobol(256, scramble=False).random(128)
        numpy.testing.assert_array_equal(points, theirs)


def draw_curves(random, holes):
    """Curves that fall or rise, cross, tie and here and there are NaN; steps may be left out."""
    curves = []
    for _ in range(30):
        steps = numpy.arange(random.randint(0, 40)) + 1
        if holes:
            steps = steps[random.rand(len(steps)) < 0.6]
        level, slope = random.randint(0, 5), random.uniform(-0.2, 0.1)
        values = level + slope * steps + numpy.round(random.randn(len(steps)), 1)
        values[random.rand(len(steps)) < 0.03] = numpy.nan
        curves.append([[int(step), None if numpy.isnan(value) else float(value)]
                       for step, value in zip(steps, values)])
    return curves


def optuna_lengths(pruner, direction, curves):
    study = optuna.create_study(pruner=pruner, direction=direction)
    lengths = []
    for curve in curves:
        trial = study.ask()
        length, ended = 0, False
        for step, value in curve:
            trial.report(float("nan") if value is None else value, step)
            length += 1
            ended = trial.should_prune()
            if ended:
                break
        state = optuna.trial.TrialState.PRUNED if ended else optuna.trial.TrialState.COMPLETE
        study.tell(trial, None if ended else 0.0, state)
        lengths.append(length)
    return lengths


class Pruners(unittest.TestCase):
    def compare(self, name, make, cases, holes):
        for seed, options in enumerate(cases):
            curves = draw_curves(numpy.random.RandomState(seed), holes)
            for direction in ("minimize", "maximize"):
                task = {"pruner": name, "direction": direction, "options": options,
                        "curves": curves}
                theirs = optuna_lengths(make(**options), direction, curves)
                self.assertEqual(ours("prune", task), theirs, (seed, direction, options))
                self.assertLess(sum(theirs), sum(map(len, curves)), "nothing was pruned")

    def test_median(self):
        cases = [{}, {"n_startup_trials": 0}, {"n_startup_trials": 2, "n_warmup_steps": 7},
                 {"interval_steps": 5}, {"n_warmup_steps": 3, "interval_steps": 4},
                 {"n_min_trials": 6}]
        for holes in (False, True):
            self.compare("median", optuna.pruners.MedianPruner, cases, holes)

    def test_successive_halving(self):
        cases = [{"min_resource": 1}, {"min_resource": 2, "reduction_factor": 2},
                 {"min_resource": 1, "reduction_factor": 3, "min_early_stopping_rate": 1},
                 {"min_resource": 1, "bootstrap_count": 4}]
        for holes in (False, True):
            self.compare("successive_halving", optuna.pruners.SuccessiveHalvingPruner, cases, holes)


def importances(distributions, objective, trials=200):
    """Optuna's own and ours, of one random study."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=3))
    names = [f"p{i}" for i in range(len(distributions))]
    for _ in range(trials):
        trial = study.ask(dict(zip(names, distributions)))
        study.tell(trial, objective([trial.params[name] for name in names]))
    evaluator = optuna.importance.FanovaImportanceEvaluator(seed=0)
    theirs = optuna.importance.get_param_importances(study, evaluator=evaluator)
    to_json = optuna.distributions.distribution_to_json
    task = {"space": [to_json(distribution) for distribution in distributions],
            "points": [[distribution.to_internal_repr(trial.params[name])
                        for name, distribution in zip(names, distributions)]
                       for trial in study.trials],
            "values": [trial.value for trial in study.trials]}
    return ours("importance", task), [theirs[name] for name in names]


class Importance(unittest.TestCase):
    def compare(self, distributions, objective):
        mine, theirs = importances(distributions, objective)
        self.assertAlmostEqual(sum(mine), 1)
        numpy.testing.assert_allclose(mine, theirs, atol=0.05)
        large = [i for i, value in enumerate(theirs) if value > 0.1]
        self.assertEqual(sorted(large, key=lambda i: -mine[i]),
                         sorted(large, key=lambda i: -theirs[i]))

    def test_numbers(self):
        space = [optuna.distributions.FloatDistribution(-1, 1) for _ in range(3)]
        space += [optuna.distributions.IntDistribution(0, 9),
                  optuna.distributions.FloatDistribution(1e-4, 1, log=True)]
        self.compare(space, lambda x: 3 * x[0]**2 + x[1] + 0.1 * x[2] + 0.2 * x[3] + x[4])

    def test_choices(self):
        widths = optuna.distributions.CategoricalDistribution([2, 4, 8])
        self.compare([widths] * 4, lambda x: 4 / x[0] + 2 / x[1] + 1 / x[2] + 0.5 * x[0] * x[3] / 64)

    def test_half_of_four_choices(self):
        """Optuna integrates over the cube of one-hot columns, most corners of which are no choice,
        and so finds less in choices that must be split twice. The shares are known here."""
        space = [optuna.distributions.CategoricalDistribution(["a", "b"]),
                 optuna.distributions.FloatDistribution(0, 1),
                 optuna.distributions.CategoricalDistribution(["x", "y", "z", "w"])]
        mine, theirs = importances(
            space, lambda x: 0.4 * (x[0] == "a") + x[1] + 0.5 * (x[2] in "yz"))
        variances = numpy.array([0.4**2 / 4, 1 / 12, 0.5**2 / 4])
        right = variances / variances.sum()
        numpy.testing.assert_allclose(mine, right, atol=0.03)
        self.assertLess(theirs[2], right[2] - 0.05)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
