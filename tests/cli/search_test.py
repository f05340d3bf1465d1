"""ch search as a person uses it: fronts, refusals, stopping and going on, many workers, Optuna."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

CH = os.environ["CH_BIN"]
SLOWER = int(os.environ.get("CH_TIME_FACTOR", "1"))  # than in release
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "configs/examples/jsc_toy_by_type.toml"
sys.path.insert(0, str(ROOT / "tests/support"))

CONFIG = """
model = "jsc-tiny"
dataset = "jsc"
rows = 4000
batch_size = 128
project = "found"

[search.search_space.seed.seq_blocks_2.config]
name = ["integer"]
data_in_width = [4, 8]
weight_width = [2, 4, 8]
bias_width = [2, 4, 8]

[search.strategy.sw_runner.basic_evaluation]
num_samples = 300

[search.strategy.setup]
n_trials = 20
sampler = "tpe"

[search.strategy.metrics.accuracy]
direction = "maximize"
[search.strategy.metrics.average_bitwidth]
scale = 0.2
direction = "minimize"
"""

TRAINING = """
model = "jsc-tiny"
dataset = "jsc"
rows = 4000
batch_size = 32
project = "trained"

[search.search_space.seed.seq_blocks_2.config]
name = ["integer", "minifloat_ieee"]
data_in_width = [6, 8]
weight_width = [4, 6, 8]
data_in_exponent_width = 4
weight_exponent_width = 2

[search.search_space.train]
learning_rate = { low = 1e-4, high = 1e-1, log = true }
optimizer = ["adam", "sgd"]

[search.strategy.sw_runner.basic_train]
max_epochs = 4

[search.strategy.setup]
n_trials = 40
sampler = "random"

[search.strategy.metrics.accuracy]
direction = "maximize"
"""


class Search(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}

    def ch(self, *words, code=0):
        done = subprocess.run([CH, *map(str, words)], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def write(self, text, name="config.toml"):
        (self.folder / name).write_text(text)
        return name

    def search(self, *words):
        return json.loads(self.ch("search", *words, "--json", "-"))

    def results(self, project="found"):
        return self.folder / f"mase_output/{project}/software/search_ckpts"

    def test_the_example_finds_the_true_front_of_its_18_points(self):
        base = ["--config", EXAMPLE, "--rows", 20000]
        self.ch("train", *base, "--max-epochs", 1, "--project", "weights")
        weights = self.folder / "mase_output/weights/software/training_ckpts/best.ckpt"
        text = self.ch("search", *base, "--load", weights, "--dry-run")
        self.assertIn("The space has 18 points", text)
        grid = self.search(*base, "--load", weights, "--storage", "memory", "--sampler", "grid",
                           "--project", "grid")
        self.assertEqual(grid["trials"], 18)
        log = json.loads((self.results("grid") / "log.json").read_text())
        self.assertEqual(len(log), 18)
        values = {(t["values_0"], t["values_1"]) for t in log.values()}
        front = {a for a in values
                 if not any(b != a and b[0] >= a[0] and b[1] <= a[1] for b in values)}
        for sampler in ["tpe", "grid"]:
            found = self.search(*base, "--load", weights, "--storage", "memory", "--sampler", sampler,
                                "--project", sampler)
            self.assertEqual(found["trials"], 18)  # twenty were asked for; there are no more points
            self.assertEqual({(t["accuracy"], 0.2 * t["average_bitwidth"]) for t in found["best"]},
                             front)
            best = json.loads((self.results(sampler) / "best.json").read_text())
            self.assertEqual({tuple(t["value"]) for t in best.values()}, front)
        printed = self.ch("search", *base, "--load", weights, "--storage", "memory")
        self.assertIn("Best trial(s):", printed)
        for accuracy, _ in front:
            self.assertIn(f"{accuracy:.4f}", printed)

    def test_results_are_files_people_know(self):
        found = self.search("--config", self.write(CONFIG), "--save-best")
        folder = self.results()
        for name in ["log.json", "best.json", "study.db", "pareto_front.svg", "importance.svg",
                     "best.mz"]:
            self.assertTrue((folder / name).exists(), name)
        log = json.loads((folder / "log.json").read_text())
        first = log["0"]
        self.assertEqual(set(first), {"number", "values_0", "values_1", "datetime_start",
                                      "datetime_complete", "duration", "state",
                                      "user_attrs_software_metrics", "user_attrs_hardware_metrics",
                                      "user_attrs_scaled_metrics", "user_attrs_sampled_config"})
        config = first["user_attrs_sampled_config"]["seq_blocks_2"]["config"]
        self.assertEqual(first["user_attrs_hardware_metrics"]["average_bitwidth"],
                         config["weight_width"])
        self.assertEqual(first["values_1"], 0.2 * config["weight_width"])
        # The saved network is the one that was evaluated.
        best = max(found["best"], key=lambda t: (t["accuracy"], -t["average_bitwidth"]))
        again = self.search("--config", self.write(CONFIG.replace(
            "num_samples = 300", 'data_loader = "test_dataloader"'), "whole.toml"),
            "--storage", "memory", "--sampler", "grid")
        tested = json.loads(self.ch("test", folder / "best.mz", "jsc", "--rows", 4000, "--json", "-",
                                    "--project", "t"))
        whole = json.loads((folder / "log.json").read_text())  # of the grid, just written
        self.assertEqual(json.loads((folder / "log-v1.json").read_text()), log)  # of the study before
        wanted = {k.split("/")[-1]: v for k, v in best.items() if "/" in k}
        match = [t for t in whole.values() if all(
            t["user_attrs_sampled_config"]["seq_blocks_2"]["config"][k] == v
            for k, v in wanted.items())]
        self.assertEqual(len(match), 1)
        self.assertEqual(tested["accuracy"], match[0]["user_attrs_software_metrics"]["accuracy"])
        self.assertEqual(again["trials"], 18)
        self.ch("train", folder / "best.mz", "jsc", "--rows", 4000, "--max-epochs", 1, "--project",
                "on")
        self.ch("compare", folder / "best.mz", folder / "best.mz", "jsc", "--rows", 4000)

    def test_tied_layers_share_one_format_and_no_parameter_is_dropped(self):
        space = """
