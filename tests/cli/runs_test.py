"""Runs beside each other, runs that are stopped, and runs whose folders go: nothing is lost in silence."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

CH = os.environ["CH_BIN"]
SMALL = ["--rows", "6000", "--batch-size", "64", "--learning-rate", "1e-3", "--t-max", "10"]
LONG = ["train", "jsc-tiny", "jsc", "--rows", "2000", "--batch-size", "64", "--t-max", "10",
        "--max-epochs", "3000000"]


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        self.projects = self.folder / "mase_output"

    def ch(self, *words, code=0, **more):
        done = subprocess.run([CH, *map(str, words)], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def start(self, *words, until="Epoch 3/", **more):
        """A process that has said `until` on stderr."""
        process = subprocess.Popen([CH, *map(str, words)], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **more)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if until in line:
                return process
        self.fail(f"ended with {process.wait()} before '{until}'")

    def end(self, process, number):
        process.send_signal(number)
        said = process.stderr.read()
        return process.wait(60), said

    def checkpoints(self, project):
        return self.projects / project / "software" / "training_ckpts"


class AtOnce(InFolder):
    def test_a_second_run_in_a_project_is_refused_and_names_the_first(self):
        first = self.start(*LONG, "--project", "p")
        said = self.ch("train", "jsc-tiny", "jsc", *SMALL, "--project", "p", code=1).stderr
        self.assertIn("is in use by `ch train`", said)
        self.assertIn(f"process {first.pid} on ", said)
        self.assertIn("--project NAME", said)
        self.ch("test", "jsc-tiny", "jsc", "--rows", 2000, "--load", self.first_last("p"), "--project", "p")
        self.assertEqual(self.end(first, signal.SIGKILL)[0], -signal.SIGKILL)
        # A lock ends with its process.
        self.ch("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p")
        self.assertEqual([*self.checkpoints("p").glob(".lock")], [])

    def first_last(self, project):
        """A checkpoint of another project, since the running one may not have any yet."""
        self.ch("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", f"{project}2")
        return self.checkpoints(f"{project}2") / "best.ckpt"

    def test_runs_without_a_project_never_meet(self):
        words = [CH, "train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", "2", "--json"]
        rates = ["1e-2", "1e-5", "1e-3", "1e-4"]
        processes = [subprocess.Popen([*words, f"{rate}.json", "--learning-rate", rate], cwd=self.folder,
                                      env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                     for rate in rates]
        self.assertEqual([process.wait(120) for process in processes], [0] * 4)
        folders = set()
        for rate in rates:
            told = json.loads((self.folder / f"{rate}.json").read_text())
            folders.add(told["checkpoints"])
            name = pathlib.Path(told["checkpoints"]).parts[-3]
            self.assertRegex(name, r"^jsc-tiny_classification_jsc_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(-\d+)?$")
            tested = json.loads(self.ch("test", "jsc-tiny", "jsc", "--rows", 6000, "--load",
                                        f"{told['checkpoints']}/best.ckpt", "--json", "-").stdout)
            self.assertAlmostEqual(tested["loss"], told["test"]["loss"], delta=1e-6)
            # Testing adds to the project of what is tested.
            self.assertTrue((self.projects / name / "software/test/confusion.csv").exists())
        self.assertEqual(len(folders), 4)
        self.assertEqual(len([*self.projects.iterdir()]), 4)

    def test_a_run_that_cannot_start_leaves_no_folder(self):
        self.ch("train", "jsc-tiny", "jsc", "--rows", 6000, "--batch-size", 1, code=1)
        self.assertEqual([*self.folder.glob("mase_output/*")], [])


class Resuming(InFolder):
    def test_without_a_project_the_run_that_saved_last_goes_on(self):
        words = ["train", "jsc-tiny", "jsc", *SMALL, "--max-epochs"]
        self.ch(*words, 2, "--project", "whole")
        self.ch(*words, 1, "--project", "jsc-tiny_classification_jsc_2020-01-01")
        newer = "jsc-tiny_classification_jsc_2020-01-01_10-00-00"
        self.ch(*words, 1, "--project", newer)
        self.ch(*words, 1, "--project", "jsc-tiny_classification_jsc_other")
        said = self.ch(*words, 2, "--resume").stderr
        self.assertIn(f"Resuming from {self.checkpoints(newer) / 'last.ckpt'}", said)
        self.assertEqual(digest(self.checkpoints(newer) / "last.ckpt"), digest(self.checkpoints("whole") / "last.ckpt"))

    def test_nothing_to_resume_is_said_with_the_names_looked_for(self):
        said = self.ch("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--resume").stderr
        self.assertIn("nothing to resume at", said)
        self.assertIn("mase_output/jsc-tiny_classification_jsc_*; starting from the beginning", said)

    def test_resume_and_load_exclude_each_other(self):
        words = ["train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p"]
        self.ch(*words)
        said = self.ch(*words, "--resume", "--load", self.checkpoints("p") / "best.ckpt", code=1).stderr
        self.assertIn("--resume and --load exclude each other", said)

    def test_fewer_epochs_than_were_done_are_said(self):
        words = ["train", "jsc-tiny", "jsc", *SMALL, "--project", "p", "--max-epochs"]
        self.ch(*words, 3)
        self.assertIn("has done 3 epochs, --max-epochs is 2", self.ch(*words, 2, "--resume").stderr)
        self.assertNotIn("nothing was left", self.ch(*words, 3, "--resume").stderr)

    def test_a_run_that_was_over_but_for_its_best_checkpoint_is_resumed_to_it(self):
        words = ["train", "jsc-tiny", "jsc", *SMALL, "--project", "p", "--max-epochs", 2]
        self.ch(*words)
        best = self.checkpoints("p") / "best.ckpt"
        before = digest(best)
        best.write_text("what was there when the run was killed")
        self.ch(*words, "--resume")
        self.assertEqual(digest(best), before)

    def test_a_task_that_is_not_there_is_said(self):
        said = self.ch("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p", "--task", "lm").stderr
        self.assertIn("task 'lm' is not available", said)


class BeforeTheFirstCheckpoint(InFolder):
    def test_a_run_that_fails_leaves_the_earlier_checkpoints_in_place(self):
        words = ["train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p"]
        self.ch(*words)
        folder = self.checkpoints("p")
        before = {name: digest(folder / name) for name in ("best.ckpt", "last.ckpt")}
        logs = self.projects / "p/software/tensorboard/lightning_logs"
        shutil.rmtree(logs)
        logs.write_text("in the way of hparams.yaml")
        self.ch(*words, "--seed", 7, code=1)
        self.assertEqual({path.name for path in folder.iterdir()}, {"best.ckpt", "last.ckpt"})
        logs.unlink()
        # Ended by a loss that is no number, before anything was saved.
        self.ch(*words, "--learning-rate", "1e30", code=1)
        self.ch(*words, "--learning-rate", "1e30", code=1)
        self.assertEqual({name: digest(folder / name) for name in before}, before)
        self.assertFalse((folder / "best-v2.ckpt").exists())  # they were set aside once
        self.ch(*words, "--resume")
        self.assertEqual({name: digest(folder / name) for name in before}, before)
        self.ch(*words, "--seed", 7)
        self.assertEqual(digest(folder / "best-v1.ckpt"), before["best.ckpt"])
        self.assertNotEqual(digest(folder / "best.ckpt"), before["best.ckpt"])

    def test_a_full_disk_at_the_first_checkpoint_changes_nothing(self):
        words = ["train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p"]
        self.ch(*words)
        folder = self.checkpoints("p")
        before = {name: digest(folder / name) for name in ("best.ckpt", "last.ckpt")}
        small = [CH, *map(str, words), "--seed", "7"]
        done = subprocess.run(["prlimit", "--fsize=4000", "--", *small], cwd=self.folder, env=self.environment,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"last.ckpt': File too large", done.stderr)
        self.assertEqual({name: digest(folder / name) for name in before}, before)
        self.assertIn("Resuming from", self.ch(*words, "--resume").stderr)


    def test_a_sweep_that_leaves_no_checkpoint_leaves_the_earlier_one_in_place(self):
        words = ["sweep", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p"]
        self.ch(*words, "--seed", "0,1")
        folder = self.projects / "p/software"
        before = {path: digest(path) for path in folder.rglob("*") if path.is_file()}
        self.ch(*words, "--learning-rate", "1e29,1e30", code=1)
        self.assertEqual({path: digest(path) for path in folder.rglob("*") if path.is_file()}, before)


class WhatIsThere(InFolder):
    WORDS = ["train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p"]

    def test_a_backup_of_the_users_stays_and_what_a_killed_run_left_goes(self):
        self.ch(*self.WORDS)
        folder = self.checkpoints("p")
        backup, stray = folder / "best.ckpt.tmp-my-own-backup", folder / "best.ckpt.tmp-abcdefghijk1"
        for path in (backup, stray):
            path.write_text("precious")
            os.utime(path, (0, 0))
        self.ch(*self.WORDS)
        self.assertEqual(backup.read_text(), "precious")
        self.assertFalse(stray.exists())

    def test_what_killed_runs_left_in_any_folder_goes_at_once(self):
        self.ch(*self.WORDS)
        logs = self.projects / "p/software/tensorboard/lightning_logs/version_0"
        old = self.checkpoints("p") / "best.ckpt.tmp2147483647-1"  # a name of version 0.1.0
        left = [self.checkpoints("p") / "epoch.tmp-abcdefghijkl", logs / "metrics.csv.tmp-abcdefghijkl", old]
        for path in left:
            path.write_text("half")
        os.utime(old, (0, 0))
        self.ch(*self.WORDS, "--resume")
        self.assertEqual([path for path in left if path.exists()], [])

    def test_a_checkpoint_behind_a_link_is_kept_with_its_weights(self):
        self.ch(*self.WORDS)
        best = self.checkpoints("p") / "best.ckpt"
        (self.folder / "store").mkdir()
        best.rename(self.folder / "store/best.ckpt")
        best.symlink_to(self.folder / "store/best.ckpt")
        before = [digest(best)]
        for seed in (7, 8):
            self.ch(*self.WORDS, "--seed", seed)
            self.assertTrue(best.is_symlink())
            self.assertNotIn(digest(best), before)
            kept = [digest(best.with_name(f"best-v{version + 1}.ckpt")) for version in range(len(before))]
            self.assertEqual(kept, before)
            before.append(digest(best))


class Stopping(InFolder):
    def test_every_signal_saves_and_shows_in_the_exit_code(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
                       signal.SIGXCPU):
            with self.subTest(number.name):
                code, said = self.end(self.start(*LONG, "--project", number.name), number)
                self.assertEqual(code, 128 + number, said)
                self.assertIn(f"--project {number.name} --resume", said)
                self.assertTrue((self.checkpoints(number.name) / "last.ckpt").exists())

    def test_a_quiet_run_says_how_to_resume_it_too(self):
        process = subprocess.Popen([CH, *LONG, "--quiet"], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        until = time.monotonic() + 60
        while not [*self.projects.glob("*/software/training_ckpts/last.ckpt")] and time.monotonic() < until:
            time.sleep(0.05)
        code, said = self.end(process, signal.SIGINT)
        self.assertEqual(code, 130, said)
        self.assertRegex(said, r"--project jsc-tiny_classification_jsc_\S+ --resume` continues from ")

    def test_a_second_ctrl_c_ends_at_once(self):
        # The pipe is full, so the run cannot end by itself: it waits to say what it did.
        process = self.start(*LONG, "--project", "p")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        self.assertIn(process.wait(60), (-signal.SIGINT, 130))

    def test_a_reader_that_goes_away_ends_the_run_with_its_epochs_saved(self):
        process = self.start(*LONG, "--project", "p")
        process.stderr.close()
        self.assertEqual(process.wait(60), 128 + signal.SIGPIPE)
        done = self.ch("train", *LONG[1:-1], 1, "--project", "p", "--resume").stderr
        self.assertIn("Resuming from", done)
        epochs = int(re.search(r"has done (\d+) epochs", done).group(1))
        self.assertGreaterEqual(epochs, 3)

    def test_ctrl_c_ends_a_sweep_with_130(self):
        process = self.start("sweep", *LONG[1:-2], "--max-epochs", "1,100000000", "--threads", 1, "--project", "p",
                             until="[1/2]")
        code, said = self.end(process, signal.SIGINT)
        self.assertEqual(code, 130, said)
        self.assertIn("interrupted", said)
        self.assertRegex((self.projects / "p/software/sweep/sweep.csv").read_text(), "interrupted|not finished")


class FoldersThatGo(InFolder):
    def test_a_project_removed_in_mid_run_is_written_anew(self):
        process = self.start(*LONG, "--project", "p", "--json", "out.json")
        (self.projects / "p").rename(self.folder / "elsewhere")
        for line in process.stderr:
            if "was removed during the run" in line:
                break
        code, said = self.end(process, signal.SIGINT)
        self.assertEqual(code, 130, said)
        self.assertNotIn("was removed during", said)  # said once
        logs = self.projects / "p/software/tensorboard/lightning_logs/version_0"
        self.assertIn("max_epochs", (logs / "hparams.yaml").read_text())
        self.assertEqual(len([*logs.glob("events.out.tfevents.*")]), 1)
        epochs = json.loads((self.folder / "out.json").read_text())["epochs"]
        self.assertEqual((logs / "metrics.csv").read_text().count("\n"), epochs + 1)
        for name in ("best.ckpt", "last.ckpt"):
            self.assertTrue((self.checkpoints("p") / name).exists())

    def test_a_lock_removed_in_mid_run_is_made_anew_and_is_no_loss(self):
        process = self.start(*LONG, "--project", "p")
        lock = self.checkpoints("p") / ".lock"
        lock.unlink()
        for line in process.stderr:
            if lock.exists():
                break
            self.assertNotIn("was removed", line)
        self.assertIn("is in use by `ch train`", self.ch(*LONG, "--project", "p", code=1).stderr)
        self.assertNotIn("was removed", self.end(process, signal.SIGINT)[1])

    def test_a_checkpoint_from_elsewhere_is_tested_in_a_project_of_its_own(self):
        self.ch("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p")
        best = self.checkpoints("p") / "best.ckpt"
        said = self.ch("test", best, "jsc", "--rows", 2000, "--project-dir", "here").stderr
        self.assertIn("Project will be created at ", said)
        (made,) = (self.folder / "here").iterdir()
        self.assertTrue((made / "software/test/confusion.csv").exists())
        self.assertFalse((self.projects / "p/software/test").exists())

    def test_a_test_that_cannot_write_prints_its_result(self):
        self.ch("train", "jsc-tiny", "jsc", *SMALL, "--max-epochs", 1, "--project", "p")
        best = self.checkpoints("p") / "best.ckpt"
        (self.folder / "file").write_text("no folder")
        done = self.ch("test", "jsc-tiny", "jsc", "--rows", 6000, "--load", best, "--project-dir", "file")
        self.assertIn("test_acc_epoch", done.stdout)
        self.assertIn("confusion.csv and .svg are not written", done.stderr)


class FullOutput(InFolder):
    def test_help_and_version_that_nobody_gets_are_errors(self):
        for words in (["--help"], ["--version"], ["train", "--help"]):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([CH, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn("cannot write the result", done.stderr)


if __name__ == "__main__":
    unittest.main()
