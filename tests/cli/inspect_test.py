"""ch inspect, bench-model and calculate_flops as a person uses them."""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from in_folder import InFolder  # noqa: E402

SOURCE = pathlib.Path(os.environ["CH_SOURCE"])


class CalculateFlops(InFolder):
    def test_the_seeds_numbers_for_jsc_tiny(self):
        total = self.json("pass", "calculate_flops", "jsc-tiny", "--batch-size", 8)["passes"][0]["info"]["total"]
        self.assertEqual(total["lab"], {"flops": 1320, "operations": 1320, "bitops": 42240})
        self.assertEqual(total["macs"], 640)
        self.assertEqual(total["total_parameters"], 117)
        with_bias = self.json("pass", "calculate_flops", "jsc-tiny", "batch_size=8", "count_bias=true")
        self.assertEqual(with_bias["passes"][0]["info"]["total"]["lab"]["flops"], 1360)

    def test_wrong_arguments_say_what_is_allowed(self):
        self.refused("pass", "calculate_flops", "jsc-tiny", "convention=mine", says=["convention", "lab, exact, both"])
        self.refused("pass", "calculate_flops", "jsc-tiny", "batch_size=0", says=["batch_size"])


class Inspect(InFolder):
    def test_one_screen_of_a_small_network(self):
        text = self.good("inspect", "jsc-tiny").stdout
        for part in ["117 parameters", "batch of 1 sample", "seq_blocks_2", "linear", "float32", "Total:"]:
            self.assertIn(part, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_a_data_set_that_is_not_there_is_an_error_where_shapes_are_known_too(self):
        self.refused("inspect", "jsc-tiny", "nowhere.csv", says=["nowhere.csv"])
        self.refused("inspect", "jsc-tiny", "jcs", says=["jcs", "jsc"])
        self.good("inspect", "jsc-tiny", "jsc")

    def test_explain_says_what_the_columns_mean(self):
        self.assertNotIn("multiply-accumulates for", self.good("inspect", "jsc-tiny").stdout)
        self.assertIn("multiply-accumulates for", self.good("inspect", "jsc-tiny", "--explain").stdout)

    def test_a_network_of_huge_shapes_is_shown_without_being_run(self):
        text = self.good("inspect", "jsc-tiny", "--batch-size", 30_000_000).stdout
        self.assertIn("not timed, because a run takes 2.4 GiB; `ch bench-model` times it", text)
        self.assertIn("2,400,000,000 MACs", text)
        told = self.json("inspect", "jsc-tiny", "--batch-size", 30_000_000)
        self.assertIsNone(told["run_microseconds"])

    def test_json_has_every_layer_and_shares_of_the_whole(self):
        told = self.json("inspect", "jsc-s", "--batch-size", 8)
        self.assertEqual(told["batch_size"], 8)
        self.assertEqual(told["parameters"], 5615)
        self.assertEqual(told["operations"]["lab"], 46408)
        self.assertEqual(len(told["layers"]), 14)
        self.assertAlmostEqual(sum(layer["time_share"] for layer in told["layers"]), 1)
        self.assertAlmostEqual(sum(layer["bit_share"] for layer in told["layers"]), 1)

    def test_a_large_network_is_shown_in_blocks_unless_all_is_asked_for(self):
        short = self.good("inspect", "resnet18").stdout
        self.assertIn("--all lists every one", short)
        self.assertLess(len(short.splitlines()), 45)
        self.assertLessEqual(max(map(len, short.splitlines()[2:])), 100)
        self.assertGreater(len(self.good("inspect", "resnet18", "--all").stdout.splitlines()), 60)

    def test_a_checkpoint_and_a_network_in_toml(self):
        self.good("pass", "verify", "jsc-toy", "--save", "net.ckpt")
        told = self.json("inspect", "net.ckpt")
        self.assertTrue(told["trained"])
        self.assertEqual(told["parameters"], 327)
        own = self.json("inspect", SOURCE / "tests/data/networks/jsc_tiny_x10.toml")
        self.assertEqual(own["parameters"], 1997)

    def test_report_flops_is_the_pass(self):
        info = self.json("inspect", "jsc-tiny", "--report", "flops", "--batch-size", 8)["passes"][0]
        self.assertEqual(info["pass"], "calculate_flops")
        self.assertEqual(info["info"]["total"]["lab"]["flops"], 1320)

    def test_unknown_things_are_refused(self):
        self.refused("inspect", "jsc-tony", says=["jsc-tiny"])
        self.refused("inspect", "jsc-tiny", "--report", "colours", code=2, says=["graph"])
        self.refused("inspect", "jsc-tiny", "--batch-size", 0, code=2, says=["batch"])


class BenchModel(InFolder):
    def test_counts_agree_with_calculate_flops_and_shares_with_the_whole(self):
        bench = self.json("bench-model", "jsc-s", "--batch-size", 64, "--repeats", 5, "--threads", 1)
        total = self.json("pass", "calculate_flops", "jsc-s", "batch_size=64")["passes"][0]["info"]["total"]
        self.assertEqual(bench["macs"], total["macs"])
        self.assertEqual(bench["operations"], total["exact"]["operations"])
        self.assertEqual(sum(layer["macs"] for layer in bench["layers"]), total["macs"])
        self.assertAlmostEqual(sum(layer["share_percent"] for layer in bench["layers"]), 100)
        self.assertEqual(bench["repeats"], 5)
        self.assertGreater(bench["peak_gflops"], 0)
        self.assertTrue(bench["counters"] or bench["no_counters"].startswith("hardware counters: "))

    def test_prints_times_peak_and_counters_or_why_there_are_none(self):
        text = self.good("bench-model", "jsc-tiny", "--batch-size", 8, "--repeats", 3).stdout
        for part in ["seq_blocks_2 +", "linear + relu", "GFLOP/s", "Measured peak", "ardware counters"]:
            self.assertIn(part, text)

    def test_samples_need_no_labels(self):
        rows = "".join(",".join(f"{(row * 5 + i * 3) % 7 / 10}" for i in range(16)) + "\n" for row in range(40))
        (self.folder / "plain.csv").write_text(rows)
        self.assertEqual(self.json("bench-model", "jsc-tiny", "plain.csv", "--batch-size", 8, "--repeats", 1)["repeats"], 1)

    def test_names_the_backend_of_each_convolution(self):
        bench = self.json("bench-model", "toy_convnet", "--batch-size", 1, "--repeats", 1)
        for layer in bench["layers"]:
            self.assertEqual(layer["backend"] in ("onednn", "winograd", "amx", "reference"),
                             layer["op"].startswith("conv"), layer)

    def test_runs_on_a_data_set(self):
        self.good("bench-model", "toy", "toy_tiny", "--rows", 64, "--batch-size", 16, "--repeats", 2)

    def test_refuses_data_that_does_not_fit(self):
        self.refused("bench-model", "jsc-tiny", "toy_tiny", "--rows", 64)


if __name__ == "__main__":
    unittest.main()