[search.search_space.setup]
tie = %s
by = "type"
[search.search_space.seed.linear.config]
name = ["integer", "mxint"]
width = [4, 6, 8]
"""
        text = CONFIG.replace("jsc-tiny", "jsc-toy")
        start, end = text.index("[search.search_space"), text.index("[search.strategy.sw")
        tied = self.search("--config", self.write(text[:start] + space % "true" + text[end:]))
        self.assertEqual(tied["points"], 6)
        self.assertIn("linear/config/width", tied["best"][0])
        config = next(iter(json.loads((self.results() / "log.json").read_text()).values()))
        formats = [one["config"] for one in config["user_attrs_sampled_config"].values()
                   if isinstance(one, dict) and one["config"]["name"] not in (None, "NA")]
        self.assertEqual(len(formats), 3)
        self.assertTrue(all(one == formats[0] for one in formats), formats)
        wide = CONFIG.replace("jsc-tiny", "jsc-toy").replace("seq_blocks_2", "linear").replace(
            "[search.search_space.seed", '[search.search_space.setup]\nby = "type"\n[search.search_space.seed', 1)
        printed = self.ch("search", "--config", self.write(wide), "--project", "wide", "--trials", 3)
        for node in ("seq_blocks_2", "seq_blocks_5", "seq_blocks_8"):
            self.assertIn(f"{node}/weight_width=", printed)

    def test_keys_of_a_bias_that_no_layer_has_are_left_out(self):
        (self.folder / "plain.toml").write_text(
            '[model]\ninput = [16]\nlayers = [{ op = "linear", out_features = 5, bias = false }]\n')
        text = CONFIG.replace('"jsc-tiny"', '"plain.toml"').replace("seq_blocks_2", "linear").replace(
            "[search.search_space.seed", '[search.search_space.setup]\nby = "type"\n[search.search_space.seed', 1)
        self.assertEqual(self.search("--config", self.write(text))["points"], 6)
        by_name = text.replace('by = "type"', 'by = "name"').replace("seed.linear", "seed.seq_blocks_0")
        self.assertIn("bias_width fits no operand", self.ch("search", "--config", self.write(by_name), code=1))

    def test_a_wrong_key_is_named_also_where_its_table_is_for_no_node(self):
        absent = """
