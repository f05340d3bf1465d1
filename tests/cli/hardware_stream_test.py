"""Pipelines, streams and folded circuits: `ch simulate` finds every word, in order, in the cycle that was announced."""
import pathlib
import shutil
import sys
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from in_folder import InFolder  # noqa: E402
from random_networks import FUNCTIONS, listed  # noqa: E402
from verilator import lint  # noqa: E402

FORMAT = "integer{frac_width=3, is_signed=true, width=6}"
MLP = """graph net {{
  parameter a.weight: f32[8, 6] = [{a}]
  parameter a.bias: f32[8] = [{b}]
  parameter c.weight: f32[3, 8] = [{c}]

  %x = placeholder[target=x] {{shape=[-1, 6]}}
  %a = call_module[target=a] linear(%x) {{in_features=6, out_features=8}} formats {{bias: {f}, data_in_0: {f}, weight: {f}}}
  %act = call_function {act}(%a) formats {{data_in_0: {f}}}
  %c = call_module[target=c] linear(%act) {{bias=false, in_features=8, out_features=3}} formats {{data_in_0: {f}, weight: {f}}}
  output(%c)
}}
"""
# A residual block between convolutions, pooling of both kinds, a linear layer on what is left.
CNN = """graph net {{
  parameter one.weight: f32[3, 1, 3, 3] = [{one}]
  parameter two.weight: f32[3, 3, 3, 3] = [{two}]
  parameter fc.weight: f32[4, 12] = [{fc}]
  parameter fc.bias: f32[4] = [{b}]

  %x = placeholder[target=x] {{shape=[-1, 1, 9, 8]}}
  %one = call_module[target=one] conv2d(%x) {{bias=false, in_channels=1, kernel_size=[3, 3], out_channels=3, padding=[1, 1]}} formats {{data_in_0: {f}, weight: {f}}}
  %relu = call_function relu(%one) formats {{data_in_0: {f}}}
  %two = call_module[target=two] conv2d(%relu) {{bias=false, in_channels=3, kernel_size=[3, 3], out_channels=3, padding=[1, 1]}} formats {{data_in_0: {f}, weight: {f}}}
  %sum = call_function add(%two, %relu) formats {{data_in_0: {f}, data_in_1: {f}}}
  %max = call_module[target=max] max_pool2d(%sum) {{kernel_size=[3, 3], padding=[1, 1], stride=[2, 2]}} formats {{data_in_0: {f}}}
  %mean = call_module[target=mean] avg_pool2d(%max) {{kernel_size=[2, 2], stride=[2, 2]}} formats {{data_in_0: {f}}}
  %flat = call_module[target=flat] flatten(%mean)
  %fc = call_module[target=fc] linear(%flat) {{in_features=12, out_features=4}} formats {{bias: {f}, data_in_0: {f}, weight: {f}}}
  output(%fc)
}}
"""


