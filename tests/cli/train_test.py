"""ch train, test and sweep as a person uses them: what they print, write, refuse and survive."""
import hashlib
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import statistics
import struct
import subprocess
import tempfile
import time
import unittest

CH = os.environ["CH_BIN"]
SLOWER = int(os.environ.get("CH_TIME_FACTOR", "1"))  # than in release


def ch(*words, folder, env=None, **more):
    environment = {**os.environ, "CH_CACHE_DIR": str(pathlib.Path(folder) / "cache"), **(env or {})}
    return subprocess.run([CH, *map(str, words)], cwd=folder, env=environment, capture_output=True, text=True, **more)


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def good(self, *words, **more):
        result = ch(*words, folder=self.folder, **more)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        return result

    def refused(self, *words, code=1, says=(), **more):
        before = sorted(p for p in self.folder.rglob("*") if "cache" not in p.parts)
        result = ch(*words, folder=self.folder, **more)
        self.assertEqual(result.returncode, code, result.stderr + result.stdout)
        for text in says:
            self.assertIn(text, result.stderr)
        self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
        after = sorted(p for p in self.folder.rglob("*") if "cache" not in p.parts)
        self.assertEqual(before, after, "something was left behind")
        return result

    def checkpoints(self, project):
        return self.folder / "mase_output" / project / "software" / "training_ckpts"


SMALL = ["--rows", 6000, "--batch-size", 64, "--learning-rate", "1e-3"]


