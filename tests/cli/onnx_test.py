"""ONNX models as a person uses them: trained ones from elsewhere, with known answers."""

import json
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHARED = os.path.join(os.environ["CH_SOURCE"], "..", "shared", "data")

EIGHT_BITS = """
[passes.quantize]
by = "type"
[passes.quantize.default.config]
name = "NA"
""" + "".join(f"""
[passes.quantize.{op}.config]
name = "integer"
data_in_width = 8
weight_width = 8
bias_width = 8
""" for op in ("conv2d", "linear"))


def has(*names):
    return all(os.path.exists(os.path.join(SHARED, *name.split("/"))) for name in names)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ch(self, *words, fails=False):
        env = dict(os.environ, CH_CACHE_DIR=os.path.join(self.folder, "cache"))
        done = subprocess.run([os.environ["CH_BIN"], *words], cwd=self.folder, env=env,
                              capture_output=True, text=True)
        if fails:
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            return done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def path(self, name):
        return os.path.join(self.folder, name)

    def save(self, name, nodes, inputs, outputs, initialisers=(), opset=13, **more):
        def value(item):
            return helper.make_tensor_value_info(item[0], item[2] if len(item) > 2
                                                 else TensorProto.FLOAT, item[1])

        graph = helper.make_graph(nodes, "g", [value(i) for i in inputs],
                                  [value(o) for o in outputs],
                                  [numpy_helper.from_array(a, n) for n, a in initialisers])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], **more)
        onnx.save(model, self.path(name))

    def run_model(self, name, **inputs):
        np.savez(self.path("x.npz"), **inputs)
        self.ch("run", name, "--in", "x.npz", "--out", "y.npz", "-q")
        with np.load(self.path("y.npz")) as arrays:
            return {key: arrays[key] for key in arrays.files}


class MissingModels(Case):
    def test_a_model_that_is_not_there_is_said_before_the_data_is_read(self):
        for action in ("test", "train"):
            message = self.ch(action, "nosuch.onnx", "jsc", fails=True)
            self.assertIn("nosuch.onnx", message)
            self.assertNotIn("dataset", message)


@unittest.skipUnless(has("onnx/mnist-8.onnx", "mnist/t10k-images-idx3-ubyte.gz"),
                     "the trained models of ../shared/data are not there")
class TrainedModels(Case):
    def accuracy(self, *words):
        out = self.ch("test", *words, "-q", "--json", "-")
        return json.loads(out)["correct"]

    def data(self, name):
        return os.path.join(SHARED, *name.split("/"))

    def test_digits_and_jets_come_out_as_they_should(self):
        mnist = ["mnist", "--data", self.data("mnist")]
        self.assertEqual(self.accuracy(self.data("onnx/mnist-8.onnx"), *mnist,
                                       "--input-scale", "255"), 9891)
        self.assertEqual(self.accuracy(self.data("onnx/cnn_mnist_pytorch.onnx"), *mnist,
                                       "--input-mean", "0.1307", "--input-std", "0.3081"), 9907)
        np.savez(self.path("raw.npz"), x_test=np.load(self.data("jsc/jets1000_raw.npy")),
                 y_test=np.load(self.data("jsc/jets1000_labels.npy")))
        self.assertEqual(self.accuracy(self.data("onnx/hls4ml_three_layer_keras.onnx"), "raw.npz"),
                         750)

    def test_every_listed_output_is_met(self):
        for name in ("mnist-8", "cnn_mnist_pytorch", "hls4ml_three_layer_keras",
                     "ultraface-RFB-320"):
            self.ch("run", self.data(f"onnx/{name}.onnx"), "--in",
                    self.data(f"onnx/{name}.inputs.npz"), "--out", "y.npz", "-q")
            with np.load(self.data(f"onnx/{name}.outputs.npz")) as wanted, \
                    np.load(self.path("y.npz")) as got:
                self.assertEqual(sorted(got.files), sorted(wanted.files))
                for key in wanted.files:
                    np.testing.assert_allclose(got[key], wanted[key], rtol=1e-4, atol=1e-5)

    def test_eight_bits_and_the_accuracy_in_one_command(self):
        with open(self.path("q8.toml"), "w", encoding="utf-8") as file:
            file.write(EIGHT_BITS)
        out = self.ch("transform", self.data("onnx/mnist-8.onnx"), "mnist", "--data",
                      self.data("mnist"), "--input-scale", "255", "--config", "q8.toml", "--project",
                      "p", "--project-dir", self.folder, "-q")
        before, after = map(float, re.search(r"accuracy +\| +([0-9.]+) \| +([0-9.]+)", out).groups())
        self.assertEqual(before, 0.9891)
        self.assertGreater(after, 0.98)
        # The saved network is one: compared, tested and written again.
        saved = "p/software/transform/transformed_ckpt"
        self.assertIn("Conv2dInteger", self.ch("compare", self.data("onnx/mnist-8.onnx"), saved))
        self.assertIn("accuracy", self.ch("test", saved, "mnist", "--data", self.data("mnist"),
                                          "--input-scale", "255", "-q"))
        self.ch("convert", saved, "q.onnx", "-q")
        onnx.checker.check_model(onnx.load(self.path("q.onnx")))

    def test_passes_and_inspect_take_imported_models(self):
        model = self.data("onnx/ultraface-RFB-320.onnx")
        for words in (["inspect", model], ["pass", "report_graph", model],
                      ["pass", "calculate_flops", model], ["pass", "report_node_shape", model],
                      ["pass", "fuse_batch_norm", model], ["pass", "verify", model]):
            self.assertTrue(self.ch(*words), words)

    def test_quantisers_of_qonnx_become_formats(self):
        for name, layers in (("jsc_qkeras_jettagging", 4), ("qonnx_TFC_2W2A", 4)):
            out = self.ch("pass", "summarize_quantization", self.data(f"onnx/{name}.onnx"))
            found = re.search(r"\| linear +\| +(\d+) \| +(\d+) \|", out)
            self.assertIsNotNone(found, out)
            self.assertEqual(found.groups(), (str(layers), str(layers)), name)


