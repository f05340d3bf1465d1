"""The reference's hardware passes in a configuration file: what they write fits together, and runs."""
import pathlib
import shutil
import subprocess
import sys
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from in_folder import InFolder  # noqa: E402
from tensors_of import tensors_of  # noqa: E402

CONFIG = """
project = "made"
{settings}
[model]
name = "small"  # a reserved word of Verilog
input = [4]
classes = 3
layers = [{{ op = "linear", out_features = {width} }}, "relu", {{ op = "linear", out_features = "classes" }}]
[passes.quantize]
by = "type"
[passes.quantize.default.config]
name = "integer"
data_in_width = 6
data_in_frac_width = 3
weight_width = 6
weight_frac_width = 3
bias_width = 6
bias_frac_width = 3
[passes.add_hardware_metadata]
[passes.report_node_hardware_type]
[passes.emit_verilog_top]
[passes.emit_internal_rtl]
[passes.emit_bram]
[passes.emit_cocotb]
random = 50
"""
ROM_BENCH = """module tb;
  logic clk = 0;
  logic [4:0] addr = 0;
  wire [31:0] data;
  seq_blocks_0_weight_rom rom (.clk(clk), .addr(addr), .data(data));
  initial repeat (20) begin
    #1 clk = 1;
    #1 $display("%0d", data);
    clk = 0;
    addr = addr + 1;
  end
endmodule
"""


class Passes(InFolder):
    def configured(self, settings="", width=5):
        (self.folder / "config.toml").write_text(CONFIG.format(settings=settings, width=width))
        return "transform", "--config", "config.toml"

    def simulated(self, folder, *files, words=()):
        subprocess.run(["iverilog", "-g2012", "-o", "bench", *files], cwd=folder, check=True, capture_output=True)
        return subprocess.run(["vvp", "bench", *words], cwd=folder, capture_output=True, text=True, check=True).stdout

    def test_the_files_of_all_passes_are_a_circuit_that_passes_its_testbench(self):
        said = self.good(*self.configured())
        self.assertRegex(said.stdout, r"seq_blocks_0 +call_module +float +INTERNAL +-1")
        self.assertNotRegex(said.stdout, r"\nx +placeholder")
        hardware = self.folder / "mase_output/made/hardware"
        self.assertEqual(sorted(path.name for path in hardware.iterdir()), ["rtl", "sim", "test"])
        self.good("emit", "mase_output/made/software/transform/transformed_ckpt/graph_module.mz", "--out", "emitted")
        for path in [*hardware.glob("rtl/*.sv"), *hardware.glob("sim/*")]:
            if not path.name.endswith("_rom.sv"):
                self.assertEqual(path.read_text(), (self.folder / "emitted" / path.relative_to(hardware)).read_text(), path)

    @unittest.skipIf(shutil.which("iverilog") is None, "iverilog is not installed")
    def test_they_run_in_a_simulator(self):
        self.good(*self.configured())
        hardware = self.folder / "mase_output/made/hardware"
        sources = (hardware / "rtl/files.f").read_text().split() + list(hardware.glob("test/*_tb.sv"))
        self.assertRegex(self.simulated(hardware, *sources, words=["+vectors=test"]), r"PASS \d+")
        (hardware / "rtl/tb.sv").write_text(ROM_BENCH)
        read = self.simulated(hardware / "rtl", "tb.sv", "seq_blocks_0_weight_rom.sv").split()
        self.good("convert", "mase_output/made/software/transform/transformed_ckpt/graph_module.mz", "w.safetensors")
        weight = tensors_of(self.folder / "w.safetensors")["seq_blocks.0.weight"]
        codes = numpy.clip(numpy.rint(8 * weight), -32, 31).astype(int).flatten()
        bits = int(numpy.ceil(numpy.log2(max(codes.max() + 1, -codes.min(), 1)))) + 1
        self.assertEqual([int(word) for word in read], [code % 2**bits for code in codes.tolist()])

    def test_an_unknown_part_and_parts_that_are_too_small_are_errors(self):
        self.refused(*self.configured('target = "stratix10"'), says=["unknown FPGA 'stratix10'"])
        self.refused(*self.configured('target = "hx1k"\nnum_targets = 1', width=80), says=["1 of hx1k have 1,280"])
        self.good(*self.configured('target = "hx1k"\nnum_targets = 9', width=80))


if __name__ == "__main__":
    unittest.main()
