"""Studies against Optuna: what we write it reads, what it writes we read, and each continues the
other's; on SQLite and on PostgreSQL."""
import datetime
import json
import math
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import optuna
import sqlalchemy
from optuna.storages._rdb import models

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from optuna_storage import IS_LATER, for_optuna  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
ORACLE = os.path.join(os.environ["CH_BUILD"], "tests", "oracle_study_store")
SLOWER = int(os.environ.get("CH_TIME_FACTOR", "1"))  # than in release
NOT_NUMBERS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def oracle(*words, data=None):
    done = subprocess.run([ORACLE, *words], input=json.dumps(data), capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def number(value):
    return NOT_NUMBERS.get(value, value)


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def time(text):
    return text and datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f")


DISTRIBUTIONS = {
    "layer/width": {"name": "CategoricalDistribution",
                    "attributes": {"choices": [None, True, 4, 2.5, "integer", "\u00e9"]}},
    "depth": {"name": "IntDistribution", "attributes": {"log": False, "step": 2, "low": 1, "high": 9}},
    "count": {"name": "IntDistribution", "attributes": {"log": True, "step": 1, "low": 1, "high": 1024}},
    "rate": {"name": "FloatDistribution",
             "attributes": {"step": None, "low": 1e-5, "high": 0.1, "log": True}},
    "share": {"name": "FloatDistribution",
              "attributes": {"step": 0.25, "low": 0.0, "high": 1.0, "log": False}}}


def our_trial(index):
    state = ["COMPLETE", "COMPLETE", "PRUNED", "FAIL", "WAITING", "RUNNING"][index % 6]
    started = None if state == "WAITING" else f"2026-03-0{index % 9 + 1} 01:02:03.{index:06d}"
    finished = state in ("COMPLETE", "PRUNED", "FAIL")
    params = {} if state == "WAITING" else {
        "layer/width": index % 6, "depth": 1 + 2 * (index % 5), "count": 7, "rate": 1e-5 * (index + 1),
        **({"share": 0.25} if index % 2 else {})}
    values = [["inf", "-inf"], [0.1 + index, 1 / 3]][index % 2] if state == "COMPLETE" else []
    return {"number": index, "state": state, "params": params,
            "distributions": {name: DISTRIBUTIONS[name] for name in params}, "values": values,
            "intermediate_values": {"0": 0.5, "1": "nan", "3": "inf", "1000": "-inf"} if finished else {},
            "user_attrs": {"metric": index / 7, "note": "\u4e2d \U0001f600 'quoted'", "list": [1, {"a": None}]},
            "system_attrs": {"fixed_params": {"x": index}, "k": "v" * 5000},
            "datetime_start": started, "datetime_complete": started if finished else None}


def as_made(text):
    """An index that Optuna's upgrade to 3.2 adds has another name there than in tables made anew."""
    return text.replace("trials_study_id_key", "ix_trials_study_id")


def empty_study(name):
    return {"study_name": name, "directions": ["minimize"], "heartbeat": 0, "user_attrs": {},
            "system_attrs": {}, "trials": []}


def wait(process, seconds):
    """Its exit code, or None if it still runs after so long."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


class Studies:
    """The tests; subclasses say where studies are."""

    def url(self):
        raise NotImplementedError

    def read(self, url, name):
        return json.loads(oracle("read", url, name))

    def assert_same(self, ours, theirs):
        """A trial as our JSON has it, and Optuna's."""
        self.assertEqual(ours["number"], theirs.number)
        self.assertEqual(ours["state"], theirs.state.name)
        self.assertEqual([number(value) for value in ours["values"]], theirs.values or [])
        self.assertEqual(ours["user_attrs"], theirs.user_attrs)
        self.assertEqual(ours["system_attrs"], theirs.system_attrs)
        self.assertEqual(time(ours["datetime_start"]), theirs.datetime_start)
        self.assertEqual(time(ours["datetime_complete"]), theirs.datetime_complete)
        reports = {int(step): number(value) for step, value in ours["intermediate_values"].items()}
        self.assertEqual(sorted(reports), sorted(theirs.intermediate_values))
        for step, value in reports.items():
            self.assertTrue(same(value, theirs.intermediate_values[step]), (step, value))
        self.assertEqual(sorted(ours["distributions"]), sorted(theirs.distributions))
        for name, distribution in theirs.distributions.items():
            self.assertEqual(optuna.distributions.json_to_distribution(json.dumps(ours["distributions"][name])),
                             distribution)

    def test_optuna_sees_everything_we_store_and_goes_on(self):
        url = self.url()
        trials = [our_trial(index) for index in range(14)]
        spec = {"study_name": "ours \u00fc/1", "directions": ["minimize", "maximize"], "heartbeat": 5,
                "user_attrs": {"model": "jsc", "deep": {"a": [1, 2]}}, "system_attrs": {"s": 1},
                "trials": trials}
        oracle("write", url, data=spec)
        study = optuna.load_study(study_name=spec["study_name"], storage=for_optuna(url))
        self.assertEqual([one.name for one in study.directions], ["MINIMIZE", "MAXIMIZE"])
        self.assertEqual(study.user_attrs, spec["user_attrs"])
        self.assertEqual(study.system_attrs, spec["system_attrs"])
        self.assertEqual(len(study.trials), len(trials))
        for ours, theirs in zip(trials, study.trials):
            self.assert_same(ours, theirs)
            for name, value in ours["params"].items():
                self.assertEqual(theirs.distributions[name].to_internal_repr(theirs.params[name]), value)

        def objective(trial):
            rate = trial.suggest_float("rate", 1e-5, 0.1, log=True)
            width = trial.suggest_categorical("layer/width", [None, True, 4, 2.5, "integer", "\u00e9"])
            return rate, trial.suggest_int("depth", 1, 9, step=2) + (width is None)

        # Optuna 4's TPE cannot read pruned trials of several objectives, its own no more than ours.
        study.sampler = (optuna.samplers.NSGAIISampler(seed=1) if IS_LATER else
                         optuna.samplers.TPESampler(seed=1, n_startup_trials=3, multivariate=True))
        study.optimize(objective, n_trials=8)
        back = self.read(url, spec["study_name"])
        theirs = optuna.load_study(study_name=spec["study_name"], storage=url).trials
        # Optuna took the two waiting trials first.
        self.assertEqual(len(back["trials"]), 14 + 6)
        self.assertEqual(back["trials"][4]["state"], "COMPLETE")
        for ours, their in zip(back["trials"], theirs):
            self.assert_same(ours, their)
            self.assertEqual(ours["params"], their.params)

    def test_a_study_begun_in_optuna_opens_here_and_goes_on(self):
        url = self.url()
        study = optuna.create_study(study_name="theirs", storage=url, direction="maximize",
                                    pruner=optuna.pruners.NopPruner(),
                                    sampler=optuna.samplers.TPESampler(seed=3, n_startup_trials=5))
        study.set_user_attr("who", ["optuna"])

        def objective(trial):
            kind = trial.suggest_categorical("kind", [None, "integer", 8, 1.5, False])
            if kind is None:
                value = trial.suggest_float("x", 0, 10)
            else:
                value = trial.suggest_int("i", 1, 64, log=True) + trial.suggest_float("step", 0, 1, step=0.5)
            trial.set_user_attr("half", value / 2)
            trial.set_system_attr("secret", {"n": trial.number})
            trial.report(value, 1)
            trial.report(float("nan"), 2)
            if trial.number % 5 == 3:
                raise optuna.TrialPruned
            if trial.number % 5 == 4:
                raise ValueError("no")
            return math.inf if trial.number == 1 else value

        study.enqueue_trial({"kind": None, "x": 2.0})
        study.optimize(objective, n_trials=23, catch=(ValueError,))
        study.enqueue_trial({"kind": "integer", "i": 5}, user_attrs={"mine": 1})
        study.ask()
        back = self.read(url, "theirs")
        self.assertEqual(back["directions"], ["maximise"])
        self.assertEqual(back["user_attrs"], {"who": ["optuna"]})
        self.assertEqual(len(back["trials"]), 24)
        self.assertEqual({one["state"] for one in back["trials"]}, {"COMPLETE", "PRUNED", "FAIL", "RUNNING"})
        for ours, theirs in zip(back["trials"], study.trials):
            self.assert_same(ours, theirs)
            self.assertEqual(ours["params"], theirs.params)

        study.enqueue_trial({"x": 7.0})
        self.assertEqual(self.read(url, "theirs")["trials"][24]["state"], "WAITING")
        oracle("run", url, "theirs", "3")
        study = optuna.load_study(study_name="theirs", storage=url)
        self.assertEqual(len(study.trials), 27)
        self.assertEqual(study.trials[24].system_attrs["fixed_params"], {"x": 7.0})
        for trial in study.trials[24:]:
            self.assertEqual(trial.state.name, "COMPLETE")
            self.assertEqual(trial.user_attrs["by"], "ours")
        study.optimize(objective, n_trials=2, catch=(ValueError,))
        self.assertEqual(len(self.read(url, "theirs")["trials"]), 29)

    def test_optuna_deletes_and_both_share_a_store(self):
        url = self.url()
        oracle("write", url, data=empty_study("a"))
        optuna.create_study(study_name="b", storage=for_optuna(url))
        self.assertEqual({one.study_name for one in optuna.get_all_study_summaries(url)}, {"a", "b"})
        oracle("run", url, "a", "4")
        oracle("run", url, "b", "2")
        optuna.delete_study(study_name="a", storage=url)
        self.assertEqual(len(self.read(url, "b")["trials"]), 2)

    def writer(self, url):
        """Somebody who makes a study at this address."""
        process = subprocess.Popen([ORACLE, "write", url], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.kill)
        process.stdin.write(json.dumps(empty_study("ours")))
        process.stdin.close()
        process.stdin = None
        return process

    def test_tables_optuna_has_half_made_are_waited_for(self):
        """Optuna knows no lock of ours: it may make its tables at any moment of our own start."""
        url = self.url()
        engine = sqlalchemy.create_engine(url)
        with engine.begin() as connection:
            models.BaseModel.metadata.create_all(connection)
            process = self.writer(url)
            self.assertIsNone(wait(process, 0.3))  # finds no table, and may not make one
        self.assertIsNone(wait(process, 0.3))  # finds tables of no version
        optuna.create_study(study_name="theirs", storage=url)
        _, error = process.communicate(timeout=30 * SLOWER)
        self.assertEqual(process.returncode, 0, error)
        self.assertEqual({one.study_name for one in optuna.get_all_study_summaries(url)},
                         {"ours", "theirs"})

    def test_tables_of_somebody_else_are_refused_at_once(self):
        url = self.url()
        with sqlalchemy.create_engine(url).begin() as connection:
            connection.execute(sqlalchemy.text("CREATE TABLE version_info (name TEXT)"))
            connection.execute(sqlalchemy.text("CREATE TABLE prices (name TEXT)"))
        process = self.writer(url)
        _, error = process.communicate(timeout=5 * SLOWER)
        self.assertIn("holds no studies, but other tables: prices, version_info", error)


class OnSqlite(Studies, unittest.TestCase):
    def url(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return f"sqlite:///{folder.name}/study.db"

    def test_the_tables_are_those_optuna_makes(self):
        ours, theirs = self.url(), self.url()
        oracle("write", ours, data=empty_study("a"))
        optuna.create_study(study_name="b", storage=theirs)

        def schema(url):
            with sqlite3.connect(url[len("sqlite:///"):]) as base:
                return {as_made(name): " ".join(re.sub(r"\s*([(),])\s*", r"\1", as_made(sql or "")).split())
                        for name, sql in base.execute("SELECT name, sql FROM sqlite_master")}, base.execute(
                            "SELECT * FROM version_info, alembic_version").fetchall()
        self.assertEqual(schema(for_optuna(ours)), schema(theirs))

    def test_damaged_rows_are_errors_or_nothing(self):
        damage = {"UPDATE trial_params SET param_value = 99 WHERE param_name = 'c'": "is none of",
                  "UPDATE trial_params SET param_value = NULL": "is none of",
                  "UPDATE trial_params SET param_value = 1e300 WHERE param_name = 'i'": "is none of",
                  "UPDATE trial_params SET distribution_json = '{'": "no distribution",
                  "DROP TABLE trial_values": "no table trial_values",
                  "DELETE FROM alembic_version": "before 3.0",  # after the time Optuna is given to note it
                  "UPDATE trials SET state = 'WHAT', number = NULL, datetime_start = 'soon'": None,
                  "UPDATE trial_values SET value = 'x', objective = 7": None,
                  "UPDATE trial_user_attributes SET value_json = x'ff00fe'": None,
                  "DELETE FROM study_directions": None}
        for statement, message in damage.items():
            url = self.url()
            study = optuna.create_study(study_name="a", storage=url)
            trial = study.ask()
            trial.set_user_attr("u", 1)
            study.tell(trial, trial.suggest_categorical("c", [1, 2]) + trial.suggest_int("i", 1, 4))
            with sqlite3.connect(url[len("sqlite:///"):]) as base:
                base.execute(statement)
            done = subprocess.run([ORACLE, "read", url, "a"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 1 if message else 0, statement)
            self.assertIn((message or "").encode(), done.stderr)

    def test_tables_of_an_old_optuna_are_refused_with_a_remedy(self):
        url = self.url()
        optuna.create_study(study_name="b", storage=url)
        with sqlite3.connect(url[len("sqlite:///"):]) as base:
            base.execute("UPDATE alembic_version SET version_num = 'v2.6.0.a'")
        done = subprocess.run([ORACLE, "read", url, "b"], capture_output=True, text=True, check=False)
        self.assertIn("optuna storage upgrade", done.stderr)
        with sqlite3.connect(url[len("sqlite:///"):]) as base:
            base.execute("UPDATE alembic_version SET version_num = 'v3.2.0.a'")
        self.read(url, "b")


class OnPostgresql(Studies, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = PostgresServer()
        cls.addClassCleanup(cls.server.close)

    def url(self):
        return self.server.new_database()

    def test_the_tables_are_those_optuna_makes(self):
        ours, theirs = self.url(), self.url()
        oracle("write", ours, data=empty_study("a"))
        optuna.create_study(study_name="b", storage=theirs)
        self.assertEqual(*([as_made(line) for line in self.server.dump_schema(url.rpartition("/")[2])]
                           for url in (for_optuna(ours), theirs)))


if __name__ == "__main__":
    unittest.main(warnings="ignore")
