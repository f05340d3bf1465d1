"""ONNX files that leave shapes open: --shape says them, or the data does."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
RANDOM = np.random.RandomState(0)


def save(path, nodes, inputs, outputs, constants=()):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [info(*each) for each in inputs], [info(*each) for each in outputs],
                              [numpy_helper.from_array(array, name) for name, array in constants])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)


def reals(*shape):
    return RANDOM.randn(*shape).astype(np.float32)


class Shapes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        node = helper.make_node
        save(cls.path("open.onnx"),
             [node("Conv", ["x", "w"], ["c"], name="conv", pads=[1, 1, 1, 1]),
              node("GlobalAveragePool", ["c"], ["p"], name="gap"), node("Flatten", ["p"], ["q"], name="flat"),
              node("Gemm", ["q", "v"], ["y"], name="fc")],
             [("x", FLOAT, ["batch", 3, "height", "width"])], [("y", FLOAT, ["batch", 5])],
             [("w", reals(4, 3, 3, 3)), ("v", reals(4, 5))])
        # Subtracts row 0 from every row: another network for every batch.
        save(cls.path("slice.onnx"),
             [node("Slice", ["x", "from", "to", "axis"], ["first"], name="cut"),
              node("Sub", ["x", "first"], ["d"], name="sub"), node("Gemm", ["d", "v", "b"], ["y"], name="fc")],
             [("x", FLOAT, ["batch", 16])], [("y", FLOAT, ["batch", 5])],
             [("from", np.array([0])), ("to", np.array([1])), ("axis", np.array([0])), ("v", reals(16, 5)),
              ("b", np.arange(5, dtype=np.float32))])
        save(cls.path("two.onnx"),
             [node("Gather", ["table", "ids"], ["e"], name="emb"), node("Unsqueeze", ["mask", "ax"], ["m"], name="u"),
              node("Mul", ["e", "m"], ["em"], name="mul"),
              node("ReduceMean", ["em"], ["y"], name="mean", axes=[1], keepdims=0)],
             [("ids", TensorProto.INT64, ["batch", "seq"]), ("mask", FLOAT, ["batch", "seq"])],
             [("y", FLOAT, ["batch", 6])], [("table", reals(10, 6)), ("ax", np.array([2]))])
        save(cls.path("none.onnx"), [node("Relu", ["x"], ["y"], name="relu")], [("x", FLOAT, None)],
             [("y", FLOAT, None)])
        save(cls.path("cut.onnx"), [node("Slice", ["x", "from", "to", "axis"], ["y"], name="cut")], [("x", FLOAT, None)],
             [("y", FLOAT, None)], [("from", np.array([0])), ("to", np.array([1])), ("axis", np.array([0]))])
        save(cls.path("constant.onnx"), [node("Relu", ["c"], ["y"], name="relu")], [], [("y", FLOAT, [2, 3])],
             [("c", reals(2, 3))])
        save(cls.path("bf16.onnx"), [node("Cast", ["x"], ["y"], name="cast", to=TensorProto.BFLOAT16)],
             [("x", FLOAT, ["batch", 4])], [("y", TensorProto.BFLOAT16, ["batch", 4])])
        labels = np.arange(60) % 5
        np.savez(cls.path("images.npz"), x=reals(60, 3, 8, 8), y=labels)
        np.savez(cls.path("rows.npz"), x=reals(60, 16), y=labels)
        np.savez(cls.path("unlabelled.npz"), x=reals(60, 3, 8, 8))
        np.savez(cls.path("nothing.npz"))
        np.savez(cls.path("one.npz"), x=reals(1, 3, 8, 8))
        np.save(cls.path("images.npy"), reals(6, 3, 8, 8))
        with open(cls.path("int8.toml"), "w", encoding="utf-8") as file:
            file.write('[passes.quantize]\nby = "type"\n[passes.quantize.linear.config]\nname = "integer"\n'
                       "data_in_width = 8\ndata_in_frac_width = 4\nweight_width = 8\nweight_frac_width = 4\n")

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def ch(self, *words, code=0):
        done = subprocess.run([os.environ["CH_BIN"], *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def json(self, *words):
        return json.loads(self.ch(*words, "--json", "-").stdout)

    def test_a_refusal_names_the_flag_with_all_open_inputs(self):
        self.assertIn("--shape x=1,3,224,224", self.ch("inspect", "open.onnx", code=1).stderr)
        self.assertIn("--shape ids=1,16 --shape mask=1,16", self.ch("inspect", "two.onnx", code=1).stderr)
        self.assertIn("--shape x=1,16", self.ch("inspect", "slice.onnx", code=1).stderr)
        self.assertIn("--shape x=1,16", self.ch("inspect", "none.onnx", code=1).stderr)
        self.assertIn("one row at a time: --shape x=1,7,8",
                      self.ch("inspect", "cut.onnx", "--shape", "N,7,8", code=1).stderr)

    def test_every_action_that_opens_a_model_takes_a_shape(self):
        shape = ("--shape", "x=1,3,8,8")
        self.ch("inspect", "open.onnx", *shape)
        self.ch("convert", "open.onnx", "fixed.onnx", *shape)
        self.ch("convert", "open.onnx", "fixed.mz", *shape)
        self.ch("pass", "report_graph", "open.onnx", *shape)
        self.ch("lower", "open.onnx", *shape)
        self.ch("bench-model", "open.onnx", "--repeats", "3", *shape)
        self.ch("run", "open.onnx", "--random", "0", *shape)
        self.ch("compare", "open.onnx", "fixed.mz", *shape)
        self.ch("test", "open.onnx", "images.npz", *shape)
        self.ch("transform", "open.onnx", "--config", "int8.toml", *shape)
        self.ch("train", "open.onnx", "images.npz", "--max-epochs", "1", "--project", "p", *shape)
        self.ch("sweep", "open.onnx", "images.npz", "--max-epochs", "1", "--project", "s", *shape)

    def test_numbers_alone_are_the_shape_of_the_only_input(self):
        self.assertEqual(self.ch("inspect", "open.onnx", "--shape", "1,3,8,8", "--report", "shapes").stdout,
                         self.ch("inspect", "open.onnx", "--shape", "x=1,3,8,8", "--report", "shapes").stdout)
        self.assertIn("name each: --shape ids=1,16", self.ch("inspect", "two.onnx", "--shape", "1,7", code=1).stderr)

    def test_n_or_a_minus_one_in_front_is_any_batch(self):
        for batch in ("N", "-1"):
            self.ch("convert", "open.onnx", "any.onnx", "--shape", f"{batch},3,8,8")
            dim = onnx.load(self.path("any.onnx")).graph.input[0].type.tensor_type.shape.dim
            self.assertEqual([d.dim_value for d in dim], [0, 3, 8, 8])

    def test_open_dimensions_of_one_name_become_equal(self):
        self.ch("convert", "two.onnx", "seven.onnx", "--shape", "ids=1,7")
        dims = [[d.dim_value for d in each.type.tensor_type.shape.dim]
                for each in onnx.load(self.path("seven.onnx")).graph.input]
        self.assertEqual(dims, [[1, 7], [1, 7]])

    def test_a_name_or_shape_that_does_not_fit_is_an_error(self):
        for given, said in (("y=1,3,8,8", "has no such input"), ("1,4,8,8", "cannot have the shape [1, 4, 8, 8]"),
                            ("1,3,8", "cannot have the shape [1, 3, 8]"), ("1,3,0,8", "--shape cannot be '1,3,0,8'"),
                            ("1,3,N,8", "--shape cannot be '1,3,N,8'"), ("x=", "--shape cannot be 'x='"),
                            ("1,3,100000000,100000000", "cannot have the shape")):
            with self.subTest(given):
                self.assertIn(said, self.ch("inspect", "open.onnx", "--shape", given, code=1).stderr)
        self.assertIn("twice", self.ch("inspect", "open.onnx", "--shape", "1,3,8,8", "--shape", "1,3,9,9",
                                       code=1).stderr)

    def test_shapes_come_from_the_data_where_there_is_some(self):
        self.assertEqual(self.json("test", "open.onnx", "images.npz")["rows"], 60)
        self.ch("inspect", "open.onnx", "unlabelled.npz", "--report", "stats")
        self.assertIn("but there is 1 row", self.ch("inspect", "open.onnx", "one.npz", "--report", "stats").stdout)
        self.ch("transform", "open.onnx", "images.npz", "--config", "int8.toml")
        self.ch("compare", "open.onnx", "open.onnx", "--data", "unlabelled.npz")
        self.ch("bench-model", "open.onnx", "images.npz", "--repeats", "3")
        for network in ("open.onnx", "none.onnx"):
            self.ch("run", network, "--in", "images.npy")
        self.assertIn("cannot have the shape [-1, 16]", self.ch("test", "open.onnx", "rows.npz", code=1).stderr)

    def test_a_network_for_one_row_is_tested_and_profiled_row_by_row(self):
        found = self.json("test", "slice.onnx", "rows.npz")
        self.assertEqual((found["rows"], found["correct"]), (60, 12))  # b is largest for class 4
        stats = self.json("inspect", "slice.onnx", "rows.npz", "--report", "stats")["passes"][0]["info"]["nodes"]
        self.assertEqual(stats["sub"]["data_in_0"]["variance_online"]["count"], 44 * 16)
        self.assertGreater(stats["sub"]["data_in_0"]["range_min_max"]["range"], 4)

    def test_a_network_for_so_many_rows_takes_only_multiples_of_them(self):
        self.ch("test", "slice.onnx", "rows.npz", "--shape", "4,16")
        self.assertIn("takes 7 rows at a time, and 60 are no multiple",
                      self.ch("test", "slice.onnx", "rows.npz", "--shape", "7,16", code=1).stderr)
        self.assertIn("--batch-size 1", self.ch("train", "slice.onnx", "rows.npz", "--shape", "1,16", code=1).stderr)

    def test_a_shape_of_a_network_that_has_one_must_be_the_same(self):
        self.ch("convert", "open.onnx", "has.mz", "--shape", "1,3,8,8")
        self.ch("inspect", "has.mz", "--shape", "1,3,8,8")
        self.assertIn("takes samples of shape [3, 8, 8]",
                      self.ch("inspect", "has.mz", "--shape", "1,3,9,9", code=1).stderr)

    def test_a_network_in_toml_takes_its_shape_and_classes_from_the_data(self):
        with open(self.path("net.toml"), "w", encoding="utf-8") as file:
            file.write('[model]\nname = "net"\nlayers = [{ op = "linear", out_features = "classes" }]\n')
        self.assertIn("name a data set", self.ch("inspect", "net.toml", code=1).stderr)
        self.assertIn("85 parameters", self.ch("inspect", "net.toml", "rows.npz").stdout)
        self.ch("pass", "report_graph", "net.toml", "rows.npz")

    def test_a_network_without_inputs_is_run(self):
        self.ch("run", "constant.onnx", "--out", "c.npz")
        self.ch("run", "constant.onnx", "--in", "nothing.npz")
        self.assertEqual(np.load(self.path("c.npz"))["y"].shape, (2, 3))

    def test_outputs_in_bf16_are_written_as_f32(self):
        said = self.ch("run", "bf16.onnx", "--random", "0", "--out", "b.npz").stderr
        self.assertIn("written as f32", said)
        y = np.load(self.path("b.npz"))["y"]
        self.assertEqual(y.dtype, np.float32)
        self.assertFalse(np.any(y.view(np.uint32) & 0xFFFF))

    def test_networks_before_in_share_the_data_set(self):
        for words in (("open.onnx", "open.onnx", "--in", "images.npz"), ("--in", "images.npz", "open.onnx", "open.onnx"),
                      ("open.onnx", "--in=images.npz", "open.onnx")):
            with self.subTest(words):
                self.assertEqual([row["rows"] for row in self.json("test", *words)], [60, 60])


if __name__ == "__main__":
    unittest.main()
