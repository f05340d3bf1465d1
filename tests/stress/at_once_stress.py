"""Runs that begin at the same moment: with names of their own both results are there, in one project one is refused."""
import json
import pathlib
import unittest

from stress import Stress, say

WORDS = ["train", "jsc-trt", "jsc", "--rows", 20000, "--batch-size", 256, "--max-epochs", 2, "-q"]


class AtOnce(Stress):
    def loss_of(self, checkpoint):
        return json.loads(self.ch("test", "jsc-trt", "jsc", "--rows", 20000, "--load", checkpoint, "--project", "t",
                                  "--json", "-").stdout)["loss"]

    def test_two_runs_without_a_project_leave_two_results(self):
        pairs = 0
        while pairs < 20 and not self.is_over():
            rates = ["1e-2", "1e-5"]
            runs = [self.start(*WORDS, "--learning-rate", rate, "--json", f"{rate}.json") for rate in rates]
            self.assertEqual([run.wait() for run in runs], [0, 0])
            told = [json.loads((self.folder / f"{rate}.json").read_text()) for rate in rates]
            self.assertNotEqual(told[0]["checkpoints"], told[1]["checkpoints"])
            for one in told:
                self.assertAlmostEqual(self.loss_of(pathlib.Path(one["checkpoints"]) / "best.ckpt"),
                                       one["test"]["loss"], delta=1e-6)
            pairs += 1
        say(f"{pairs} pairs of runs at once: {2 * pairs} results, each as its run printed it")

    def test_of_two_runs_in_one_project_one_is_refused(self):
        pairs = refused = 0
        while pairs < 20 and not self.is_over():
            rates = ["1e-2", "1e-5"]
            runs = [self.start(*WORDS, "--learning-rate", rate, "--json", f"{rate}.json", "--project", f"p{pairs}")
                    for rate in rates]
            codes = [run.wait() for run in runs]
            self.assertIn(0, codes)
            self.assertLessEqual(set(codes), {0, 1})
            last = [rate for rate, code in zip(rates, codes) if code == 0]
            losses = [json.loads((self.folder / f"{rate}.json").read_text())["test"]["loss"] for rate in last]
            # Both succeed when one began after the other's end: then the first is kept as best-v1.
            found = [self.loss_of(self.checkpoint(f"p{pairs}", name))
                     for name in ["best.ckpt", "best-v1.ckpt"][:len(last)]]
            for loss in losses:
                self.assertLess(min(abs(loss - one) for one in found), 1e-6)
            pairs, refused = pairs + 1, refused + codes.count(1)
        say(f"{pairs} pairs of runs in one project: {refused} refused, no result lost")


if __name__ == "__main__":
    unittest.main()
