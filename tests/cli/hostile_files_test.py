"""Hostile models and data: each refused in its own words, within a second of time and 256 MB."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

import numpy
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import limited  # noqa: E402

CH = os.environ["CH_BIN"]
HUGE = 2**40
MEMORY = 256 << 20


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def refused(self, says, *words):
        environment = {**os.environ, "CH_CACHE_DIR": str(self.folder / "cache"), "OMP_NUM_THREADS": "1"}
        code, text, seconds, peak = limited.run([CH, *words], MEMORY, cwd=self.folder, env=environment)
        self.assertIn(says, text)
        self.assertEqual(code, 1, text)
        self.assertLess(seconds, 1.0, says)
        self.assertLess(peak, MEMORY, says)


class Onnx(Hostile):
    def save(self, nodes, constants=None, shape=(1, 2), opset=13, outputs=("y",)):
        graph = helper.make_graph(
            nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            [numpy_helper.from_array(numpy.asarray(value), name) for name, value in (constants or {}).items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=7)
        (self.folder / "m.onnx").write_bytes(model.SerializeToString())
        return model

    def rewrite(self, model):
        (self.folder / "m.onnx").write_bytes(model.SerializeToString())

    def refused_model(self, says, *arguments, **options):
        self.save(*arguments, **options)
        self.refused(says, "inspect", "m.onnx")

    def test_cycles_and_names_made_twice(self):
        node = helper.make_node
        self.refused_model("the graph has a cycle", [node("Add", ["x", "y"], ["a"]), node("Relu", ["a"], ["y"])])
        self.refused_model("two nodes make the value 'y'", [node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["y"])])

    def test_dimensions(self):
        model = self.save([helper.make_node("Add", ["x", "w"], ["y"])], {"w": numpy.ones(2, numpy.float32)})
        tensor = model.graph.initializer[0]
        for dims, says in {(-1, 2): "has the negative dimension -1", (HUGE, HUGE): "has too many elements",
                           (0, HUGE, HUGE): "has too many elements",
                           (2**30,): "of shape [1073741824] should have 4294967296 bytes, the file has 8"}.items():
            tensor.dims[:] = dims
            self.rewrite(model)
            self.refused(says, "inspect", "m.onnx")

    def test_data_outside_the_folder(self):
        (self.folder / "secret").write_bytes(b"s" * 8)
        (self.folder / "in").mkdir()
        os.symlink(self.folder / "secret", self.folder / "in" / "link")
        model = self.save([helper.make_node("Add", ["x", "w"], ["y"])], {"w": numpy.ones(2, numpy.float32)})
        tensor = model.graph.initializer[0]
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location")
        for location in ("../secret", str(self.folder / "secret"), "link", "a/../../secret"):
            tensor.external_data[0].value = location
            (self.folder / "in" / "m.onnx").write_bytes(model.SerializeToString())
            self.refused(f"'{location}', which is not inside the model's folder", "inspect", "in/m.onnx")

    def test_a_million_nodes_and_a_hundred_branches(self):
        node = helper.make_node("Relu", ["x"], ["y"]).SerializeToString()
        graph = (b"\x0a" + bytes([len(node)]) + node) * 1_000_000
        size = len(graph)
        length = b""
        while size > 127:
            length += bytes([size & 127 | 128])
            size >>= 7
        (self.folder / "m.onnx").write_bytes(b"\x08\x07\x3a" + length + bytes([size]) + graph)
        self.refused("has 1,000,000 nodes", "inspect", "m.onnx")
        inner = helper.make_node("Relu", ["x"], ["y"])
        for _ in range(100):
            branch = helper.make_graph([inner], "b", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
            inner = helper.make_node("If", ["c"], ["y"], then_branch=branch)
        self.refused_model("nested more than 40 deep", [inner], {"c": numpy.array(True)})

    def test_gigantic_results(self):
        node = helper.make_node
        sizes = numpy.array([HUGE, 2], numpy.int64)
        for op, says in {"Expand": "expand", "Tile": "tile", "Reshape": "an impossible shape"}.items():
            self.refused_model(says, [node(op, ["x", "s"], ["y"])], {"s": sizes})
        self.refused_model("pad cannot make the shape", [node("Pad", ["x", "s"], ["y"])],
                           {"s": numpy.array([0, 0, HUGE, 0], numpy.int64)})
        self.refused_model("Resize: dimension 1 from 2 to", [node("Resize", ["x", "", "", "s"], ["y"])],
                           {"s": numpy.array([1, HUGE], numpy.int64)})
        self.refused_model("ConstantOfShape asks for the shape", [node("ConstantOfShape", ["s"], ["y"])], {"s": sizes})
        self.refused_model("constants of 268,435,456 more elements", [node("ConstantOfShape", ["s"], ["y"])],
                           {"s": numpy.array([2**14, 2**14], numpy.int64)})
        bounds = {"a": numpy.int64(0), "b": numpy.int64(HUGE), "c": numpy.int64(1)}
        self.refused_model("Range from 0 to", [node("Range", ["a", "b", "c"], ["y"])], bounds)

    def test_what_is_not_known_is_listed_at_once(self):
        node = helper.make_node
        self.refused_model("cannot import the operators Foo (2 times), StringNormalizer",
                           [node("Foo", ["x"], ["a"]), node("Foo", ["a"], ["b"]), node("StringNormalizer", ["b"], ["y"])])
        self.refused_model("is written in opset 99", [node("Relu", ["x"], ["y"])], opset=99)


class Checkpoint(Hostile):
    """A graph that JSON can hold and no network can be is refused by every action that opens one."""

    def save(self, edit):
        if not (self.folder / "base.ckpt").exists():
            subprocess.run([CH, "convert", "jsc-tiny", "base.ckpt", "-q"], cwd=self.folder, check=True,
                           stdout=subprocess.DEVNULL)
        data = (self.folder / "base.ckpt").read_bytes()
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8:8 + size])
        del header["__metadata__"]["chop.checksum"]
        header["__metadata__"]["chop.version"] = "1"
        graph = json.loads(header["__metadata__"]["chop.graph"])
        edit({node["name"]: node for node in graph["nodes"]})
        header["__metadata__"]["chop.graph"] = json.dumps(graph)
        text = json.dumps(header).encode()
        (self.folder / "m.ckpt").write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size:])

    def refused_graph(self, says, edit):
        self.save(edit)
        self.refused(says, "inspect", "m.ckpt")

    def test_every_action_refuses_what_is_no_network(self):
        (self.folder / "rows.csv").write_text("".join(f"f{i}," for i in range(16)) + "label\n"
                                              + ("1,0,2,3," * 4 + "0\n" + "2,1,0,5," * 4 + "4\n") * 20)
        numpy.save(self.folder / "x.npy", numpy.zeros((2, 16), numpy.float32))
        (self.folder / "q.toml").write_text('[passes.quantize]\nby = "type"\n[passes.quantize.default.config]\n'
                                            'name = "integer"\ndata_in_width = 8\nweight_width = 8\nbias_width = 8\n')
        actions = (["inspect", "m.ckpt"], ["convert", "m.ckpt", "y.onnx"], ["run", "m.ckpt", "--in", "x.npy"],
                   ["test", "m.ckpt", "rows.csv"], ["transform", "m.ckpt", "rows.csv", "--config", "q.toml"],
                   ["train", "m.ckpt", "rows.csv"], ["test", "jsc-tiny", "rows.csv", "--load", "m.ckpt"],
                   ["compare", "m.ckpt", "base.ckpt"], ["lower", "m.ckpt"], ["bench-model", "m.ckpt"],
                   ["pass", "calculate_avg_bits", "m.ckpt"], ["pass", "report_graph", "m.ckpt"])

        def call_without_operands(nodes):
            nodes["x"]["op"] = "linear"

        def format_named_like_an_op(nodes):
            nodes["seq_blocks_2"]["formats"] = {"weight": {"name": "hardtanh", "config": {}}}

        for edit, says in ((call_without_operands, "'x' is a placeholder, which cannot have the op 'linear'"),
                           (format_named_like_an_op, "unknown number format 'hardtanh'")):
            self.save(edit)
            for words in actions:
                self.refused(says, *words)

    def test_formats_and_attributes_are_checked_where_they_stand(self):
        integer = {"name": "integer", "config": {"width": 8, "frac_width": 4}}
        linear = "seq_blocks_2"
        self.refused_graph(f"node '{linear}' has a number format for \"wait\"",
                           lambda nodes: nodes[linear].update(formats={"wait": integer}))
        self.refused_graph(f"node '{linear}' has a number format for \"data_out_1\"",
                           lambda nodes: nodes[linear].update(formats={"data_out_1": integer}))
        self.refused_graph(f"note: node '{linear}', weight", lambda nodes: nodes[linear].update(
            formats={"weight": {"name": "integer", "config": {"width": 99, "frac_width": 4}}}))
        self.refused_graph(f"note: node '{linear}'", lambda nodes: nodes[linear].update(op="lineal"))
        self.refused_graph(f"note: node '{linear}'", lambda nodes: nodes[linear]["attrs"].update(in_features="16"))
        self.refused_graph("node 'output' holds an attribute of the wrong kind",
                           lambda nodes: nodes["output"].update(attrs={"names": 3}))
        self.refused_graph("reads result 7 of", lambda nodes: nodes["output"].update(
            inputs=[[nodes["output"]["inputs"][0], 7]]))


class Data(Hostile):
    def test_pickled_objects_are_not_loaded(self):
        numpy.savez(self.folder / "rows.npz", x_test=numpy.array([[{}]], dtype=object), y_test=numpy.arange(1))
        self.refused("pickled Python objects are never loaded", "train", "jsc-tiny", "rows.npz")

    def test_csv_files_cut_anywhere(self):
        text = "".join(f"f{i}," for i in range(16)) + "label\n" + "1," * 16 + "g\n"
        for size in (0, 5, 40, len(text) - 12):
            (self.folder / "rows.csv").write_text(text[:size])
            self.refused("rows.csv", "train", "jsc-tiny", "rows.csv")

    def test_arff_files_that_claim_much(self):
        head = "".join(f"@ATTRIBUTE f{i} REAL\n" for i in range(16)) + "@ATTRIBUTE class {g,q,t,w,z}\n@DATA\n"
        for text, says in {"": "it has no @DATA", head: "it has no rows", head + "1\n": "has 1 cell for 17 attributes",
                           head + "1," * 16 + "h\n": "is not one of its values", head + "{0 1}\n": "is a sparse row",
                           head + "1," * 15 + "1e999,g\n": "rows.arff", head + "'" + "x" * 10**6: "not closed",
                           "@ATTRIBUTE a REAL\n" * 10**5: "twice",
                           "".join(f"@ATTRIBUTE {i} REAL\n" for i in range(10**5 + 1)): "which is too many"}.items():
            (self.folder / "rows.arff").write_text(text)
            self.refused(says, "train", "jsc-tiny", "rows.arff")

    def test_of_an_npz_of_zeros_some_rows_can_be_read(self):
        numpy.savez_compressed(self.folder / "zeros.npz", x=numpy.zeros((8_000_000, 16), numpy.float32))
        self.refused("a zip bomb", "run", "jsc-tiny", "zeros.npz")
        code, text, _, peak = limited.run([CH, "run", "jsc-tiny", "zeros.npz", "--rows", "100"], MEMORY, cwd=self.folder)
        self.assertEqual(code, 0, text)
        self.assertLess(peak, MEMORY)
        wide = numpy.zeros((4, 100_000_000), numpy.float32)
        numpy.savez_compressed(self.folder / "wide.npz", x=wide)
        self.refused("2 rows of 'x.npy' would unpack to", "run", "jsc-tiny", "wide.npz", "--rows", "2")

    def test_archives_that_claim_much(self):
        def entry(name, size, body=b"", kind=b"0"):
            head = bytearray(name.encode().ljust(124, b"\0") + size.ljust(12, b"\0") + b"\0" * 12 + b" " * 8 + kind)
            head += b"\0" * (512 - len(head))
            head[148:156] = b"%06o\0 " % sum(head)
            return bytes(head) + body + b"\0" * (-len(body) % 512)

        def bomb(name):
            stream = zlib.compressobj(9, zlib.DEFLATED, 31)
            size = 3073 * 20000
            head = stream.compress(entry(name, b"%011o" % size))
            blocks = [stream.compress(bytes(1 << 20)) for _ in range(size >> 20)]
            rest = stream.compress(bytes(-(-size // 512) * 512 - (size >> 20 << 20)))
            return head + b"".join(blocks) + rest + stream.flush()  # gzip members follow one another

        for data, says in {entry("data_batch_1.bin", b"77777777777"): "would unpack to more than",
                           entry("data_batch_1.bin", b"00500000000"): "are the most that are read",
                           entry("../data_batch_1.bin", b"00000000000"): "leads out of the archive",
                           entry("/etc/passwd", b"00000000000"): "has an absolute path",
                           entry("test_batch.bin", b"00000000001", b"x") * 2: "two entries are named",
                           entry("test_batch.bin", b"00000000000", kind=b"2"): "no file 'data_batch_1.bin'",
                           bomb("data_batch_1.bin") * 2: "two entries are named",
                           bomb("something.bin") * 5: "would unpack to more than",
                           b"\x1f\x8b" + b"\0" * 100: "damaged or truncated", b"": "it holds nothing"}.items():
            (self.folder / "cifar.tar.gz").write_bytes(data)
            self.refused(says, "train", "toy", "cifar10", "--data", "cifar.tar.gz")


if __name__ == "__main__":
    unittest.main()