class Training(InFolder):
    def test_train_then_test_reports_the_same_test_figures(self):
        self.good("train", "jsc-toy", "jsc", *SMALL, "--max-epochs", 3, "--project", "p", "--json", "train.json")
        trained = json.loads((self.folder / "train.json").read_text())
        self.assertEqual(trained["epochs"], 3)
        self.assertTrue(trained["synthetic"])
        self.assertEqual(trained["parameters"], 327)
        self.assertLess(trained["history"][-1]["train_loss"], trained["history"][0]["train_loss"])
        best = self.checkpoints("p") / "best.ckpt"
        result = self.good("test", "jsc-toy", "jsc", "--rows", 6000, "--load", best, "--project", "p", "--json", "t.json")
        tested = json.loads((self.folder / "t.json").read_text())
        self.assertAlmostEqual(tested["loss"], trained["test"]["loss"], delta=1e-6)
        self.assertEqual(tested["accuracy"], trained["test"]["accuracy"])
        self.assertEqual(sum(row[c] for row in tested["confusion"] for c in "gqwzt"), tested["rows"])
        self.assertIn("synthetic", result.stdout)
        self.assertIn("Testing is completed", result.stderr)

    def test_folders_and_log_lines_are_the_reference_systems(self):
        result = self.good("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 2, "--project", "p")
        software = self.folder / "mase_output" / "p" / "software"
        version = software / "tensorboard" / "lightning_logs" / "version_0"
        for path in (software / "training_ckpts" / "best.ckpt", software / "training_ckpts" / "last.ckpt",
                     version / "hparams.yaml", version / "metrics.csv", version / "learning_curves.svg",
                     version / "accuracy_curves.svg"):
            self.assertTrue(path.exists(), path)
        self.assertEqual(len(list(version.glob("events.out.tfevents.*"))), 1)
        lines = [line for line in result.stderr.splitlines() if line.startswith("INFO     ")]
        for text in ("Initialising model 'jsc-tiny'...", "Initialising dataset 'jsc'...", "Project will be created at",
                     "Training model 'jsc-tiny'...", "Training is completed"):
            self.assertTrue(any(text in line for line in lines), text)
        self.assertNotIn("| Name ", result.stdout)
        self.assertEqual((version / "metrics.csv").read_text().count("\n"), 3)
        self.assertFalse(list(self.folder.rglob("*.tmp*")))

    def test_on_a_terminal_the_bar_says_how_long_the_run_will_take(self):
        master, slave = pty.openpty()
        words = ["train", "jsc-s", "jsc", "--rows", 60000, "--batch-size", 4, "--max-epochs", 5000, "--project", "p"]
        process = subprocess.Popen([CH, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        self.addCleanup(os.close, master)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        # However fast the machine is, the run takes minutes: what is looked for ends it.
        wanted, shown = rb"Epoch \d+/5000: .* loss \d+\.\d{4}, [\d:]+ left", b""
        while not re.search(wanted, shown):
            self.assertIsNone(process.poll(), shown[-2000:])
            shown += os.read(master, 65536)

    def test_log_level_debug_says_more_than_info(self):
        words = ["train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p"]
        plain = self.good(*words).stderr
        told = self.good(*words, "--log-level", "debug").stderr
        for text in ("Compiled jsc-tiny for a batch of ", "Wrote "):
            self.assertIn(text, told)
            self.assertNotIn(text, plain)

    def test_an_earlier_runs_checkpoints_are_kept(self):
        self.good("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p")
        first = digest(self.checkpoints("p") / "best.ckpt")
        self.good("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p", "--seed", 1)
        self.assertEqual(digest(self.checkpoints("p") / "best-v1.ckpt"), first)
        self.assertNotEqual(digest(self.checkpoints("p") / "best.ckpt"), first)

    def test_one_and_two_threads_end_in_the_same_bytes(self):
        for model, dataset in (("jsc-trt", "jsc"), ("toy", "toy_tiny")):
            for threads in (1, 2):
                self.good("train", model, dataset, *SMALL, "--max-epochs", 2, "--project", f"{model}{threads}",
                          "--threads", threads)
            for name in ("best.ckpt", "last.ckpt"):
                self.assertEqual(digest(self.checkpoints(f"{model}1") / name), digest(self.checkpoints(f"{model}2") / name))

    def test_explicit_flags_win_over_toml_even_when_equal_to_the_default(self):
        (self.folder / "c.toml").write_text('model = "jsc-tiny"\ndataset = "jsc"\nbatch_size = 512\nmax_epochs = 1\nseed = 7\n')
        result = self.good("train", "--config", "c.toml", "--rows", 6000, "--batch-size", 128, "--project", "p",
                           "--settings")
        row = next(line for line in result.stdout.splitlines() if line.startswith("| batch_size "))
        self.assertEqual([cell.strip() for cell in row.split("|")[1:-1]], ["batch_size", "128", "512", "128", "128"])

    def test_interrupt_saves_and_resume_ends_in_the_same_bytes(self):
        words = ["train", "jsc-s", "jsc", "--rows", 60000, "--batch-size", 16, "--max-epochs", 3, "--learning-rate", "1e-3"]
        self.good(*words, "--project", "whole")
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        process = subprocess.Popen([CH, *map(str, words), "--project", "cut"], cwd=self.folder, env=environment,
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in process.stderr:
            if "Epoch 1/3" in line:
                break
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        process.stderr.close()
        # It may have finished before the signal came.
        self.assertEqual(process.wait(timeout=60 * SLOWER), 130 if "Interrupted" in rest else 0, rest)
        if "Interrupted" in rest:
            self.assertTrue((self.checkpoints("cut") / "last.ckpt").exists())
        self.good(*words, "--project", "cut", "--resume")
        for name in ("best.ckpt", "last.ckpt"):
            self.assertEqual(digest(self.checkpoints("whole") / name), digest(self.checkpoints("cut") / name), name)

    def test_data_whose_name_is_not_utf8_can_be_resumed(self):
        path = os.fsencode(self.folder) + b"/n\xff\xfe.csv"
        with open(path, "w") as rows:
            rows.write("".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(60)))
        words = ["train", "toy", os.fsdecode(path), "--project", "odd", "--threads", "1"]
        self.good(*words, "--max-epochs", "2", "--max-steps", "1", errors="replace")
        self.good(*words, "--max-epochs", "2", "--max-steps", "1", "--resume", errors="replace")

    def test_a_run_killed_in_mid_epoch_resumes_to_the_same_bytes(self):
        words = ["train", "jsc-s", "jsc", "--rows", 60000, "--batch-size", 16, "--max-epochs", 2, "--learning-rate",
                 "1e-3", "--checkpoint-every-n-steps", 200]
        self.good(*words, "--project", "whole")
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        last = self.checkpoints("killed") / "last.ckpt"
        for attempt in range(3):
            resume = ["--resume"] if attempt else []
            process = subprocess.Popen([CH, *map(str, words), "--project", "killed", *resume], cwd=self.folder,
                                       env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            seen = digest(last) if last.exists() else None
            while process.poll() is None and (not last.exists() or digest(last) == seen):
                time.sleep(0.01)
            process.kill()
            process.wait()
        self.good(*words, "--project", "killed", "--resume")
        for name in ("best.ckpt", "last.ckpt"):
            self.assertEqual(digest(self.checkpoints("whole") / name), digest(self.checkpoints("killed") / name), name)

    def test_all_jets_take_little_memory(self):
        self.good("train", "jsc-tiny", "jsc", "--max-epochs", 1, "--batch-size", 256, "--project", "p")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        data = 986_806 * (16 * 4 + 8)
        print(f"peak memory {peak / 2**20:.0f} MiB for {data / 2**20:.0f} MiB of data")
        self.assertLess(peak, 2 * data + 200 * 2**20)

    def test_a_network_written_in_toml_trains(self):
        (self.folder / "net.toml").write_text(
            'dataset = "jsc"\nmax_epochs = 2\nrows = 6000\nbatch_size = 64\nproject = "p"\n[model]\nname = "mine"\n'
            'layers = ["batch_norm1d", { op = "linear", out_features = 32 }, "relu", { op = "linear", out_features = "classes" }]\n')
        result = self.good("train", "--config", "net.toml")
        self.assertIn("Training model 'mine'...", result.stderr)
        self.good("test", "--config", "net.toml", "--load", self.checkpoints("p") / "best.ckpt")


    def test_a_training_that_cannot_start_leaves_the_earlier_one_alone(self):
        self.good("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p")
        before = {path: digest(path) for path in (self.folder / "mase_output").rglob("*") if path.is_file()}
        self.refused("train", "jsc-tiny", "jsc", "--rows", 6000, "--batch-size", 1, "--project", "p", says=["batch"])
        after = {path: digest(path) for path in (self.folder / "mase_output").rglob("*") if path.is_file()}
        self.assertEqual(before, after)

    def test_ctrl_c_is_heard_when_an_epoch_is_one_step(self):
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        process = subprocess.Popen([CH, "train", "jsc-tiny", "jsc", "--rows", "2000", "--batch-size", "100000",
                                    "--max-epochs", "3000000", "--project", "p", "--json", "out.json"],
                                   cwd=self.folder, env=environment, stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, text=True)
        for line in process.stderr:
            if "Epoch 3/" in line:
                break
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60 * SLOWER), 130, rest)
        self.assertIn("Interrupted after step", rest)
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["ending"], "interrupted")

    def test_resuming_with_other_data_or_another_network_is_refused(self):
        rows = "\n".join(f"{i % 13},{i % 7},{i % 2}" for i in range(200))
        data = self.folder / "d.csv"
        data.write_text(f"a,b,label\n{rows}\n")
        net = '[model]\nname = "n"\nlayers = [{ op = "linear", out_features = 4 }, "%s", { op = "linear", out_features = "classes" }]\n'
        (self.folder / "n.toml").write_text(net % "relu")
        words = ["train", "n.toml", data, "--max-epochs", 2, "--batch-size", 16, "--project", "p"]
        self.good(*words)
        data.write_text(f"a,b,label\n{rows}\n".replace("12,", "11,"))
        self.refused(*words, "--resume", says=["other settings", "contents of the data"])
        (self.folder / "n.toml").write_text(net % "tanh")
        self.refused("test", "n.toml", data, "--load", self.checkpoints("p") / "best.ckpt", says=["another network", "tanh"])


class Sweeping(InFolder):
    def test_a_grid_ends_in_one_table(self):
        result = self.good("sweep", "jsc-tiny", "jsc", "--rows", 6000, "--max-epochs", 2, "--batch-size", "64,128",
                           "--learning-rate", "1e-4,1e-3", "--project", "p", "--json", "s.json")
        rows = json.loads((self.folder / "s.json").read_text())["runs"]
        self.assertEqual([(r["batch_size"], r["learning_rate"]) for r in rows],
                         [(64, 0.0001), (64, 0.001), (128, 0.0001), (128, 0.001)])
        for row in rows:
            self.assertEqual(row["epochs"], 2)
            self.assertGreater(row["val_loss"], 0)
        folder = self.folder / "mase_output" / "p" / "software" / "sweep"
        table = (folder / "sweep.csv").read_text().splitlines()
        self.assertEqual(len(table), 5)
        for name, value in (("model", "jsc-tiny"), ("dataset", "jsc"), ("max_epochs", "2"), ("seed", "0")):
            self.assertIn(value, table[1].split(",")[table[0].split(",").index(name)])
        for curve in ("train_loss", "val_loss", "train_acc", "val_acc"):
            self.assertEqual((folder / f"{curve}.svg").read_text().count("batch_size=64 learning_rate=0.001<"), 1)
        epochs = (folder / "batch_size=64_learning_rate=0.001" / "metrics.csv").read_text().splitlines()
        self.assertEqual(len(epochs), 3)
        self.assertIn("val_acc_epoch", epochs[0])
        self.assertIn("batch_size", result.stdout)
        self.assertIn("Every run: model jsc-tiny, dataset jsc, max_epochs 2", result.stdout)

    def test_several_networks_and_seeds_have_mean_and_deviation(self):
        words = ["sweep", "--model", "jsc-tiny,jsc-toy", "--in", "jsc", "--rows", 2000, "--max-epochs", 1, "--seed", "0,1,2",
                 "--project", "p"]
        result = self.good(*words, "--json", "s.json", "--markdown")
        found = json.loads((self.folder / "s.json").read_text())
        self.assertEqual([(r["model"], r["seed"]) for r in found["runs"]],
                         [(model, seed) for seed in (0, 1, 2) for model in ("jsc-tiny", "jsc-toy")])
        for row in found["over_seeds"]:
            values = [r["val_acc"] for r in found["runs"] if r["model"] == row["model"]]
            self.assertEqual((row["seeds"], len(values)), (3, 3))
            self.assertAlmostEqual(row["val_acc"], statistics.mean(values), places=12)
            self.assertAlmostEqual(row["val_acc_deviation"], statistics.stdev(values), places=12)
        self.assertRegex(result.stdout, r"(?m)^\| +seed \| +model \| +dataset \|.*\n\|-+:?\|")
        self.assertRegex(result.stdout, r"0\.\d{4} ± 0\.\d{4}")
        self.refused("sweep", "jsc-tiny,jsc-toi", "jsc", "--rows", 2000, says=["unknown model 'jsc-toi'"])

    def test_an_earlier_sweep_is_kept(self):
        for seed in (0, 1):
            self.good("sweep", "jsc-tiny", "jsc", "--rows", 2000, "--max-epochs", 1, "--batch-size", "64,128",
                      "--project", "p", "--seed", seed)
        software = self.folder / "mase_output" / "p" / "software"
        first, second = ((software / name / "batch_size=64" / "best.ckpt") for name in ("sweep-v1", "sweep"))
        self.assertNotEqual(digest(first), digest(second))

    def test_a_trial_equals_the_same_training_alone(self):
        self.good("sweep", "jsc-tiny", "jsc", "--rows", 6000, "--max-epochs", 2, "--batch-size", "64,128", "--project", "p",
                  "--json", "s.json")
        self.good("train", "jsc-tiny", "jsc", "--rows", 6000, "--max-epochs", 2, "--batch-size", 128, "--project", "q",
                  "--json", "t.json")
        sweep = json.loads((self.folder / "s.json").read_text())["runs"][1]
        alone = json.loads((self.folder / "t.json").read_text())
        self.assertEqual(sweep["test_loss"], alone["test"]["loss"])
        self.assertEqual(sweep["val_loss"], alone["validation"]["loss"])
        self.assertGreater(alone["seconds"], 0)

    def test_the_same_point_twice_is_refused(self):
        self.refused("sweep", "jsc-tiny", "jsc", "--rows", 6000, "--learning-rate", "1e-3,0.001", says=["twice"])


class BadInput(InFolder):
    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_unknown_model_names_the_nearest(self):
        self.refused("train", "jsc-tinny", "jsc", says=["unknown model 'jsc-tinny'", "jsc-tiny"])

    def test_unknown_data_set_names_the_nearest(self):
        self.refused("train", "jsc-tiny", "jcs", says=["'jcs'", "jsc"])

    def test_negative_batch_size(self):
        self.refused("train", "jsc-tiny", "jsc", "--batch-size", "-4", code=2, says=["--batch-size", "-4"])

    def test_missing_data_file(self):
        self.refused("train", "jsc-tiny", "no-such.csv", says=["no-such.csv"])

    def test_missing_checkpoint(self):
        self.refused("test", "jsc-tiny", "jsc", "--load", "no-such.ckpt", says=["no-such.ckpt"])

    def test_wrong_column_count(self):
        path = self.write("d.csv", "a,b,label\n1,2,0\n1,2\n")
        self.refused("train", "toy", path, says=["d.csv", "3"])

    def test_nan_in_the_data(self):
        rows = "\n".join(f"{i},{i % 7},{i % 2}" for i in range(40))
        path = self.write("d.csv", f"a,b,label\n{rows}\n1,nan,0\n")
        self.refused("train", "toy", path, says=["d.csv", "nan"])

    def test_truncated_checkpoint(self):
        self.good("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p")
        whole = (self.checkpoints("p") / "best.ckpt").read_bytes()
        for size in (0, 4, 100, len(whole) // 2, len(whole) - 1):
            (self.folder / "cut.ckpt").write_bytes(whole[:size])
            self.refused("test", "jsc-tiny", "jsc", "--rows", 6000, "--load", "cut.ckpt", says=["cut.ckpt"])

    def test_checkpoint_of_another_model(self):
        self.good("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p")
        self.refused("test", "jsc-toy", "jsc", "--rows", 6000, "--load", self.checkpoints("p") / "best.ckpt",
                     says=["another network", "missing: "])

    def test_a_header_that_lies_about_its_length(self):
        (self.folder / "lie.ckpt").write_bytes(struct.pack("<Q", 2**62) + b"{}")
        self.refused("test", "jsc-tiny", "jsc", "--rows", 6000, "--load", "lie.ckpt", says=["lie.ckpt"])

    def test_unwritable_folder(self):
        self.write("blocked", "a file where a folder should be")
        self.refused("train", "jsc-tiny", "jsc", "--rows", 6000, "--project-dir", "blocked", says=["blocked"])

    def test_model_that_does_not_fit_the_data(self):
        self.refused("train", "toy_convnet", "jsc", "--rows", 6000)

    def test_unknown_toml_key_and_bad_value(self):
        path = self.write("c.toml", 'model = "jsc-tiny"\ndataset = "jsc"\nbatchsize = 12\n')
        self.refused("train", "--config", path, says=["batchsize", "batch_size", "c.toml:3"])
        path = self.write("c.toml", 'model = "jsc-tiny"\ndataset = "jsc"\ntraining_optimizer = "adagrad"\n')
        self.refused("train", "--config", path, says=["training_optimizer", "adagrad", "adam"])

    def test_a_loss_that_explodes_is_an_error_with_a_hint(self):
        result = ch("train", "jsc-three-linear", "jsc", "--rows", 6000, "--max-epochs", 2, "--training-optimizer", "sgd",
                    "--learning-rate", "1e30", "--project", "p", folder=self.folder)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("smaller --learning-rate", result.stderr)


if __name__ == "__main__":
    unittest.main()