class Streams(InFolder):
    def normal(self, *shape):
        return listed(numpy.random.default_rng(len(shape)).normal(size=shape))

    def mlp(self, act="relu"):
        path = self.folder / f"{act}.chir"
        path.write_text(MLP.format(a=self.normal(48), b=self.normal(8), c=self.normal(24), f=FORMAT, act=act))
        return path

    def cnn(self):
        path = self.folder / "cnn.chir"
        path.write_text(CNN.format(one=self.normal(27), two=self.normal(81), fc=self.normal(48), b=self.normal(4), f=FORMAT))
        return path

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_pipelines_of_any_depth_give_the_same_numbers_when_they_say(self):
        vectors, depths = set(), []
        for stages in (1, 2, 5, 9):
            out = f"p{stages}"
            said = self.json("simulate", self.mlp(), "--pipeline", stages, "--simulator", "icarus", "--out", out)
            self.assertEqual((said["latency"], said["icarus"]["differing"]), (stages, 0))
            vectors.add((self.folder / out / "test/outputs.hex").read_text())
            depths.append(said["logic_depth"])
        self.assertEqual(len(vectors), 1)
        self.assertEqual(depths, sorted(depths, reverse=True))
        self.assertGreater(depths[0], 2 * depths[-1])

    def test_the_logic_between_registers_is_bounded(self):
        for depth in (2, 4):
            self.assertLessEqual(self.json("emit", self.mlp(), "--logic-depth", depth)["logic_depth"], depth)
        self.refused("emit", self.mlp(), "--logic-depth", "2", "--pipeline", "3", says=("cannot be given together",))

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_streams_keep_every_word_through_random_pauses(self):
        for more in (("--pipeline", "4"), ("--combinational",)):
            said = self.json("simulate", self.mlp(), "--interface", "stream", "--simulator", "icarus", *more)
            self.assertEqual(said["icarus"]["differing"], 0)
        text = (self.folder / "hardware/rtl/net_stream.sv").read_text()
        for port in ("aclk", "aresetn", "s_axis_tdata", "s_axis_tvalid", "s_axis_tready", "m_axis_tdata", "m_axis_tvalid"):
            self.assertIn(port, text)

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_the_testbench_notices_a_word_that_differs(self):
        self.good("emit", self.mlp(), "--interface", "stream")
        path = self.folder / "hardware/rtl/net_stream.sv"
        path.write_text(path.read_text().replace("m_axis_tdata = ", "m_axis_tdata = 1 ^ "))
        self.run_icarus("FAIL")

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_the_testbench_notices_a_word_that_is_taken_back(self):
        self.good("emit", self.mlp(), "--interface", "stream")
        path = self.folder / "hardware/rtl/net_stage.sv"
        path.write_text(path.read_text().replace("assign en = out_ready || !out_valid;", "assign en = 1'b1;"))
        self.run_icarus("taken back")

    def run_icarus(self, says):
        import subprocess
        folder = self.folder / "hardware"
        sources = [*(folder / "rtl/files.f").read_text().split(), "test/net_stream_tb.sv"]
        subprocess.run(["iverilog", "-g2012", "-o", "bench", "-s", "net_stream_tb", *sources], cwd=folder, check=True)
        said = subprocess.run(["vvp", "-n", "bench", "+vectors=test", "+stalls=1"], cwd=folder, capture_output=True,
                              text=True, check=False)
        self.assertIn(says, said.stdout + said.stderr)
        self.assertNotIn("PASS", said.stdout)

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_folded_circuits_give_the_numbers_of_the_integers(self):
        for reuse in ("1", "9", "one=3,fc=12", "60"):
            said = self.json("simulate", self.cnn(), "--reuse", reuse, "--simulator", "icarus", "--random", "10")
            self.assertEqual(said["icarus"]["differing"], 0, reuse)
        self.assertIn("net_sum_wait", (self.folder / "hardware/rtl/files.f").read_text())

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_a_folded_sample_takes_as_many_cycles_as_announced(self):
        said = self.json("simulate", self.cnn(), "--reuse", "4", "--simulator", "verilator", "--random", "200")
        self.assertEqual((said["verilator"]["differing"], said["verilator_stalled"]["differing"]), (0, 0))
        self.assertEqual(said["measured_interval"], said["interval"])

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_verilator_has_nothing_to_say(self):
        for number, more in enumerate((("--reuse", "4"), ("--reuse", "1"), ("--pipeline", "6", "--interface", "stream"))):
            self.good("emit", self.cnn() if number < 2 else self.mlp(), "--out", f"l{number}", *more)
            folder = self.folder / f"l{number}"
            self.assertEqual(lint(folder, "net_stream"), (0, []))

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_every_activation_is_exact_in_icarus(self):
        for act in FUNCTIONS:
            said = self.json("simulate", self.mlp(act), "--simulator", "icarus", "--random", "200")
            self.assertEqual(said["icarus"]["differing"], 0, act)

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_every_activation_is_exact_in_verilator(self):
        # Side by side in one network, because a model takes seconds to build.
        calls = [f"  %y{i} = call_function {act}(%x) formats {{data_in_0: {FORMAT}, data_out_0: {FORMAT}}}"
                 for i, act in enumerate((*FUNCTIONS, "softmax"))]
        calls[-1] = calls[-1].replace("(%x)", "(%x) {dim=1}")
        results = ", ".join(f"%y{i}" for i in range(len(calls)))
        head = "  %x = placeholder[target=x] {shape=[-1, 4]}"
        (self.folder / "all.chir").write_text("\n".join(["graph net {", head, *calls, f"  output({results})", "}", ""]))
        said = self.json("simulate", "all.chir", "--simulator", "verilator", "--random", "5000")
        self.assertEqual(said["verilator"]["differing"], 0)
        self.assertEqual(said["verilator"]["values"], said["verilator"]["samples"] * 4 * len(calls))

    def test_argmax_is_one_number(self):
        self.good("emit", self.mlp(), "--argmax")
        self.assertIn("argmax", (self.folder / "hardware/integer.txt").read_text())
        self.assertIn("output logic [1:0] y_0", (self.folder / "hardware/rtl/net.sv").read_text())

    def test_a_folded_circuit_says_how_many_words_a_sample_is(self):
        self.assertIn("A sample is 1 word in and 1 out.", self.good("emit", self.mlp(), "--reuse", "4").stdout)
        self.assertIn("A sample is 72 words in and 1 out.", self.good("emit", self.cnn(), "--reuse", "9").stdout)

    def test_a_wrong_reuse_says_what_would_work(self):
        self.refused("emit", self.mlp(), "--reuse", "0", says=("'0' is no reuse", "--reuse N"))
        self.refused("emit", self.mlp(), "--reuse", "b=2", says=("no layer with a matrix is called 'b'", "a, c"))


if __name__ == "__main__":
    unittest.main()
