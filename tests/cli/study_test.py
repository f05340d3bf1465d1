"""ch study as a person uses it, on studies made by Optuna."""
import csv
import io
import json
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

import optuna

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from optuna_storage import for_optuna  # noqa: E402

CH = os.environ["CH_BIN"]
SLOWER = int(os.environ.get("CH_TIME_FACTOR", "1"))  # than in release
optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(directions):
    def evaluate(trial):
        x = trial.suggest_float("x", 0, 1)
        kind = trial.suggest_categorical("kind", ["a,b", 4, None])
        if trial.number % 2:
            trial.suggest_int("layer/depth", 1, 5)
        trial.set_user_attr("accuracy", x / 2)
        trial.set_user_attr("notes", [1, {"a": 2}])
        if trial.number == 3:
            raise ValueError
        return x if directions == 1 else (x, x * x - trial.number / 10)
    return evaluate


def make_study(url, name, directions=1, trials=8):
    study = optuna.create_study(study_name=name, storage=url, sampler=optuna.samplers.RandomSampler(seed=1),
                                directions=["minimize", "maximize"][:directions])
    study.optimize(objective(directions), n_trials=trials, catch=(ValueError,))
    return study


class Study(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.url = f"sqlite:///{self.folder}/study.db"

    def study(self, *words, code=0, url=None):
        run = subprocess.run([CH, "study", *words, "--storage", url or self.url], cwd=self.folder, text=True,
                             capture_output=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout if code == 0 else run.stderr

    def as_json(self, *words, url=None):
        return json.loads(self.study(*words, "--json", "-", "--quiet", url=url))

    def test_list_tells_of_every_study(self):
        make_study(self.url, "one")
        make_study(self.url, "two", directions=2, trials=3)
        rows = self.as_json("list")
        self.assertEqual([row["study"] for row in rows], ["one", "two"])
        self.assertEqual(rows[0]["trials"], 8)
        self.assertEqual(rows[0]["states"], "7 complete, 1 failed")
        self.assertEqual(rows[1]["directions"], "minimise, maximise")
        self.assertIn("7 complete, 1", self.study("list"))

    def test_show_has_the_best_trial_first(self):
        best = make_study(self.url, "one").best_trial
        text = self.study("show")
        self.assertIn("minimise value", text)
        self.assertIn(f"Best is trial {best.number} with value {best.value:.6g}", text)
        shown = self.as_json("show", "one", "--top", "2")
        self.assertEqual(shown["states"], {"COMPLETE": 7, "FAIL": 1})
        self.assertEqual(len(shown["best"]), 2)
        self.assertEqual(shown["best"][0]["params"], best.params)
        self.assertEqual(shown["best"][0]["values"], [best.value])

    def test_show_has_the_front_of_several_objectives(self):
        front = make_study(self.url, "two", directions=2, trials=20).best_trials
        self.assertIn(f"{len(front)} trials on the Pareto front", self.study("show", "two"))
        shown = self.as_json("show", "two", "--top", "100")
        self.assertEqual([one["number"] for one in shown["best"]], sorted(one.number for one in front))

    def test_csv_has_the_columns_of_a_data_frame(self):
        for directions in (1, 2):
            study = make_study(self.url, str(directions), directions)
            rows = list(csv.DictReader(io.StringIO(self.study("export", str(directions)))))
            values = ["value"] if directions == 1 else ["values_0", "values_1"]
            self.assertEqual(list(rows[0]), ["number", *values, "datetime_start", "datetime_complete",
                                             "duration", "params_kind", "params_layer/depth", "params_x",
                                             "user_attrs_accuracy", "user_attrs_notes", "state"])
            for row, trial in zip(rows, study.trials):
                self.assertEqual(row["state"], trial.state.name)
                self.assertEqual(float(row["params_x"]), trial.params["x"])
                self.assertEqual(row["params_kind"], str(trial.params["kind"] or ""))
                self.assertEqual(json.loads(row["user_attrs_notes"]), [1, {"a": 2}])
                self.assertEqual([float(row[name]) for name in values if row[name]], trial.values or [])
                self.assertEqual(row["duration"], f"0 days 0{trial.duration}")
                self.assertEqual(row["datetime_start"], str(trial.datetime_start))

    def test_json_has_everything_and_goes_to_a_file(self):
        study = make_study(self.url, "one")
        self.study("export", "one", "--format", "json", "--output", "out.json")
        exported = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(exported["directions"], ["minimise"])
        for ours, theirs in zip(exported["trials"], study.trials):
            self.assertEqual(ours["params"], theirs.params)
            self.assertEqual(ours["user_attrs"], theirs.user_attrs)

    def test_an_export_is_the_document_that_json_asks_for(self):
        make_study(self.url, "one")
        expected = json.loads(self.study("export", "one", "--format", "json"))
        self.assertEqual(json.loads(self.study("export", "one", "--json", "-")), expected)
        self.assertTrue(self.study("export", "one", "--json", "beside.json").startswith("number,"))
        self.assertEqual(json.loads((self.folder / "beside.json").read_text()), expected)

    def test_delete_needs_a_name_and_yes(self):
        make_study(self.url, "one", trials=2)
        make_study(self.url, "two", trials=2)
        self.assertIn("--yes", self.study("delete", "one", code=1))
        self.assertIn("which study", self.study("delete", "--yes", code=1))
        self.study("delete", "one", "--yes")
        self.assertEqual([one.study_name for one in optuna.get_all_study_summaries(self.url)], ["two"])
        self.assertIn("there is no study 'one'", self.study("delete", "one", "--yes", code=1))

    def test_delete_asks_on_a_terminal(self):
        make_study(self.url, "one", trials=2)
        for answer, code in ((b"n\n", 1), (b"y\n", 0)):
            ours, theirs = pty.openpty()
            run = subprocess.Popen([CH, "study", "delete", "one", "--storage", self.url], stdin=theirs,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            os.write(ours, answer)
            out, _ = run.communicate(timeout=20 * SLOWER)
            self.assertIn(b"with 2 trials", out)
            self.assertEqual(run.returncode, code)
            os.close(ours)
            os.close(theirs)

    def test_merge_appends_in_order_and_nothing_twice(self):
        other = f"sqlite:///{self.folder}/other.db"
        first, second = make_study(self.url, "a"), make_study(self.url, "b")
        first.ask()
        done = self.as_json("merge", "a", "b", "--from", self.url, "--into", "all", url=other)
        self.assertEqual((done["created"], done["merged"], done["unfinished"]), (True, 16, 1))
        merged = optuna.load_study(study_name="all", storage=for_optuna(other))
        started = [trial.datetime_start for trial in merged.trials]
        self.assertEqual(started, sorted(started))
        self.assertEqual([trial.number for trial in merged.trials], list(range(16)))
        self.assertEqual([trial.params for trial in merged.trials],
                         [trial.params for trial in first.trials[:8] + second.trials])
        second.optimize(objective(1), n_trials=1)
        done = self.as_json("merge", "a", "b", "--from", self.url, "--into", "all", url=other)
        self.assertEqual((done["created"], done["merged"], done["known"]), (False, 1, 16))
        # Not even by way of a third study.
        self.study("merge", "all", "--into", "copy", url=other)
        done = self.as_json("merge", "copy", "--into", "all", url=other)
        self.assertEqual((done["merged"], done["known"]), (0, 17))
        merged.optimize(objective(1), n_trials=2, catch=(ValueError,))

    def test_merge_refuses_what_does_not_fit(self):
        make_study(self.url, "a")
        make_study(self.url, "m", directions=2)
        self.assertIn("different things", self.study("merge", "a", "m", "--into", "all", code=1))
        self.assertIn("into itself", self.study("merge", "a", "--into", "a", code=1))
        self.assertIn("into what", self.study("merge", "a", code=1))
        self.assertEqual(len(optuna.get_all_study_summaries(self.url)), 2)

    def test_the_only_project_with_a_study_needs_no_name(self):
        place = self.folder / "mase_output" / "p" / "software" / "search_ckpts"
        place.mkdir(parents=True)
        make_study(f"sqlite:///{place}/study.db", "mine", trials=2)
        for words in ([], ["--project", "p"]):
            run = subprocess.run([CH, "study", "show", *words], cwd=self.folder, capture_output=True,
                                 text=True, check=False)
            self.assertIn("Study 'mine'", run.stdout, run.stderr)

    def test_list_show_and_export_create_no_file(self):
        for verb in ("list", "show", "export"):
            self.assertIn("there is no file", self.study(verb, code=1))
        self.assertEqual(list(self.folder.iterdir()), [])
        for words in (["list", "a", "b"], ["frob"], []):
            run = subprocess.run([CH, "study", *words], cwd=self.folder, capture_output=True, text=True,
                                 check=False)
            self.assertIn("list", run.stderr)
            self.assertNotEqual(run.returncode, 0)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
