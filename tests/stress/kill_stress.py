"""Training killed (SIGKILL) at random moments and resumed ends in the bytes of a run that was left alone."""
import os
import time
import unittest

from stress import SOURCE, Stress, digest, say

KILLS = int(os.environ.get("CH_STRESS_KILLS", "5"))  # of each set-up
JSC = ["jsc", "--rows", 30000, "--checkpoint-every-n-steps", 40]
FORMATS = ["lsq_integer", "integer", "binary_residual", "mxfp", "block_fp", "ternary"]
SETUPS = {
    "adam": ["jsc-s", *JSC, "--batch-size", 32],
    "adamw": ["jsc-tiny", *JSC, "--batch-size", 16, "--training-optimizer", "adamw", "--weight-decay", "1e-2"],
    "sgd": ["jsc-s", *JSC, "--batch-size", 32, "--training-optimizer", "sgd"],
    "sgd without nesterov": ["jsc-s", *JSC, "--batch-size", 32, "--training-optimizer", "sgd", "--no-nesterov"],
    "momentum": ["jsc-toy", *JSC, "--batch-size", 16, "--training-optimizer", "sgd", "--momentum", "0.5"],
    "accumulation": ["jsc-s", *JSC, "--batch-size", 16, "--accumulate-grad-batches", 3],
    "schedule": ["jsc-s", *JSC, "--batch-size", 32, "--t-max", 2, "--eta-min", "1e-5"],
    "patience": ["jsc-toy", *JSC, "--batch-size", 16, "--patience", 1, "--learning-rate", "1e-1"],
    "max steps": ["jsc-s", *JSC, "--batch-size", 32, "--max-steps", 1900],
    "large batches": ["jsc-trt", "jsc", "--rows", 60000, "--batch-size", 2000, "--checkpoint-every-n-steps", 3],
    "validation on train": ["jsc-toy", *JSC, "--batch-size", 32, "--validation", "train"],
    "another seed": ["jsc-tiny", *JSC, "--batch-size", 16, "--seed", 7],
    "few checkpoints": ["jsc-s", "jsc", "--rows", 30000, "--batch-size", 32, "--checkpoint-every-seconds", 1],
    "every step": ["jsc-tiny", "jsc", "--rows", 6000, "--batch-size", 32, "--checkpoint-every-n-steps", 1],
    **{name: ["jsc-tiny", *JSC, "--batch-size", 32] for name in FORMATS},
}


class Kills(Stress):
    def quantised(self, name):
        """A network with that format, to be trained on."""
        config = SOURCE / f"configs/examples/quantize/{name}.toml"
        self.ch("transform", "jsc-tiny", "jsc", "--rows", 4000, "--config", config, "--project", f"{name}-made", "-q")
        return ["--load", f"mase_output/{name}-made/software/transform/transformed_ckpt/graph_module.mz"]

    def words(self, setup, project):
        threads = self.random.choice([1, 2, 3])
        return ["train", *setup, "--max-epochs", 3, "--learning-rate", "1e-3", "-q", "--project", project,
                "--threads", threads]

    def kill_and_resume(self, setup, load, project, seconds, most):
        """How often it was killed, at most so often, before its end."""
        kills, begun = 0, False
        while kills < most and not self.is_over():
            process = self.start(*self.words(setup, project), *(["--resume"] if begun else load))
            time.sleep(self.random.uniform(0.05, 0.6 * seconds))
            process.kill()
            if process.wait() == 0:
                return kills  # it was faster
            kills += 1
            begun = begun or self.checkpoint(project, "last.ckpt").exists()
        self.ch(*self.words(setup, project), *(["--resume"] if begun else load))
        return kills

    def test_killed_runs_resume_to_the_same_bytes(self):
        setups = kills = 0
        for name, setup in SETUPS.items():
            if self.is_over():
                break
            with self.subTest(name):
                load = self.quantised(name) if name in FORMATS else []
                whole, cut = f"{name} whole".replace(" ", "-"), f"{name} cut".replace(" ", "-")
                began = time.monotonic()
                self.ch(*self.words(setup, whole), *load)
                seconds = time.monotonic() - began
                killed = 0
                while killed < KILLS and not self.is_over():
                    killed += self.kill_and_resume(setup, load, cut, seconds, KILLS - killed)
                    for file in ("best.ckpt", "last.ckpt"):
                        self.assertEqual(digest(self.checkpoint(cut, file)), digest(self.checkpoint(whole, file)), file)
                    cut += "-again"
                setups, kills = setups + 1, kills + killed
                say(f"  {name}: {killed} kills in runs of {seconds:.1f} s, equal bytes")
        say(f"{kills} kills over {setups} set-ups of {len(SETUPS)}: all resumed to equal bytes")


if __name__ == "__main__":
    unittest.main()
