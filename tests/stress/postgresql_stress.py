"""Workers of one study on PostgreSQL that are killed, and servers that go away: no trial is lost, none counts twice."""
import os
import signal
import time
import unittest

from stress import Stress, say

CONFIG = """
model = "jsc-tiny"
dataset = "jsc"
rows = 2000
batch_size = 128

[search.search_space.seed.seq_blocks_2.config]
name = ["integer"]
data_in_width = [2, 3, 4, 5, 6, 7, 8]
weight_width = [2, 3, 4, 5, 6, 7, 8]
bias_width = [2, 3, 4, 5, 6, 7, 8]

[search.search_space.train]
learning_rate = { low = 1e-4, high = 1e-1, log = true }

[search.strategy.sw_runner.basic_train]
max_epochs = 30

[search.strategy.setup]
n_trials = 100
sampler = "random"

[search.strategy.metrics.accuracy]
direction = "maximize"
"""


class Workers(Stress):
    def setUp(self):
        super().setUp()
        from postgres_server import PostgresServer
        self.server = PostgresServer()
        self.addCleanup(self.server.close)
        (self.folder / "s.toml").write_text(CONFIG)
        self.environment["PGPASSWORD"] = "s3cret/@:word"

    def worker(self, database, trials, heartbeat):
        log = open(self.folder / "log.txt", "a", encoding="utf-8")
        self.addCleanup(log.close)
        return self.start("search", "--config", "s.toml", "--storage",
                          f"postgresql://chop@127.0.0.1:{self.server.port}/{database}", "--study", "s", "--trials",
                          trials, "--heartbeat", heartbeat, "--threads", 1, stderr=log)

    def database(self):
        return self.server.new_database().rpartition("/")[2]

    def complete(self, database):
        try:
            return int(self.server.psql("SELECT COUNT(*) FROM trials WHERE state = 'COMPLETE'", database))
        except (RuntimeError, ValueError):
            return 0

    def check(self, database, trials):
        """As many complete as were asked for; every failed one has exactly one successor."""
        import optuna
        os.environ["PGPASSWORD"] = "s3cret/@:word"
        found = optuna.load_study(study_name="s", storage=f"postgresql://chop@127.0.0.1:{self.server.port}/"
                                  f"{database}").trials
        self.assertEqual([t.number for t in found], list(range(len(found))))
        failed = [t.number for t in found if t.state.name == "FAIL"]
        retried = [t.system_attrs["failed_trial"] for t in found if "failed_trial" in t.system_attrs]
        self.assertEqual(sorted(retried), failed)
        states = {name: sum(t.state.name == name for t in found) for name in ("COMPLETE", "RUNNING", "WAITING")}
        self.assertEqual(states, {"COMPLETE": trials, "RUNNING": 0, "WAITING": 0})
        return len(failed)

    def run_workers(self, database, trials, heartbeat, count, disturb):
        """`disturb(workers)` is called now and then until it says that it is done."""
        workers = [self.worker(database, trials, heartbeat) for _ in range(count)]
        busy = True
        while busy and self.complete(database) < trials - 2 * count:
            time.sleep(0.1)
            self.assertTrue(any(w.poll() is None for w in workers), (self.folder / "log.txt").read_text()[-3000:])
            busy = disturb(workers)
        for one in workers:
            self.assertIn(one.wait(timeout=600), (0, -signal.SIGKILL), (self.folder / "log.txt").read_text()[-3000:])

    def test_killed_workers_lose_nothing(self):
        database, trials, kills = self.database(), 1500, 0
        due = time.monotonic() + 1

        def kill_one(workers):
            nonlocal kills, due
            if time.monotonic() < due:
                return True
            due = time.monotonic() + self.random.uniform(0.1, 0.6)
            at = self.random.randrange(len(workers))
            workers[at].kill()
            workers[at].wait()
            kills += 1
            workers[at] = self.worker(database, trials, 0.5)
            return kills < 20 and not self.is_over()

        self.run_workers(database, trials, 0.5, 4, kill_one)
        failed = self.check(database, trials)
        say(f"{kills} workers killed, {trials} trials complete, {failed} tried again, 0 lost, 0 twice")

    def test_outages_lose_nothing(self):
        def outage(act):
            done = False

            def once(_):
                nonlocal done
                if not done and self.complete(database) > 20:
                    act()
                    done = True
                return not done
            return once

        def away(seconds, mode):
            self.server.stop(mode)
            time.sleep(seconds)
            self.server.start()

        for name, act in (("fast restart", lambda: away(0, "fast")),
                          ("immediate restart", lambda: away(0, "immediate")),
                          ("12 s away", lambda: away(12, "fast"))):
            with self.subTest(name):
                database, trials = self.database(), 300
                self.run_workers(database, trials, 1, 3, outage(act))
                say(f"  {name}: {trials} trials complete, {self.check(database, trials)} tried again, 0 lost, 0 twice")

    def test_a_worker_that_stands_still_brings_no_trial_back(self):
        database, trials, stops = self.database(), 1000, 0

        def stop_one(workers):
            nonlocal stops
            if self.complete(database) < 20 * (stops + 1):
                return True
            one = self.random.choice(workers)
            one.send_signal(signal.SIGSTOP)
            time.sleep(2.5)
            one.send_signal(signal.SIGCONT)
            stops += 1
            return stops < 4

        self.run_workers(database, trials, 0.5, 3, stop_one)
        failed = self.check(database, trials)
        dropped = (self.folder / "log.txt").read_text().count("result is dropped")
        say(f"{stops} workers stopped for 2.5 s: {trials} complete, {failed} tried again, {dropped} late results dropped")


if __name__ == "__main__":
    unittest.main()