[search.search_space.seed.linear.config]
name = ["integer"]
weight_widht = [4, 8]
"""
        start = CONFIG.index("[search.search_space.seed")
        error = self.ch("search", "--config", self.write(CONFIG[:start] + absent + CONFIG[start:]), code=1)
        self.assertIn("seed.linear.config.weight_widht: no key of the format integer", error)
        self.assertIn("did you mean 'weight_width'?", error)

    def test_a_study_goes_on_where_it_stopped(self):
        config = self.write(CONFIG)
        self.assertEqual(self.search("--config", config, "--trials", 7)["ran"], 7)
        again = self.search("--config", config, "--trials", 12)
        self.assertEqual((again["ran"], again["trials"]), (5, 12))
        self.assertEqual(self.search("--config", config, "--trials", 12)["ran"], 0)
        whole = self.search("--config", config, "--trials", 12, "--storage", "memory", "--project", "w")
        self.assertEqual(whole["best"], again["best"])

    def test_a_quick_try_and_a_full_run_never_share_a_study(self):
        for text, option in ((TRAINING, "most_batches"), (CONFIG, "--debug")):
            config = self.write(text)
            quick = ("--config", config, "--trials", 2, "--debug")
            full = ("--config", config, "--trials", 2)
            for name, first, second in (("a", quick, full), ("b", full, quick)):
                project = ("--project", f"{name}{option}")
                self.assertEqual(self.search(*first, *project)["ran"], 2)
                self.assertRegex(self.ch("search", *second, *project, code=1),
                                 f"{option}: study '.*' was made (with 5, and here it is not given|"
                                 "without it, and here it is 5)")
                self.assertEqual(self.search(*first, *project)["trials"], 2)

    def test_debug_evaluates_a_few_batches(self):
        config = self.write(CONFIG)
        best = self.search("--config", config, "--trials", 1, "--debug", "--batch-size", 8)["best"]
        # Accuracy over 5 batches of 8 rows is a number of fortieths.
        accuracy = 40 * float(best[0]["accuracy"])
        self.assertAlmostEqual(accuracy, round(accuracy), delta=1e-9)

    def test_bad_input_is_refused_before_the_first_trial(self):
        config = self.write(CONFIG)
        self.search("--config", config, "--trials", 1)
        cases = {
            "weight_width = []": "search.search_space.seed.seq_blocks_2.config.weight_width",
            "weight_width = [0, 4]": "search.search_space.seed.seq_blocks_2.config.weight_width = 0",
            "weight_width = [2, 4]": "seq_blocks_2/config/weight_width",  # another space
        }
        for text, key in cases.items():
            bad = self.write(CONFIG.replace("weight_width = [2, 4, 8]", text), "bad.toml")
            self.assertIn(key, self.ch("search", "--config", bad, code=1))
        bad = self.write(CONFIG.replace("seq_blocks_2", "seq_block_2"), "bad.toml")
        self.assertIn("search.search_space.seed.seq_block_2: no such node",
                      self.ch("search", "--config", bad, code=1))
        bad = self.write(CONFIG.replace("[search.search_space.seed.seq_blocks_2.config]",
                                        "[search.search_space.seed.seq_blocks_2]\ntie = true\n"
                                        "[search.search_space.seed.seq_blocks_2.config]"), "bad.toml")
        self.assertIn("unknown key 'search.search_space.seed.seq_blocks_2.tie'",
                      self.ch("search", "--config", bad, code=1))
        bad = self.write(CONFIG.replace('direction = "maximize"', "scale = 1.0"), "bad.toml")
        message = self.ch("search", "--config", bad, code=1)
        self.assertIn("search.strategy.metrics.accuracy", message)
        self.assertIn("direction", message)
        began = time.monotonic()
        message = self.ch("search", "--config", config, "--storage",
                          "postgresql://me:hunter2@127.0.0.1:1/none", code=1)
        self.assertLess(time.monotonic() - began, 20 * SLOWER)
        self.assertIn("127.0.0.1:1", message)
        self.assertNotIn("hunter2", message)
        self.assertIn("nothing to search", self.ch("search", "jsc-tiny", "jsc", code=1))
        import optuna
        from optuna_storage import for_optuna
        study = optuna.load_study(study_name="found", storage=for_optuna(f"sqlite:///{self.results()}/study.db"))
        self.assertEqual(len(study.trials), 1)

    def test_optuna_opens_the_study_and_goes_on(self):
        import optuna
        from optuna_storage import for_optuna
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        config = self.write(CONFIG)
        self.search("--config", config, "--trials", 10)
        url = for_optuna(f"sqlite:///{self.results()}/study.db")
        study = optuna.load_study(study_name="found", storage=url)
        log = json.loads((self.results() / "log.json").read_text())
        self.assertEqual(len(study.trials), 10)
        for trial in study.trials:
            told = log[str(trial.number)]
            self.assertEqual(trial.values, [told["values_0"], told["values_1"]])
            self.assertEqual(trial.state.name, told["state"])
            for name in ["software_metrics", "hardware_metrics", "scaled_metrics", "sampled_config"]:
                self.assertEqual(trial.user_attrs[name], told[f"user_attrs_{name}"])
            chosen = told["user_attrs_sampled_config"]["seq_blocks_2"]["config"]
            self.assertEqual(trial.params, {f"seq_blocks_2/config/{key}": chosen[key] for key in
                                            ["data_in_width", "weight_width", "bias_width"]})
        study.optimize(lambda t: (t.suggest_categorical("seq_blocks_2/config/weight_width", [2, 4, 8])
                                  / 10 + 0 * t.suggest_categorical(
                                      "seq_blocks_2/config/data_in_width", [4, 8])
                                  + 0 * t.suggest_categorical(
                                      "seq_blocks_2/config/bias_width", [2, 4, 8]), 1.0), n_trials=3)
        study.enqueue_trial({"seq_blocks_2/config/weight_width": 8})
        # The wish comes first; then at least four of the 18 points are left for the two trials.
        found = self.search("--config", config, "--trials", 16)
        self.assertEqual(found["states"], {"COMPLETE": 16})
        study = optuna.load_study(study_name="found", storage=url)
        self.assertEqual(study.trials[13].params["seq_blocks_2/config/weight_width"], 8)
        self.assertIn("accuracy", study.trials[13].user_attrs["software_metrics"])

    def test_ctrl_c_keeps_what_is_finished(self):
        config = self.write(TRAINING.replace("max_epochs = 4", "max_epochs = 40"))
        self.ch("datasets")
        process = subprocess.Popen([CH, "search", "--config", config, "--jobs", "2"],
                                   cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        file = self.results("trained") / "study.db"

        def count(query):
            with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as base:
                return base.execute(query).fetchone()[0]
        self.wait_for_trials(count, 3, [process])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        before = json.loads((self.results("trained") / "log.json").read_text())
        complete = [t for t in before.values() if t["state"] == "COMPLETE"]
        self.assertGreaterEqual(len(complete), 1)
        self.assertFalse([t for t in before.values() if t["state"] == "RUNNING"])
        found = self.search("--config", config, "--trials", len(complete) + 3, "--jobs", 2)
        after = json.loads((self.results("trained") / "log.json").read_text())
        for trial in complete:
            self.assertEqual(after[str(trial["number"])], trial)
        self.assertEqual(found["states"]["COMPLETE"], len(complete) + 3)

    def wait_for_trials(self, count, enough, processes):
        """Until so many are complete, while the processes run."""
        last = time.monotonic() + 60 * SLOWER
        while time.monotonic() < last:
            for process in processes:
                if process.poll() is not None:
                    self.fail(f"ended with {process.returncode}: {process.communicate()[1]}")
            try:
                if int(count("SELECT COUNT(*) FROM trials WHERE state = 'COMPLETE'")) >= enough:
                    return
            except (RuntimeError, sqlite3.Error):  # no table is there yet
                pass
            time.sleep(0.02)
        self.fail("the search does not go on")

    def test_two_processes_share_a_postgresql_study_and_one_is_killed(self):
        import optuna
        from optuna_storage import for_optuna
        from postgres_server import PostgresServer
        config = self.write(TRAINING.replace("max_epochs = 4", "max_epochs = 100"))
        self.search("--config", config, "--storage", "memory", "--project", "alone")
        with PostgresServer() as server:
            url = server.new_database()
            words = [CH, "search", "--config", config, "--storage", url, "--study", "shared",
                     "--heartbeat", "0.3", "--project"]
            processes = [subprocess.Popen([*words, f"worker{i}", "--json", f"{i}.json"],
                                          cwd=self.folder, env=self.environment,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                         for i in range(2)]
            for process in processes:
                self.addCleanup(process.kill)
            self.wait_for_trials(lambda query: server.psql(query, url.rpartition("/")[2]), 8, processes)
            processes[0].kill()
            processes[0].communicate()
            _, error = processes[1].communicate(timeout=120 * SLOWER)
            self.assertEqual(processes[1].returncode, 0, error)
            trials = optuna.load_study(study_name="shared", storage=for_optuna(url)).trials
        self.assertEqual([t.number for t in trials], list(range(len(trials))))
        self.assertEqual(sum(t.state.name == "COMPLETE" for t in trials), 40)
        failed = [t for t in trials if t.state.name == "FAIL"]
        self.assertLessEqual(len(failed), 1)  # the one in hand
        self.assertEqual(len(trials), 40 + len(failed))
        retried = [t for t in trials if "failed_trial" in t.system_attrs]
        self.assertEqual([t.system_attrs["failed_trial"] for t in retried],
                         [t.number for t in failed])
        for trial, dead in zip(retried, failed):
            self.assertEqual(trial.params, dead.params)
        # Points follow the numbers, not the worker that ran them.
        alone = json.loads((self.results("alone") / "log.json").read_text())
        retries = [t.number for t in retried]
        for trial in trials:
            if trial not in retried and trial not in failed:
                told = alone[str(trial.number - sum(n < trial.number for n in retries))]
                self.assertEqual(trial.user_attrs["sampled_config"], told["user_attrs_sampled_config"])
                self.assertEqual(trial.value, told["value"])


if __name__ == "__main__":
    unittest.main()
