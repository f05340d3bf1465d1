"""From a quantised network to a circuit that simulates to the same numbers: ch emit, ch simulate."""
import fcntl
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import unittest
import unittest.mock

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from hardware_designs import mlp  # noqa: E402
from in_folder import InFolder  # noqa: E402
from verilator import lint  # noqa: E402

FORMAT = "integer{frac_width=3, is_signed=true, width=6}"
NETWORK = """graph net {{
  parameter norm.weight: f32[4] = [{w}]
  parameter norm.bias: f32[4] = [{b}]
  buffer norm.running_mean: f32[4] = [{m}]
  buffer norm.running_var: f32[4] = [{v}]
  parameter a.weight: f32[4, 4] = [{a}]
  parameter a.bias: f32[4] = [{ab}]
  parameter c.weight: f32[3, 4] = [{c}]

  %x = placeholder[target=x] {{shape=[-1, 4]}}
  %norm = call_module[target=norm] batch_norm1d(%x) {{num_features=4}} formats {{data_in_0: {f}}}
  %a = call_module[target=a] linear(%norm) {{in_features=4, out_features=4}} formats {{bias: {f}, data_in_0: {f}, weight: {f}}}
  %act = call_function {act}(%a) formats {{data_in_0: {f}}}
  %sum = call_function add(%act, %norm) formats {{data_in_0: {f}, data_in_1: {f}}}
  %c = call_module[target=c] linear(%sum) {{bias=false, in_features=4, out_features=3}} formats {{data_in_0: {f}, weight: {f}}}
  output(%c)
}}
"""

IMAGES = """graph net {{
  parameter conv.weight: f32[2, 1, 3, 3] = [{k}]
  parameter conv.bias: f32[2] = [{b}]
  parameter fc.weight: f32[3, 8] = [{w}]

  %x = placeholder[target=x] {{shape=[-1, 1, 5, 5]}}
  %conv = call_module[target=conv] conv2d(%x) {{in_channels=1, kernel_size=[3, 3], out_channels=2, padding=[1, 1], stride=[2, 2]}} formats {{bias: {f}, data_in_0: {f}, weight: {f}}}
  %relu = call_function relu(%conv) formats {{data_in_0: {f}}}
  %pool = call_module[target=pool] max_pool2d(%relu) {{kernel_size=[2, 2], stride=[1, 1]}} formats {{data_in_0: {f}}}
  %flat = call_module[target=flat] flatten(%pool)
  %fc = call_module[target=fc] linear(%flat) {{bias=false, in_features=8, out_features=3}} formats {{data_in_0: {f}, weight: {f}}}
  output(%fc)
}}
"""


def listed(values):
    return ", ".join(repr(float(value)) for value in values)


