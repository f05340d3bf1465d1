"""ch transform and what follows it: quantise, fold, save, test, train on, resume, transform again."""
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

CH = os.environ["CH_BIN"]
ROOT = pathlib.Path(__file__).resolve().parents[2]

CONFIG = """
model = "jsc-toy"
dataset = "jsc"
project = "changed"
rows = 4000
batch_size = 128

[passes.fuse_batch_norm]

[passes.quantize]
by = "type"

[passes.quantize.linear.config]
name = "lsq_integer"
data_in_width = 4
weight_width = 4
"""


class Transform(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def ch(self, *words, code=0):
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run([CH, *map(str, words)], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def write(self, text, name="config.toml"):
        (self.folder / name).write_text(text)
        return name

    def ckpt(self, project, kind="training_ckpts/best.ckpt"):
        return f"mase_output/{project}/software/{kind}"

    def accuracy(self, path):
        return json.loads(self.ch("test", "jsc-toy", "jsc", "--rows", 4000, "--load", path,
                                  "--project", "t", "--json", "-"))["accuracy"]

    def test_what_was_made_is_tested_trained_resumed_and_made_again(self):
        data = ["jsc-toy", "jsc", "--rows", 4000, "--batch-size", 128, "--learning-rate", "1e-2"]
        self.ch("train", *data, "--max-epochs", 4, "--project", "float")
        out = json.loads(self.ch("transform", "--config", self.write(CONFIG), "--load",
                                 self.ckpt("float"), "--json", "-"))
        made = self.ckpt("changed", "transform/transformed_ckpt/graph_module.mz")
        self.assertEqual([one["pass"] for one in out["passes"]], ["fuse_batch_norm", "quantize"])
        self.assertEqual(out["passes"][0]["info"]["folded"],
                         ["seq_blocks_3", "seq_blocks_6", "seq_blocks_9"])
        self.assertAlmostEqual(out["accuracy"][0]["after"], self.accuracy(made), places=9)
        self.ch("train", *data, "--max-epochs", 2, "--project", "qat", "--load", made)
        best = self.ckpt("qat")
        self.assertGreater(self.accuracy(best), 0.4)
        # a finished run resumes to its own end, with the graph of its checkpoint
        before = (self.folder / best).read_bytes()
        self.ch("train", *data, "--max-epochs", 2, "--project", "qat", "--resume")
        self.assertEqual((self.folder / best).read_bytes(), before)
        layers = json.loads(self.ch("inspect", best, "--json", "-"))["layers"]
        linear = [one for one in layers if one["op"] == "linear"]
        self.assertEqual(len(linear), 3)
        self.assertTrue(all("lsq_integer" in one["format"] for one in linear), linear)
        self.ch("transform", "--config", self.write(CONFIG.replace("lsq_integer", "mxint")),
                "--load", best)
        self.ch("compare", best, made)

    def test_the_reference_systems_files_are_written(self):
        self.ch("transform", "--config", ROOT / "configs/examples/jsc_toy_by_type.toml", "--task",
                "cls", "--cpu=0", "--rows", 2000)
        folder = self.folder / "mase_output/jsc-tiny/software/transform"
        table = (folder / "quantize/quantize_table.csv").read_text().splitlines()
        self.assertEqual(table[0], ",Ori name,New name,MASE_TYPE,Mase_OP,Original type,"
                                   "Quantized type,Changed")
        self.assertEqual(table[4], "3,seq_blocks_2,seq_blocks_2,module_related_func,linear,Linear,"
                                   "LinearInteger,True")
        histogram = (folder / "quantize/quantize_histogram.csv").read_text().splitlines()
        self.assertEqual(histogram[2], "Linear,linear,1,1,0")
        self.assertTrue((folder / "transformed_ckpt/graph_module.mz").exists())

    def test_what_an_earlier_run_made_is_kept_and_random_weights_are_said_even_when_quiet(self):
        folder = self.folder / "mase_output/changed/software"
        config = self.write(CONFIG)
        self.ch("train", "jsc-toy", "jsc", "--rows", 4000, "--max-epochs", 1, "--project", "float")
        self.ch("transform", "--config", config, "--load", self.ckpt("float"))
        trained = (folder / "transform/transformed_ckpt/graph_module.mz").read_bytes()
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run([CH, "transform", "--config", config, "-q"], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=True)
        self.assertIn("WARNING  The weights are random", done.stderr)
        self.assertEqual((folder / "transform-v1/transformed_ckpt/graph_module.mz").read_bytes(), trained)
        self.assertNotEqual((folder / "transform/transformed_ckpt/graph_module.mz").read_bytes(), trained)
        # from its own folder, which is set aside while the network in it is read
        self.ch("transform", "--config", config, "--load", folder / "transform-v1/transformed_ckpt/graph_module.mz")
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         ["transform", "transform-v1", "transform-v2"])

    def test_a_run_that_is_killed_leaves_what_an_earlier_one_made_under_its_plain_name(self):
        folder = self.folder / "mase_output/changed/software"
        name = "transformed_ckpt/graph_module.mz"
        wordy = "\n[passes.report_graph]\n\n[passes.report_node_meta_param]\n" + CONFIG.split("\n\n", 1)[1]
        head = CONFIG.split("\n\n", 1)[0]
        self.ch("transform", "--config", self.write(CONFIG))
        earlier = (folder / "transform" / name).read_bytes()
        command = [CH, "transform", "--config", self.write(head + "\n" + wordy), "--seed", "7"]
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        # Its output is read no further once it has begun to write: it waits in the middle of a pass.
        with subprocess.Popen(command, cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as run:
            fcntl.fcntl(run.stdout, fcntl.F_SETPIPE_SZ, 4096)
            os.set_blocking(run.stdout.fileno(), False)
            while not (folder / "transform-v1").exists():
                self.assertIsNone(run.poll())
                run.stdout.read()
                time.sleep(0.001)
            time.sleep(0.2)
            self.assertIsNone(run.poll(), "it has to be in the middle")
            run.kill()
        self.assertEqual((folder / "transform" / name).read_bytes(), earlier)
        self.assertEqual((folder / "transform-v1" / name).read_bytes(), earlier)
        self.ch("transform", "--config", self.write(CONFIG), "--seed", "7")
        self.assertNotEqual((folder / "transform" / name).read_bytes(), earlier)
        self.assertEqual((folder / "transform-v1" / name).read_bytes(), earlier)
        self.assertFalse((folder / "transform-v2").exists())

    def test_a_run_that_fails_leaves_what_an_earlier_one_made_in_its_place(self):
        self.ch("transform", "jsc-toy", "--config", self.write(CONFIG))
        folder = self.folder / "mase_output/changed/software"
        contents = lambda: {str(path): hashlib.sha256(path.read_bytes()).hexdigest()  # noqa: E731
                            for path in folder.rglob("*") if path.is_file()}
        before = contents()
        bad = CONFIG + '\n[passes.profile_statistics]\ntarget_activation_nodes = ["nowhere"]\n'
        self.ch("transform", "jsc-toy", "--config", self.write(bad), code=1)
        self.assertEqual(contents(), before)
        small = [CH, "transform", "jsc-toy", "--config", self.write(CONFIG), "--seed", "7"]
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run(["prlimit", "--fsize=2000", "--", *small], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("graph_module.mz", done.stderr)
        self.assertEqual(contents(), before)

    def test_keys_of_a_bias_that_no_layer_has_are_a_warning(self):
        (self.folder / "plain.toml").write_text(
            '[model]\ninput = [16]\nlayers = [{ op = "linear", out_features = 5, bias = false }]\n')
        table = """
[passes.quantize]
by = "{by}"
[passes.quantize.{key}.config]
name = "integer"
data_in_width = 8
data_in_frac_width = 4
weight_width = 8
weight_frac_width = 4
bias_width = 8
bias_frac_width = 4
"""
        config = self.write(table.format(by="type", key="linear"))
        report = json.loads(self.ch("transform", "plain.toml", "--config", config, "--json", "-"))["passes"][0]
        self.assertEqual(report["warnings"],
                         ["passes.quantize.linear.config: bias_width, bias_frac_width fit no node"])
        config = self.write(table.format(by="name", key="seq_blocks_0"))
        done = subprocess.run([CH, "transform", "plain.toml", "--config", config], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bias_width, bias_frac_width fit no node", done.stderr)

    def test_one_file_serves_many_networks_and_results_alone_may_have_a_format(self):
        (self.folder / "relu.toml").write_text('[model]\ninput = [16]\nlayers = [{ op = "relu" }]\n')
        config = self.write("""
[passes.quantize]
by = "type"
[passes.quantize.conv2d.config]
name = "integer"
data_in_width = 8
weight_width = 8
[passes.quantize.default.config]
name = "integer"
data_in_width = 8
data_in_frac_width = 4
weight_width = 8
weight_frac_width = 4
""")
        report = json.loads(self.ch("transform", "relu.toml", "--config", config, "--json", "-"))["passes"][0]
        self.assertEqual(report["warnings"], ["passes.quantize.conv2d.config is for no node of this network",
                                              "passes.quantize.default.config: weight_width, weight_frac_width fit no node"])
        config = self.write("""
[passes.quantize]
by = "type"
[passes.quantize.linear.config]
name = "integer"
data_out_width = 8
data_out_frac_width = 4
""")
        made = json.loads(self.ch("transform", "jsc-tiny", "--config", config, "--json", "-", "--project", "out"))
        nodes = json.loads(self.ch("compare", made["checkpoint"], "--json", "-"))["nodes"]
        linear = [node for node in nodes if "seq_blocks_2" in json.dumps(node)][0]
        self.assertIn("data_out", json.dumps(linear))

    def test_every_example_of_a_format_runs(self):
        files = sorted((ROOT / "configs/examples/quantize").glob("*.toml"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(file.name):
                out = json.loads(self.ch("transform", "--config", file, "--rows", 2000,
                                         "--json", "-"))
                changed = [one["Changed"] for one in out["passes"][0]["info"]["nodes"]]
                self.assertEqual(changed, [False, False, False, True, False, False])

    def test_mistakes_name_file_line_and_what_would_work(self):
        error = self.ch("transform", "--config", self.write(CONFIG + "weight_widht = 3\n"), code=1)
        self.assertIn("'weight_widht' is no key of the format lsq_integer", error)
        self.assertIn("did you mean 'weight_width'", error)
        error = self.ch("transform", "--config", self.write(CONFIG.replace(
            "[passes.fuse_batch_norm]", "[passes.fuse_batchnorm]")), code=1)
        self.assertIn("unknown pass 'fuse_batchnorm'", error)
        self.assertIn("config.toml:8", error)
        self.assertIn("did you mean 'fuse_batch_norm'", error)
        error = self.ch("transform", "jsc-tiny", "jsc", code=1)
        self.assertIn("no passes to run", error)
        self.assertEqual(list(self.folder.glob("**/*.mz")), [])

    def test_the_graph_is_dumped_around_each_pass(self):
        self.ch("transform", "--config", self.write(CONFIG), "--dump", "graphs")
        names = sorted(path.name for path in (self.folder / "graphs").iterdir())
        self.assertEqual(names, ["00-start.txt", "01-fuse_batch_norm.txt", "02-quantize.txt"])
        self.assertIn("seq_blocks_9", (self.folder / "graphs/00-start.txt").read_text())
        self.assertNotIn("%seq_blocks_9 ", (self.folder / "graphs/01-fuse_batch_norm.txt").read_text())


if __name__ == "__main__":
    unittest.main()
