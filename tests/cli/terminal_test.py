"""Names from files cannot steer a terminal, wherever they are printed; JSON and files keep them as they are."""
import contextlib
import json
import os
import pathlib
import pty
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import unittest

import numpy
from onnx import TensorProto, helper, numpy_helper

CH = os.environ["CH_BIN"]
EVIL = "\x1b]0;TITLE\x07\x1b[2J\x1b[8m\u202e\u009b\x7f"
SAFE = r"\x1b]0;TI"  # the rest may stand in another line of a narrow table


def texts(tree):
    """All texts of what JSON said."""
    if isinstance(tree, dict):
        return [text for one in tree.values() for text in texts(one)]
    if isinstance(tree, list):
        return [text for one in tree for text in texts(one)]
    return [tree]


class Terminal(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache"), "TERM": "xterm"}

    def harmless(self, *words, shows=SAFE, code=None):
        """Runs it into a pipe and on a terminal of 400 columns; returns what the pipe got."""
        done = subprocess.run([CH, *map(str, words)], cwd=self.folder, env=self.environment, capture_output=True,
                              check=False)
        said = done.stdout + done.stderr
        if code is not None:
            self.assertEqual(done.returncode, code, said)
        self.assertNotIn(done.returncode, (70, -6, -11), said)
        ours = {b"\x1b[0m", b"\x1b[34m", b"\x1b[32m", b"\x1b[33m", b"\x1b[31m", b"\x1b[1m", b"\x1b[38;5;8m",
                b"\r\x1b[2K"}
        for text in (said, self.on_terminal(*words)):
            for one in ours:
                text = text.replace(one, b"")
            for harm in (b"\x1b", b"\x07", b"\x7f", "\u202e".encode(), "\u009b".encode()):
                self.assertNotIn(harm, text)
            if shows:
                self.assertIn(shows, text.decode())
        return done

    def on_terminal(self, *words):
        master, slave = pty.openpty()
        process = subprocess.Popen([CH, *map(str, words)], cwd=self.folder, env=self.environment, stdin=slave,
                                   stdout=slave, stderr=slave)
        os.close(slave)
        text = b""
        with contextlib.suppress(OSError):
            while part := os.read(master, 65536):
                text += part
        os.close(master)
        process.wait()
        return text.replace(b"\r\n", b"\n")

    def checkpoint(self, change):
        """A checkpoint without a checksum, as others write them, after `change(header, graph)`."""
        made = self.folder / "made.ckpt"
        subprocess.run([CH, "pass", "report_graph", "jsc-tiny", "--save", made, "-q"], cwd=self.folder,
                       env=self.environment, check=True, capture_output=True)
        data = made.read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8:8 + size])
        meta = header["__metadata__"]
        graph = json.loads(meta["chop.graph"])
        change(header, graph)
        meta = {key: "1" if "version" in key else value for key, value in meta.items() if "checksum" not in key}
        meta["chop.graph"] = json.dumps(graph)
        header["__metadata__"] = meta
        text = json.dumps(header).encode()
        path = self.folder / "evil.ckpt"
        path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size:])
        return path

    def test_nodes_of_a_checkpoint(self):
        def rename(_, graph):
            last = graph["nodes"][-2]["name"]
            text = json.dumps(graph).replace(json.dumps(last), json.dumps(EVIL))
            graph.clear()
            graph.update(json.loads(text))
        path = self.checkpoint(rename)
        self.harmless("inspect", path, code=0)
        self.harmless("inspect", path, "--report", "graph", code=0)
        self.harmless("pass", "report_graph", path, code=0)
        self.harmless("inspect", path, "--tensors", shows=None)
        self.harmless("compare", path, path, shows=None)
        told = json.loads(self.harmless("inspect", path, "--json", "-", shows=None, code=0).stdout)
        self.assertIn(EVIL, texts(told))
        self.harmless("inspect", path, "--json", "out.json", code=0)
        self.assertIn(EVIL, texts(json.loads((self.folder / "out.json").read_text())))

    def test_the_name_of_a_model(self):
        path = self.checkpoint(lambda _, graph: graph.update(name=EVIL))
        self.harmless("inspect", path, shows=None)
        self.harmless("convert", path, "x.onnx", shows=None)
        self.harmless("inspect", "x.onnx", shows=None)

    def test_metadata_and_tensors_of_a_safetensors_file(self):
        text = json.dumps({"__metadata__": {EVIL: EVIL}, EVIL: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})
        path = self.folder / "w.safetensors"
        path.write_bytes(struct.pack("<Q", len(text)) + text.encode() + b"\0\0\0\0")
        self.harmless("inspect", path, shows=None)
        self.harmless("test", "jsc-tiny", "jsc", "--rows", 1000, "--load", path, shows=None, code=1)

    def test_names_in_onnx(self):
        for op, name, tensor in ((EVIL, "n", "y"), ("Relu", EVIL, "y"), ("Relu", "n", EVIL)):
            with self.subTest(op=op, name=name, tensor=tensor):
                graph = helper.make_graph(
                    [helper.make_node(op, ["x"], [tensor], name=name), helper.make_node("Add", [tensor, "w"], ["z"])],
                    EVIL, [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 2))],
                    [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)],
                    [numpy_helper.from_array(numpy.ones(2, numpy.float32), "w")])
                model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
                (self.folder / "m.onnx").write_bytes(model.SerializeToString())
                self.harmless("inspect", "m.onnx", shows=None)
                self.harmless("pass", "report_graph", "m.onnx", shows=None)

    def test_cells_headers_and_classes_of_a_csv_file(self):
        rows = [f"{i % 13},{i % 7},{'ab'[i % 2]}{EVIL}" for i in range(400)]
        (self.folder / "d.csv").write_text("\n".join(["one,two,label", *rows]) + "\n")
        (self.folder / "n.toml").write_text('[model]\nlayers = [{ op = "linear", out_features = "classes" }]\n')
        self.harmless("train", "n.toml", "d.csv", "--max-epochs", 1, "--project", "p", shows=None, code=0)
        best = "mase_output/p/software/training_ckpts/best.ckpt"
        self.harmless("test", "n.toml", "d.csv", "--load", best, code=0)
        self.assertIn(EVIL, (self.folder / "mase_output/p/software/test/confusion.csv").read_text())
        (self.folder / "d.csv").write_text(f"one,{EVIL},label\n1,2,a\n1,{EVIL},b\n" * 3)
        self.harmless("train", "n.toml", "d.csv", shows=None, code=1)

    def test_keys_and_values_of_a_configuration(self):
        quoted = json.dumps(EVIL)
        for text in (f"{quoted} = 1\n", f"model = {quoted}\n", f'[model]\nname = {quoted}\nlayers = [{quoted}]\n',
                     f'model = "jsc-tiny"\ndataset = "jsc"\n[passes.{quoted}]\n',
                     f'model = "jsc-tiny"\ndataset = "jsc"\n[search.{quoted}]\nx = 1\n',
                     f'model = "jsc-tiny"\ndataset = {quoted}\n'):
            (self.folder / "c.toml").write_text(text)
            for action in ("train", "transform", "search"):
                self.harmless(action, "--config", "c.toml", shows=None)

    def test_names_of_studies(self):
        self.harmless("study", "list", "--storage", "s.db", shows=None, code=1)
        (self.folder / "c.toml").write_text(
            'model = "jsc-tiny"\ndataset = "jsc"\nrows = 1000\n[search.search_space.seed.seq_blocks_2.config]\n'
            'name = ["integer"]\ndata_in_width = [4, 8]\nweight_width = 8\nbias_width = 8\n[search.strategy.setup]\nn_trials = 2\n'
            '[search.strategy.metrics.average_bitwidth]\ndirection = "minimize"\n')
        self.harmless("search", "--config", "c.toml", "--storage", "s.db", "--study", EVIL, "--project", "p", code=0)
        with contextlib.closing(sqlite3.connect(self.folder / "s.db")) as base:
            self.assertEqual(base.execute("SELECT study_name FROM studies").fetchall(), [(EVIL,)])
        self.harmless("study", "list", "--storage", "s.db", code=0)
        self.harmless("study", "show", "--storage", "s.db", code=0)
        self.harmless("study", "show", EVIL + "x", "--storage", "s.db", code=1)
        exported = subprocess.run([CH, "study", "export", "--storage", "s.db", "--format", "json"], cwd=self.folder,
                                  env=self.environment, capture_output=True, check=True).stdout
        self.assertIn(EVIL, texts(json.loads(exported)))

    def test_paths_and_words_of_the_command_line(self):
        path = EVIL.replace("/", "") + ".onnx"
        (self.folder / path).write_bytes(b"nothing")
        for words in (["inspect", path], ["inspect", "no" + path], ["train", EVIL, "jsc"], ["train", "jsc-tiny", EVIL],
                      [EVIL], ["--" + EVIL], ["train", "--" + EVIL], ["train", "--config", path], ["pass", EVIL, "x"],
                      ["study", "list", "--storage", path], ["format", EVIL, "1"], ["passes", EVIL]):
            with self.subTest(words):
                self.harmless(*words, shows=None)


if __name__ == "__main__":
    unittest.main()