class Hardware(InFolder):
    def network(self, act="relu", seed=0):
        draw = numpy.random.default_rng(seed)
        normal = lambda count: listed(draw.normal(size=count).astype(numpy.float32))  # noqa: E731
        text = NETWORK.format(w=normal(4), b=normal(4), m=normal(4), v=listed([0.5, 1.0, 1.5, 2.0]), a=normal(16),
                              ab=normal(4), c=normal(12), f=FORMAT, act=act)
        path = self.folder / f"{act}.chir"
        path.write_text(text)
        return path

    def rows(self, count=300):
        draw = numpy.random.default_rng(1)
        numpy.savez(self.folder / "rows.npz", x=(2 * draw.normal(size=(count, 4))).astype(numpy.float32))
        return self.folder / "rows.npz"

    def test_every_file_is_there_and_says_what_it_is(self):
        said = self.good("emit", self.network(), "--out", "hw").stdout
        self.assertIn("Latency", said)
        top = (self.folder / "hw/rtl/net.sv").read_text()
        self.assertIn("module net (", top)
        self.assertIn("// a: linear", (self.folder / "hw/rtl/net_a.sv").read_text())
        for name in ("integer.txt", "netlist.txt", "sim/main.cpp", "test/net_tb.sv", "test/inputs.hex"):
            self.assertTrue((self.folder / "hw" / name).is_file(), name)
        self.assertEqual([path.name for path in self.folder.glob("*hw*")], ["hw"])

    def test_a_circuit_is_replaced_and_nothing_else(self):
        network = self.network()
        self.good("emit", network, "--out", "hw")
        self.good("emit", network, "--out", "hw", "--combinational")
        self.assertIn("combinational", (self.folder / "hw/rtl/net.sv").read_text())
        (self.folder / "mine").mkdir()
        (self.folder / "mine/notes.txt").write_text("keep")
        self.refused("emit", network, "--out", "mine", says=("holds no circuit", "--out"))
        self.assertEqual((self.folder / "mine/notes.txt").read_text(), "keep")

    def test_one_run_at_a_time_writes_into_a_folder(self):
        network = self.network()
        self.good("emit", network, "--out", "hw")
        before = (self.folder / "hw/rtl/net.sv").read_text()
        (self.folder / ".hw.new").mkdir()
        with open(self.folder / ".hw.new/.lock", "w", encoding="utf8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            held.write("process 7 on here\n`ch synth`\n")
            held.flush()
            for action in ("emit", "simulate", "synth"):
                self.refused(action, network, "--out", "hw", "--combinational",
                             says=("is in use by `ch synth`, process 7 on here", "--out"))
        self.assertEqual((self.folder / "hw/rtl/net.sv").read_text(), before)
        (self.folder / ".hw.new/made").mkdir()  # of a run that was killed
        self.good("emit", network, "--out", "hw", "--combinational")
        self.assertNotEqual((self.folder / "hw/rtl/net.sv").read_text(), before)
        self.assertFalse((self.folder / ".hw.new").exists())

    def test_folders_of_the_user_beside_a_circuit_stay(self):
        for name in ("hw.new", "hw.old"):
            (self.folder / name).mkdir()
            (self.folder / name / "notes.txt").write_text("keep")
        (self.folder / "link").symlink_to("hw")
        for out in ("hw/", "hw", "link"):
            self.good("emit", self.network(), "--out", out)
            self.assertTrue((self.folder / "hw/rtl/net.sv").is_file())
        self.assertTrue((self.folder / "link").is_symlink())
        for name in ("hw.new", "hw.old"):
            self.assertEqual((self.folder / name / "notes.txt").read_text(), "keep")

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_a_folder_with_spaces_and_signs_of_make_is_simulated(self):
        said = self.json("simulate", self.network(), "--random", 5, "--out", "my circuit $(x)", "--simulator", "verilator")
        self.assertEqual(said["verilator"]["differing"], 0)
        self.assertTrue((self.folder / "my circuit $(x)/sim/obj/simulation").is_file())

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_a_missing_folder_for_temporary_files_is_named(self):
        with unittest.mock.patch.dict("os.environ", TMPDIR=str(self.folder / "gone")):
            self.refused("simulate", self.network(), "--simulator", "icarus",
                         says=("TMPDIR is '", "gone', which is no folder", "unset TMPDIR"))

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_a_data_file_is_simulated_whole_unless_it_is_to_be_split(self):
        numpy.savez(self.folder / "labelled.npz", y=numpy.arange(50) % 3,
                    x=numpy.random.default_rng(1).normal(size=(50, 4)).astype(numpy.float32))
        words = ["simulate", self.network(), "labelled.npz", "--simulator", "icarus", "--random", 0]
        whole, split = self.json(*words), self.json(*words, "--split")
        self.assertEqual(whole["float"]["values"], 50 * 3)
        self.assertEqual(split["float"]["values"], 10 * 3)

    def test_every_way_to_add_gives_the_same_numbers(self):
        network = self.network()
        counts = {how: self.json("emit", network, "--out", how, "--adders", how)["adders"]
                  for how in ("shared", "canonical", "plain")}
        self.assertLess(counts["shared"], counts["canonical"])
        vectors = {(self.folder / how / "test/outputs.hex").read_text() for how in counts}
        self.assertEqual(len(vectors), 1)

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_verilator_has_nothing_to_say(self):
        for act in ("relu", "tanh", "hardswish"):
            self.good("emit", self.network(act), "--out", act)
            self.assertEqual(lint(self.folder / act, "net"), (0, []))

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_icarus_gives_the_numbers_of_the_integers_and_of_the_float_run(self):
        for number, act in enumerate(("relu", "sigmoid", "leaky_relu", "gelu")):
            said = self.json("simulate", self.network(act, number), self.rows(), "--simulator", "icarus", "--out", act)
            self.assertEqual(said["icarus"]["differing"], 0)
            self.assertGreater(said["icarus"]["samples"], 300)
            self.assertEqual(said["float"]["differing"], 0)

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_convolutions_and_pools_give_the_numbers_of_the_integers(self):
        draw = numpy.random.default_rng(3)
        normal = lambda count: listed(draw.normal(size=count).astype(numpy.float32))  # noqa: E731
        (self.folder / "images.chir").write_text(IMAGES.format(k=normal(18), b=normal(2), w=normal(24), f=FORMAT))
        numpy.savez(self.folder / "images.npz", x=draw.normal(size=(200, 1, 5, 5)).astype(numpy.float32))
        said = self.json("simulate", "images.chir", "images.npz", "--simulator", "icarus")
        self.assertEqual((said["icarus"]["differing"], said["float"]["differing"]), (0, 0))
        self.assertIn("net_conv_kernel", (self.folder / "hardware/rtl/files.f").read_text())

    @unittest.skipUnless(shutil.which("iverilog"), "iverilog is not installed")
    def test_the_testbench_notices_a_changed_bit_and_missing_vectors(self):
        self.good("emit", self.network(), "--out", "hw")
        folder = self.folder / "hw"
        sources = [*(folder / "rtl/files.f").read_text().split(), "test/net_tb.sv"]
        subprocess.run(["iverilog", "-g2012", "-o", "bench", "-s", "net_tb", *sources], cwd=folder, check=True)
        run = lambda where: subprocess.run(["vvp", "-n", "bench", f"+vectors={where}"], cwd=folder,  # noqa: E731
                                           capture_output=True, text=True, check=False).stdout
        self.assertIn("PASS", run("test"))
        self.assertNotIn("PASS", run("nowhere"))
        path = folder / "test/outputs.hex"
        text = path.read_text()
        digit = "1" if text[-2] == "0" else "0"
        path.write_text(text[:-2] + digit + "\n")
        self.assertIn("FAIL 1 of", run("test"))

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_verilator_gives_the_numbers_of_the_integers(self):
        said = self.json("simulate", self.network(), self.rows(), "--simulator", "verilator", "--random", "2000")
        self.assertEqual(said["verilator"]["differing"], 0)
        self.assertGreater(said["verilator"]["samples"], 2300)

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_yosys_counts_luts_and_shared_adders_need_fewer(self):
        said = self.json("synth", self.network(), "--compare", "--combinational")
        luts = {circuit["adders_made"]: circuit["luts"] for circuit in said["circuits"]}
        self.assertLess(luts["shared"], luts["plain"])
        self.assertIn("synth_xilinx -family xcup", said["command"])
        self.assertEqual(said["circuits"][0]["registers_made"], 0)

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_modules_are_counted_by_themselves_and_drawn(self):
        said = self.json("synth", self.network(), "--modules", "--target", "ice40")
        counted = {row["module"]: row for row in said["modules"]}
        self.assertGreater(counted["net_a"]["luts"], 0)
        self.assertGreaterEqual(sum(row["luts"] for row in counted.values()), said["circuits"][0]["luts"])
        self.assertIn("net_a", (self.folder / "hardware/synth/luts.svg").read_text())

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_route_throughs_are_counted_where_there_are_carry_chains(self):
        made = self.json("synth", self.network(), "--combinational")["circuits"][0]
        self.assertGreater(made["route_throughs"], 0)
        self.assertLess(made["route_throughs"], 4 * made["carries"])

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_folded_circuits_and_streams_are_counted_with_their_memories(self):
        (self.folder / "net.chir").write_text(mlp([8, 6, 3], 4, 2, 1))
        folded = self.json("synth", "net.chir", "--reuse", "4", "--target", "ice40")
        self.assertIn("synth_ice40 -top", folded["command"])
        self.assertGreater(folded["circuits"][0]["luts"], 0)
        self.assertGreater(self.json("synth", "net.chir", "--interface", "stream", "--target", "ice40")["circuits"][0]["luts"], 0)
        self.refused("synth", "net.chir", "--reuse", "4", "--modules", says=("plain ports", "--reuse"))

    @unittest.skipUnless(shutil.which("nextpnr-ice40"), "nextpnr-ice40 is not installed")
    def test_circuits_are_placed_and_routed_and_registers_make_them_faster(self):
        network = self.network()
        slow = self.json("synth", network, "--combinational", "--target", "ice40", "--place")["circuits"][0]
        fast = self.json("synth", network, "--pipeline", "6", "--target", "ice40hx8k-ct256", "--place")["circuits"][0]
        self.assertGreater(fast["placed"]["megahertz"], 1.2 * slow["placed"]["megahertz"])
        # The least that fits: LUTs of the circuit; the most: its LUTs and registers, and those of the harness.
        for made in (slow, fast):
            placed = made["placed"]
            self.assertEqual((placed["device"], placed["cells_available"]), ("hx8k", 7680))
            self.assertLessEqual(made["luts"], placed["cells"] * 1.1)
            self.assertLess(placed["cells"], 2 * (made["luts"] + made["registers_made"] + placed["harness_registers"]))
        stream = self.json("synth", network, "--interface", "stream", "--target", "up5k", "--place")["circuits"][0]
        self.assertEqual(stream["placed"]["device"], "up5k")

    @unittest.skipUnless(shutil.which("nextpnr-ice40"), "nextpnr-ice40 is not installed")
    def test_what_cannot_be_placed_is_said(self):
        network = self.network()
        self.refused("synth", network, "--place", says=("UltraScale+", "--target ice40 or ecp5"))
        self.refused("synth", network, "--place", "--target", "lp384", says=("cannot place the circuit on lp384", "a larger part"))
        if not shutil.which("nextpnr-ecp5"):
            self.refused("synth", network, "--place", "--target", "ecp5", says=("nextpnr-ecp5 is not installed", "Debian 13"))

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_yosys_maps_to_the_families_it_knows(self):
        network = self.network()
        made = {target: self.json("synth", network, "--target", target) for target in ("ice40", "lfe5u-25f")}
        self.assertIn("synth_ice40", made["ice40"]["command"])
        self.assertEqual(made["lfe5u-25f"]["target"], "ecp5")
        registers = self.json("emit", network)["registers"]
        for said in made.values():
            circuit = said["circuits"][0]
            self.assertGreater(circuit["luts"], circuit["carries"])
            self.assertGreater(circuit["depth"], 3)
            self.assertLessEqual(circuit["registers_made"], registers)
            self.assertEqual(circuit["dsps"], 0)

    def test_scripts_for_vivado_and_quartus_name_every_file_the_top_and_the_part(self):
        self.good("emit", self.network(), "--out", "hw", "--target", "xcu280-fsvh2892-2L-e")
        files = (self.folder / "hw/rtl/files.f").read_text().split()
        vivado = (self.folder / "hw/project/vivado.tcl").read_text()
        quartus = (self.folder / "hw/project/quartus.tcl").read_text()
        for file in files:
            self.assertIn(f"read_verilog -sv {file}\n", vivado)
            self.assertIn(f"SYSTEMVERILOG_FILE {file}\n", quartus)
        self.assertIn("set part xcu280-fsvh2892-2L-e", vivado)
        self.assertIn("-top net ", vivado)
        self.assertIn("TOP_LEVEL_ENTITY net\n", quartus)
        for constraints in ("vivado.xdc", "quartus.sdc"):
            self.assertEqual((self.folder / "hw/project" / constraints).read_text(),
                             "create_clock -name clk -period 20 [get_ports clk]\n")
        self.good("emit", self.network(), "--out", "comb", "--combinational", "--target", "ice40")
        self.assertIn("set_max_delay 20", (self.folder / "comb/project/vivado.xdc").read_text())
        self.assertIn("-tclargs PART", (self.folder / "comb/project/vivado.tcl").read_text())
        self.good("emit", self.network(), "--out", "stream", "--interface", "stream")
        self.assertIn("[get_ports aclk]", (self.folder / "stream/project/vivado.xdc").read_text())

    def test_every_action_on_circuits_refuses_an_unknown_part(self):
        for action in ("emit", "simulate", "synth", "certify", "hardware"):
            rows = (self.rows(),) if action in ("certify", "hardware") else ()
            self.refused(action, self.network(), *rows, "--target", "xc9000", says=("unknown FPGA 'xc9000'", "xcu250"))
            self.assertFalse((self.folder / "hardware").exists())

    def test_a_circuit_that_is_too_large_for_its_parts_is_refused(self):
        wide = mlp([16, 12, 8], 8, 4, 1)
        (self.folder / "wide.chir").write_text(wide)
        self.refused("emit", "wide.chir", "--target", "ice40lp1k", "--num-targets", "1",
                     says=("1 of ice40lp1k have 1,280", "--reuse", "--num-targets"))
        self.assertFalse((self.folder / "hardware").exists())
        self.good("emit", "wide.chir", "--target", "ice40lp1k", "--num-targets", "20")

    @unittest.skipUnless(shutil.which("yosys") and shutil.which("iverilog"), "yosys or iverilog is not installed")
    def test_one_command_does_all_of_it_on_one_screen(self):
        said = self.good("hardware", self.network(), self.rows(50), "--simulator", "icarus", "--random", "50",
                         "--target", "ice40").stdout
        for text in ("Yosys, ice40:", "relu.chir for ice40", "Icarus = integers", "proven for all inputs", "certificate.json"):
            self.assertIn(text, said)
        self.assertLess(len(said.splitlines()), 24)
        for name in ("rtl/net.sv", "sim/main.cpp", "test/net_tb.sv", "project/vivado.tcl", "certificate.md", "model.mz"):
            self.assertTrue((self.folder / "hardware" / name).is_file(), name)

    def test_an_unknown_part_is_refused_with_those_that_are_known(self):
        self.refused("synth", self.network(), "--target", "xc9000",
                     says=("unknown FPGA 'xc9000'", "xcu250", "ice40", "ecp5"))
        self.assertFalse((self.folder / "hardware").exists())

    def test_a_full_disk_is_one_error_and_leaves_what_was_there(self):
        network = self.network()
        self.good("emit", network, "--out", "hw")
        before = {path: path.read_bytes() for path in sorted((self.folder / "hw").rglob("*")) if path.is_file()}

        def full():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        for folder in ("hw", "new"):
            said = subprocess.run([os.environ["CH_BIN"], "emit", network, "--out", folder, "--combinational"], cwd=self.folder,
                                  capture_output=True, text=True, check=False, preexec_fn=full)
            self.assertEqual(said.returncode, 1, said.stderr + said.stdout)
            self.assertEqual(said.stderr.count("error:"), 1, said.stderr)
        after = {path: path.read_bytes() for path in sorted((self.folder / "hw").rglob("*")) if path.is_file()}
        self.assertEqual(before, after)
        for left in (".hw.new", "new", ".new.new"):
            self.assertFalse((self.folder / left).exists(), left)

    def test_a_missing_tool_is_said_before_anything_is_replaced(self):
        network, rows = self.network(), self.rows(20)
        self.good("emit", network, "--out", "hw")
        before = (self.folder / "hw/rtl/net.sv").read_text()
        (self.folder / "bin").mkdir()
        with unittest.mock.patch.dict("os.environ", PATH=str(self.folder / "bin")):
            for words, missing in ((("simulate", "--simulator", "verilator"), "verilator"), (("simulate",), "verilator"),
                                   (("simulate", "--simulator", "icarus"), "iverilog"), (("synth",), "yosys"),
                                   (("certify", rows), "yosys"), (("hardware", rows), "yosys")):
                self.refused(words[0], network, *words[1:], "--out", "hw", "--combinational",
                             says=(f"'{missing}' is not installed", f"apt-get install {missing}"))
        self.assertEqual((self.folder / "hw/rtl/net.sv").read_text(), before)
        self.assertFalse((self.folder / "hw/certificate.json").exists())

    def test_formats_that_hardware_cannot_hold_are_one_error_and_nothing_is_written(self):
        for given, says in (("integer{frac_width=3, is_signed=true, width=70}", "width = 70"),
                            ("integer{frac_width=3, is_signed=true, width=64}", "width = 64"),
                            ("minifloat_ieee{exponent_bias=100, exponent_width=8, width=16}", "cannot have the format minifloat"),
                            ("log{exponent_bias=3, width=8}", "cannot have the format log")):
            path = self.folder / "bad.chir"
            path.write_text(mlp([4, 3, 2], 6, 3, 1).replace(FORMAT, given))
            said = self.refused("emit", path, "--out", "bad", says=(says,))
            self.assertEqual(said.stderr.count("error:"), 1)
        path.write_text(mlp([64, 3, 2], 32, 31, 1))
        self.refused("emit", path, "--out", "bad", says=("more than 61 bits", "narrower"))
        self.assertEqual([each.name for each in self.folder.glob("*bad*") if each.is_dir()], [])

    def test_float_operands_are_refused_and_nothing_is_written(self):
        self.refused("emit", "jsc-tiny", "--out", "hw", says=("has no integer form", "seq_blocks_0"))
        self.assertFalse((self.folder / "hw").exists())


if __name__ == "__main__":
    unittest.main()