class SmallModels(Case):
    def test_weights_become_modules_with_their_names(self):
        w = np.arange(12, dtype=np.float32).reshape(3, 4)
        self.save("m.onnx", [helper.make_node("MatMul", ["x", "fc.weight"], ["h"]),
                             helper.make_node("Add", ["h", "fc.bias"], ["y"])],
                  [("x", ["N", 3])], [("y", ["N", 4])],
                  [("fc.weight", w), ("fc.bias", np.ones(4, np.float32))])
        text = self.ch("pass", "report_graph", "m.onnx")
        self.assertIn("Linear(in_features=3, out_features=4, bias=True)", text)
        x = np.array([[1, 2, 3], [0, -1, 1]], np.float32)
        np.testing.assert_array_equal(self.run_model("m.onnx", x=x)["y"], x @ w + 1)
        self.ch("convert", "m.onnx", "m.safetensors", "-q")
        self.assertIn("fc.weight", self.ch("inspect", "m.safetensors"))

    def test_the_batch_may_be_computed_with(self):
        nodes = [helper.make_node("Shape", ["x"], ["s"]),
                 helper.make_node("Gather", ["s", "zero"], ["n"], axis=0),
                 helper.make_node("Unsqueeze", ["n", "axes"], ["n1"]),
                 helper.make_node("Concat", ["n1", "rest"], ["shape"], axis=0),
                 helper.make_node("Reshape", ["x", "shape"], ["y"])]
        self.save("m.onnx", nodes, [("x", ["N", 2, 3])], [("y", ["N", 6])],
                  [("zero", np.array(0)), ("axes", np.array([0])), ("rest", np.array([6]))])
        for batch in (1, 5):
            x = np.arange(batch * 6, dtype=np.float32).reshape(batch, 2, 3)
            np.testing.assert_array_equal(self.run_model("m.onnx", x=x)["y"], x.reshape(batch, 6))

    def test_rows_that_depend_on_each_other_stay_one_batch(self):
        self.save("m.onnx", [helper.make_node("Softmax", ["x"], ["y"], axis=0)],
                  [("x", [1, 4])], [("y", [1, 4])])
        self.assertIn("depend on each other", self.ch("inspect", "m.onnx") +
                      subprocess.run([os.environ["CH_BIN"], "inspect", "m.onnx"], cwd=self.folder,
                                     capture_output=True, text=True).stderr)

    def test_a_known_condition_chooses_its_branch(self):
        def branch(op):
            return helper.make_graph([helper.make_node(op, ["x"], ["out_" + op])], op, [],
                                     [helper.make_tensor_value_info("out_" + op,
                                                                    TensorProto.FLOAT, None)])

        node = helper.make_node("If", ["c"], ["y"], then_branch=branch("Neg"),
                                else_branch=branch("Abs"))
        self.save("m.onnx", [node], [("x", ["N", 2])], [("y", ["N", 2])], [("c", np.array(True))])
        x = np.array([[1, -2]], np.float32)
        np.testing.assert_array_equal(self.run_model("m.onnx", x=x)["y"], -x)
        self.save("d.onnx", [helper.make_node("ReduceMax", ["x"], ["m"], keepdims=0),
                             helper.make_node("Cast", ["m"], ["c"], to=TensorProto.BOOL), node],
                  [("x", ["N", 2])], [("y", ["N", 2])])
        error = self.ch("inspect", "d.onnx", fails=True)
        self.assertIn("the condition of If depends on the input data", error)
        self.assertIn("If", error)

    def test_everything_unsupported_is_listed_at_once(self):
        self.save("m.onnx", [helper.make_node("NonZero", ["x"], ["a"]),
                             helper.make_node("Det", ["x"], ["b"]),
                             helper.make_node("Det", ["x"], ["c"])],
                  [("x", ["N", 2])], [("a", None)])
        error = self.ch("inspect", "m.onnx", fails=True)
        self.assertIn("cannot import the operators Det (2 times), NonZero", error)

    def test_inputs_are_checked_by_name_and_shape(self):
        self.save("m.onnx", [helper.make_node("Add", ["a", "b"], ["y"])],
                  [("a", ["N", 2]), ("b", ["N", 2])], [("y", ["N", 2])])
        np.savez(self.path("x.npz"), a=np.zeros((3, 2), np.float32))
        self.assertIn("no values for the input 'b'",
                      self.ch("run", "m.onnx", "--in", "x.npz", fails=True))
        np.savez(self.path("x.npz"), a=np.zeros((3, 2), np.float32), b=np.zeros((3, 5), np.float32))
        self.assertIn("[3, 5]", self.ch("run", "m.onnx", "--in", "x.npz", fails=True))
        np.savez(self.path("x.npz"), a=np.zeros((3, 2)), b=np.zeros((3, 2)), c=np.zeros(1))
        self.assertIn("no input 'c'", self.ch("run", "m.onnx", "--in", "x.npz", fails=True))

    def test_negative_indices_count_from_the_end(self):
        table = np.arange(12, dtype=np.float32).reshape(4, 3)
        self.save("m.onnx", [helper.make_node("Gather", ["t", "i"], ["y"])],
                  [("i", ["N", 2], TensorProto.INT64)], [("y", ["N", 2, 3])], [("t", table)])
        i = np.array([[-1, 0], [3, -4]])
        np.testing.assert_array_equal(self.run_model("m.onnx", i=i)["y"], table[i])
        self.save("m.onnx", [helper.make_node("Gather", ["t", "i"], ["r"]),
                             helper.make_node("Add", ["x", "r"], ["y"])],
                  [("x", ["N", 3])], [("y", ["N", 3])], [("t", table), ("i", np.array(4))])
        self.assertIn("picks element 4 of 4", self.ch("inspect", "m.onnx", fails=True))

    def test_open_and_fixed_inputs_may_stand_side_by_side(self):
        self.save("m.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])],
                  [("x", ["N", 3]), ("w", [3, 2])], [("y", ["N", 2])])
        self.assertIn("matmul", self.ch("inspect", "m.onnx"))
        x, w = np.ones((5, 3), np.float32), np.ones((3, 2), np.float32)
        np.testing.assert_array_equal(self.run_model("m.onnx", x=x, w=w)["y"], x @ w)

    def test_expanding_and_resizing_keep_an_open_batch(self):
        nodes = [helper.make_node("Shape", ["x"], ["s"]),
                 helper.make_node("Slice", ["s", "zero", "two"], ["front"]),
                 helper.make_node("Concat", ["front", "size"], ["sizes"], axis=0),
                 helper.make_node("Resize", ["x", "", "", "sizes"], ["r"], mode="nearest"),
                 helper.make_node("Slice", ["s", "zero", "one"], ["n"]),
                 helper.make_node("Concat", ["n", "rest"], ["wide"], axis=0),
                 helper.make_node("Expand", ["r", "wide"], ["y"])]
        self.save("m.onnx", nodes, [("x", ["N", 1, 2, 2])], [("y", ["N", 3, 4, 4])],
                  [("zero", np.array([0])), ("one", np.array([1])), ("two", np.array([2])),
                   ("size", np.array([4, 4])), ("rest", np.array([3, 4, 4]))])
        self.ch("convert", "m.onnx", "m.mz", "-q")
        for batch in (1, 4):
            x = np.arange(batch * 4, dtype=np.float32).reshape(batch, 1, 2, 2)
            wanted = np.broadcast_to(x.repeat(2, 2).repeat(2, 3), (batch, 3, 4, 4))
            np.testing.assert_array_equal(self.run_model("m.mz", x=x)["y"], wanted)

    def test_quantisers_with_a_scale_of_their_own(self):
        for op, extra, wanted in (("BipolarQuant", [], lambda x: np.where(x >= 0, 0.3, -0.3)),
                                  ("Quant", ["z", "b"],
                                   lambda x: np.clip(np.rint(x / np.float32(0.3)), -2, 1) * 0.3)):
            node = helper.make_node(op, ["x", "s"] + extra, ["q"], domain="qonnx.custom_op.general")
            self.save("m.onnx", [node, helper.make_node("Relu", ["q"], ["r"]),
                                 helper.make_node("Sub", ["r", "q"], ["y"])],
                      [("x", ["N", 3])], [("y", ["N", 3])],
                      [("s", np.array(0.3, np.float32)), ("z", np.array(0, np.float32)),
                       ("b", np.array(2, np.float32))])
            x = np.array([[-2, -0.2, 0], [0.1, 0.5, 3]], np.float32)
            q = wanted(x)
            np.testing.assert_allclose(self.run_model("m.onnx", x=x)["y"], np.maximum(q, 0) - q,
                                       rtol=1e-6)

    def test_words_it_does_not_know_are_errors(self):
        w = [("w", np.ones((1, 1, 3, 3), np.float32))]
        io = [[("x", ["N", 1, 4, 4])], [("y", None)]]
        self.save("a.onnx", [helper.make_node("Conv", ["x", "w"], ["y"], auto_pad="FOO")], *io, w)
        self.assertIn("auto_pad 'FOO'", self.ch("inspect", "a.onnx", fails=True))
        self.save("b.onnx", [helper.make_node("Resize", ["x", "", "s"], ["y"], mode="foo")], *io,
                  [("s", np.array([1, 1, 2, 2], np.float32))])
        self.assertIn("mode 'foo'", self.ch("inspect", "b.onnx", fails=True))

    def test_the_content_says_what_a_file_is(self):
        self.save("m.onnx", [helper.make_node("Relu", ["x"], ["y"])], [("x", ["N", 2])],
                  [("y", ["N", 2])])
        for name in ("m", "m.txt", "m.pt"):
            os.replace(self.path("m.onnx"), self.path(name))
            self.assertIn("relu", self.ch("inspect", name))
            os.replace(self.path(name), self.path("m.onnx"))

    def test_more_than_one_result_and_text_attributes_are_exported(self):
        self.save("m.onnx", [helper.make_node("TopK", ["x", "k"], ["v", "i"]),
                             helper.make_node("Einsum", ["v", "v"], ["y"], equation="bi,bi->b"),
                             helper.make_node("OneHot", ["i", "depth", "values"], ["h"])],
                  [("x", ["N", 5])], [("y", ["N"]), ("i", ["N", 2], TensorProto.INT64),
                                      ("h", ["N", 2, 5])],
                  [("k", np.array([2])), ("depth", np.array(5)),
                   ("values", np.array([0, 1], np.float32))])
        x = np.array([[1, 5, 2, 4, 3], [9, 8, 7, 6, 5]], np.float32)
        before = self.run_model("m.onnx", x=x)
        np.testing.assert_array_equal(before["y"], [41, 145])
        self.ch("convert", "m.onnx", "m.mz", "-q")
        self.ch("convert", "m.mz", "again.onnx", "-q")
        onnx.checker.check_model(onnx.load(self.path("again.onnx")))
        after = self.run_model("again.onnx", x=x)
        for key, value in before.items():
            np.testing.assert_array_equal(after[key], value)

    def test_long_chains_open_at_once(self):
        nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(20000)]
        self.save("m.onnx", nodes, [("v0", ["N", 2])], [("v20000", ["N", 2])])
        x = np.array([[-1, 2]], np.float32)
        np.testing.assert_array_equal(self.run_model("m.onnx", v0=x)["v20000"], [[0, 2]])

    def test_qdq_pairs_become_formats_and_give_the_same_numbers(self):
        rng = np.random.default_rng(3)
        w = rng.integers(-128, 127, (4, 3)).astype(np.int8)
        nodes = [helper.make_node("QuantizeLinear", ["x", "sx", "zx"], ["q"]),
                 helper.make_node("DequantizeLinear", ["q", "sx", "zx"], ["d"]),
                 helper.make_node("DequantizeLinear", ["w", "sw", "zw"], ["dw"], axis=0),
                 helper.make_node("Gemm", ["d", "dw"], ["y"], transB=1)]
        sw = np.array([0.1, 0.2, 0.3, 0.05], np.float32)
        self.save("m.onnx", nodes, [("x", ["N", 3])], [("y", ["N", 4])],
                  [("sx", np.array(0.05, np.float32)), ("zx", np.array(7, np.uint8)), ("w", w),
                   ("sw", sw), ("zw", np.zeros(4, np.int8))])
        self.assertRegex(self.ch("pass", "summarize_quantization", "m.onnx"),
                         r"\| linear +\| +1 \| +1 \|")
        x = (rng.standard_normal((50, 3)) * 8).astype(np.float32)
        q = np.clip(np.rint(x / np.float32(0.05)) + 7, 0, 255)
        wanted = ((q - 7).astype(np.float32) * np.float32(0.05)) @ (w * sw[:, None]).T
        np.testing.assert_allclose(self.run_model("m.onnx", x=x)["y"], wanted, rtol=1e-5, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
