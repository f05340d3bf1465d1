"""ONNX files whose numbers must be right or refused: windows of pooling, indices, attributes, codes,
and values that are not finite."""

import itertools
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch.nn import functional as F


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ch(self, *words, fails=False):
        done = subprocess.run([os.environ["CH_BIN"], *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if fails else 0, done.stdout + done.stderr)
        return done

    def save(self, node, inputs, constants=(), output=TensorProto.FLOAT, opset=17):
        def info(name, array):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype)
                                                 if hasattr(helper, "np_dtype_to_tensor_dtype")
                                                 else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape)

        graph = helper.make_graph([node], "g", [info(n, a) for n, a in inputs.items()],
                                  [helper.make_tensor_value_info("y", output, None)],
                                  [numpy_helper.from_array(a, n) for n, a in constants])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)]),
                  os.path.join(self.folder, "m.onnx"))
        np.savez(os.path.join(self.folder, "x.npz"), **inputs)

    def run_model(self):
        self.ch("run", "m.onnx", "--in", "x.npz", "--out", "y.npz", "-q")
        with np.load(os.path.join(self.folder, "y.npz")) as arrays:
            return arrays["y"]

    def refusal(self):
        return self.ch("run", "m.onnx", "--in", "x.npz", fails=True).stderr


SEED = int(os.environ.get("CH_SEED", "1"))


def pool(x, kind, kernel, stride, pads, dilation, ceil, count_pads):
    """Pooling of x [n, c, spatial...] as the text of ONNX has it, tap by tap; None where no window fits."""
    dims = len(kernel)
    windows = []
    for d in range(dims):
        size, before = x.shape[2 + d], pads[d]
        room = size + before + pads[dims + d] - (kernel[d] - 1) * dilation[d] - 1
        count = (-(-room // stride[d]) if ceil else room // stride[d]) + 1
        if count > 0 and ceil and (count - 1) * stride[d] >= size + before:
            count -= 1
        if count < 1:
            return None
        taps = [[o * stride[d] - before + k * dilation[d] for k in range(kernel[d])] for o in range(count)]
        windows.append([([t for t in row if 0 <= t < size], sum(t < size + pads[dims + d] for t in row)) for row in taps])
    y = np.empty((*x.shape[:2], *map(len, windows)), np.float32)
    for at in itertools.product(*(range(len(axis)) for axis in windows)):
        inside = [axis[o][0] for axis, o in zip(windows, at)]
        values = x[np.ix_(range(x.shape[0]), range(x.shape[1]), *inside)].astype(np.float64).reshape(*x.shape[:2], -1)
        if kind == "MaxPool":
            y[(..., *at)] = values.max(-1, initial=-np.inf)
        else:
            divisor = np.prod([axis[o][1] if count_pads else len(axis[o][0]) for axis, o in zip(windows, at)])
            y[(..., *at)] = values.sum(-1) / max(divisor, 1)
    return y


class Pooling(Case):
    def draw(self, rng):
        dims = int(rng.integers(1, 4))
        some = lambda low, high: [int(rng.integers(low, high)) for _ in range(dims)]
        kernel, kind = some(1, 6), ("MaxPool", "AveragePool")[int(rng.integers(2))]
        pads = [int(rng.integers(0, k)) for k in kernel]
        pads += pads if rng.integers(2) else [int(rng.integers(0, k)) for k in kernel]
        window = {"kernel_shape": kernel, "strides": some(1, 6), "pads": pads, "ceil_mode": int(rng.integers(2))}
        window["dilations" if kind == "MaxPool" else "count_include_pad"] = (
            some(1, 4) if kind == "MaxPool" else int(rng.integers(2)))
        return kind, window, rng.normal(size=[*rng.integers(1, 3, 2), *some(1, 14)]).astype(np.float32)

    def test_windows_of_any_shape_are_those_of_a_plain_implementation(self):
        rng = np.random.default_rng(SEED)
        refused = 0
        for number in range(200):
            kind, window, x = self.draw(rng)
            expected = pool(x, kind, window["kernel_shape"], window["strides"], window["pads"],
                            window.get("dilations", [1, 1, 1]), window["ceil_mode"], window.get("count_include_pad"))
            self.save(helper.make_node(kind, ["x"], ["y"], **window), {"x": x})
            with self.subTest(f"CH_SEED={SEED} ./test onnx_strict, number {number}", op=kind, x=x.shape, **window):
                if expected is None:
                    self.assertIn("does not fit", self.refusal())
                    refused += 1
                    continue
                got = self.run_model()
                self.assertEqual(got.shape, expected.shape)
                np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
        self.assertLess(refused, 50)

    def test_no_window_of_ceil_mode_starts_beyond_the_image(self):
        x = np.random.default_rng(0).normal(size=(1, 2, 7, 8)).astype(np.float32)
        for kernel, stride, pad in itertools.product((1, 2, 3), (1, 2, 3, 5), (0, 1)):
            if 2 * pad > kernel:
                continue
            window = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4, "ceil_mode": 1}
            given = torch.from_numpy(x)
            wanted = {"MaxPool": F.max_pool2d(given, kernel, stride, pad, ceil_mode=True),
                      "AveragePool": F.avg_pool2d(given, kernel, stride, pad, ceil_mode=True,
                                                  count_include_pad=False)}
            for op, expected in wanted.items():
                with self.subTest(op=op, **window):
                    self.save(helper.make_node(op, ["x"], ["y"], **window), {"x": x})
                    got = self.run_model()
                    self.assertEqual(got.shape, tuple(expected.shape))
                    np.testing.assert_allclose(got, expected.numpy(), rtol=1e-6, atol=1e-6)


class NewerOpsets(Case):
    X = np.random.default_rng(1).normal(size=(2, 3, 4, 5)).astype(np.float32)

    def result(self, opset, op, constants=(), outputs=("y",), **attributes):
        names = ["x", *(name for name, _ in constants)]
        self.save(helper.make_node(op, names, list(outputs), **attributes), {"x": self.X}, constants, opset=opset)
        return self.run_model()

    def test_operators_that_kept_their_meaning_are_read_up_to_opset_22(self):
        axes = [("axes", np.array([1, -1]))]
        for opset in range(18, 23):
            with self.subTest(opset):
                np.testing.assert_array_equal(self.result(opset, "Relu"), np.maximum(self.X, 0))
                np.testing.assert_allclose(self.result(opset, "ReduceMean", axes), self.X.mean((1, 3), keepdims=True),
                                           rtol=1e-5, atol=1e-6)
                np.testing.assert_allclose(self.result(opset, "ReduceL2", axes, keepdims=0),
                                           np.sqrt((self.X ** 2).sum((1, 3))), rtol=1e-5)
                np.testing.assert_array_equal(self.result(opset, "ReduceMax", [("axes", np.array([], dtype=np.int64))],
                                                          noop_with_empty_axes=1), self.X)
                np.testing.assert_array_equal(self.result(opset, "Transpose", perm=[3, 2, 1, 0]), self.X.T)
                wanted = F.avg_pool2d(torch.from_numpy(self.X), 2, 2).numpy()
                np.testing.assert_allclose(self.result(opset, "AveragePool", kernel_shape=[2, 2], strides=[2, 2]),
                                           wanted, rtol=1e-6, atol=1e-7)

    def test_pads_of_some_axes_are_read(self):
        got = self.result(18, "Pad", [("pads", np.array([1, 2, 3, 0])), ("value", np.float32(7)), ("axes", np.array([-1, 1]))])
        np.testing.assert_array_equal(got, np.pad(self.X, [(0, 0), (2, 0), (0, 0), (1, 3)], constant_values=7))

    def test_the_last_part_of_a_split_by_number_is_smaller(self):
        self.save(helper.make_node("Split", ["x"], ["y", "z"], axis=3, num_outputs=2), {"x": self.X}, opset=18)
        np.testing.assert_array_equal(self.run_model(), self.X[..., :3])

    def test_newer_forms_are_refused(self):
        sizes = [("roi", np.array([], dtype=np.float32)), ("scales", np.array([1, 1, 0.5, 1], dtype=np.float32))]
        forms = [("Resize", sizes, {"mode": "linear", "antialias": 1}, "antialias"),
                 ("Resize", sizes, {"axes": [2, 3]}, "axes"),
                 ("AveragePool", [], {"kernel_shape": [2, 2], "dilations": [2, 2]}, "dilations"),
                 ("QuantizeLinear", [("scale", np.ones(3, np.float32))], {"axis": 1, "block_size": 1}, "block_size"),
                 ("Pad", [("pads", np.array([0, 0, 0, 1, 0, 0, 0, 1]))], {"mode": "wrap"}, "wrap"),
                 ("ScatterElements", [("i", np.zeros((1, 1, 1, 1), np.int64)), ("u", np.ones((1, 1, 1, 1), np.float32))],
                  {"reduction": "max"}, "max")]
        for op, constants, attributes, said in forms:
            with self.subTest(op=op, **attributes):
                self.save(helper.make_node(op, ["x", *(name for name, _ in constants)], ["y"], **attributes),
                          {"x": self.X}, constants, opset=22)
                self.assertIn(said, self.refusal())

    def test_an_opset_that_is_not_known_is_refused_in_one_sentence(self):
        self.save(helper.make_node("Relu", ["x"], ["y"]), {"x": self.X}, opset=23)
        self.assertIn("is written in opset 23", self.refusal())
        self.assertIn("export it with opset_version=22", self.refusal())


class Indices(Case):
    def out_of_range(self, op, wrong, inputs, **attributes):
        names = list(inputs)
        self.save(helper.make_node(op, names, ["y"], name="lookup", **attributes), inputs)
        message = self.refusal()
        self.assertIn(f"'lookup': index {wrong} is out of range", message)

    def test_an_index_outside_is_an_error_that_names_node_and_index(self):
        table = np.arange(8, dtype=np.float32).reshape(4, 2)
        for wrong in (4, -5, 100000):
            self.out_of_range("Gather", wrong, {"x": table, "i": np.array([0, wrong])})
            self.out_of_range("GatherElements", wrong, {"x": table, "i": np.array([[0, 1], [wrong, 0]])})
            self.out_of_range("GatherND", wrong, {"x": table, "i": np.array([[0, 1], [wrong, 0]])})
            self.out_of_range("ScatterND", wrong, {"x": table, "i": np.array([[wrong]]), "u": np.ones((1, 2), np.float32)})
            self.out_of_range("ScatterElements", wrong,
                              {"x": table, "i": np.array([[wrong, 0]]), "u": np.ones((1, 2), np.float32)})

    def test_a_constant_index_outside_is_an_error_too(self):
        self.save(helper.make_node("GatherND", ["t", "i"], ["y"], name="lookup"), {"x": np.ones(1, np.float32)},
                  [("t", np.ones((4, 2), np.float32)), ("i", np.array([[9]]))])
        self.assertIn("index 9 is out of range", self.refusal())

    def test_a_class_of_a_loss_does_not_count_from_the_end(self):
        x = np.log(np.full((2, 5), 0.2, np.float32))
        for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
            for wrong in (-1, 5):
                inputs = {"x": x, "t": np.array([4, wrong])}
                self.save(helper.make_node(op, ["x", "t"], ["y"], name="loss"), inputs)
                message = self.refusal()
                self.assertRegex(message, rf"'loss[^']*': index {wrong} is out of range for a dimension of size 5")
                self.assertIn("indices from 0 to 4 are inside", message)
                self.save(helper.make_node(op, ["x", "t"], ["y"], ignore_index=wrong), inputs)
                self.assertAlmostEqual(float(self.run_model()), -np.log(0.2), places=6)

    def test_indices_inside_count_from_either_end(self):
        table = np.arange(8, dtype=np.float32).reshape(4, 2)
        for dtype in (np.int32, np.int64):
            index = np.array([3, -4, -1], dtype)
            self.save(helper.make_node("Gather", ["x", "i"], ["y"]), {"x": table, "i": index})
            np.testing.assert_array_equal(self.run_model(), table[index])


class Attributes(Case):
    def test_an_unknown_attribute_is_refused_by_name(self):
        image = np.ones((1, 1, 4, 4), np.float32)
        for op, known, unknown in (("AveragePool", {"kernel_shape": [2, 2]}, {"dilations": [2, 2]}),
                                   ("Relu", {}, {"slope": 0.5}),
                                   ("Softmax", {}, {"temperature": 2.0}),
                                   ("GlobalAveragePool", {}, {"keepdims": 0})):
            self.save(helper.make_node(op, ["x"], ["y"], name="here", **known, **unknown), {"x": image})
            message = self.refusal()
            for word in (op, "'here'", f"'{next(iter(unknown))}'"):
                self.assertIn(word, message)
            self.save(helper.make_node(op, ["x"], ["y"], **known), {"x": image})
            self.run_model()

    def test_an_attribute_without_effect_is_accepted(self):
        self.save(helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2, 2], storage_order=1, auto_pad="VALID",
                                   pads=[0, 0, 0, 0]), {"x": np.ones((1, 1, 4, 4), np.float32)})
        self.run_model()


class Codes(Case):
    def test_sixteen_bits_are_exact(self):
        x = np.array([-1e6, -300.26, -0.5, 0, 0.5, 300.26, 40000.5, 1e6], np.float32)
        for dtype, zero in ((np.int16, 3), (np.uint16, 32768), (np.int8, -4), (np.uint8, 7)):
            bounds = np.iinfo(dtype)
            self.save(helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"]), {"x": x},
                      [("s", np.float32(0.5)), ("z", dtype(zero))],
                      output=onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(dtype)])
            expected = np.clip(np.rint(x / np.float32(0.5)) + zero, bounds.min, bounds.max).astype(dtype)
            np.testing.assert_array_equal(self.run_model(), expected)

    def test_other_codes_are_refused(self):
        self.save(helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"]), {"x": np.ones(3, np.float32)},
                  [("s", np.float32(0.5)), ("z", np.int32(0))], output=TensorProto.INT32)
        self.assertIn("a zero point of i32", self.refusal())


class NotFinite(Case):
    def test_weights_and_outputs_that_are_not_finite_are_said_even_quietly(self):
        weight = np.array([[np.nan, 1], [np.inf, 2]], np.float32)
        self.save(helper.make_node("MatMul", ["x", "w"], ["y"]), {"x": np.ones((3, 2), np.float32)}, [("w", weight)])
        done = self.ch("run", "m.onnx", "--in", "x.npz", "-q", "--json", "y.json")
        self.assertIn("weight 'linear.weight' holds 1 NaN and 1 infinite of 4 values", done.stderr)
        self.assertIn("output 'y' holds 3 NaN of 6 values", done.stderr)
        with open(os.path.join(self.folder, "y.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)[0]["not_finite"], "3 NaN of 6 values")
        done = self.ch("convert", "m.onnx", "m.mz", "-q", "--json", "c.json")
        self.assertIn("weight 'linear.weight' holds 1 NaN and 1 infinite of 4 values", done.stderr)
        with open(os.path.join(self.folder, "c.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["not_finite"],
                             [{"name": "weight 'linear.weight'", "nan": 1, "infinite": 1, "size": 4}])

    def test_every_command_that_opens_a_network_says_so_once(self):
        self.save(helper.make_node("MatMul", ["x", "w"], ["y"]), {"x": np.ones((3, 2), np.float32)},
                  [("w", np.array([[np.nan, 1], [np.inf, 2]], np.float32))])
        for words in (["convert", "m.onnx", "m.mz"], ["inspect", "m.onnx"], ["inspect", "m.mz"],
                      ["bench-model", "m.mz", "--repeats", "1"], ["pass", "report_graph", "m.mz"],
                      ["pass", "report_graph", "m.mz", "--load", "m.mz"], ["run", "m.onnx", "--in", "x.npz"],
                      ["compare", "m.onnx", "m.mz"]):
            with self.subTest(words):
                said = self.ch(*words, "-q").stderr
                self.assertEqual(said.count("weight 'linear.weight' holds 1 NaN and 1 infinite of 4 values"), 1, said)

    def test_test_and_transform_say_so_too(self):
        rng = np.random.default_rng(0)
        np.savez(os.path.join(self.folder, "d.npz"), x_train=rng.normal(size=(20, 2)).astype(np.float32),
                 y_train=np.arange(20) % 2, x_test=rng.normal(size=(10, 2)).astype(np.float32), y_test=np.arange(10) % 2)
        self.save(helper.make_node("MatMul", ["x", "w"], ["y"]), {"x": np.ones((3, 2), np.float32)},
                  [("w", np.array([[np.nan, 1], [1, 2]], np.float32))])
        model = onnx.load(os.path.join(self.folder, "m.onnx"))
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
        onnx.save(model, os.path.join(self.folder, "m.onnx"))
        done = self.ch("test", "m.onnx", "d.npz", "-q", "--json", "t.json")
        self.assertIn("weight 'linear.weight' holds 1 NaN of 4 values", done.stderr)
        self.assertIn("result 'loss' holds 1 NaN of 1 value", done.stderr)
        with open(os.path.join(self.folder, "t.json"), encoding="utf-8") as file:
            self.assertEqual([entry["name"] for entry in json.load(file)["not_finite"]], ["weight 'linear.weight'", "result 'loss'"])
        with open(os.path.join(self.folder, "c.toml"), "w", encoding="utf-8") as file:
            file.write('[passes.quantize]\nby = "type"\n[passes.quantize.default.config]\nname = "NA"\n')
        done = self.ch("transform", "m.onnx", "--config", "c.toml", "-q")
        self.assertIn("weight 'linear.weight' holds 1 NaN of 4 values", done.stderr)

    def test_losses_that_are_not_finite_are_said_where_all_weights_are(self):
        rng = np.random.default_rng(0)
        np.savez(os.path.join(self.folder, "d.npz"), x_train=rng.normal(size=(20, 2)).astype(np.float32),
                 y_train=np.arange(20) % 2, x_test=rng.normal(size=(10, 2)).astype(np.float32), y_test=np.arange(10) % 2)
        self.save(helper.make_node("MatMul", ["x", "w"], ["y"]), {"x": np.ones((3, 2), np.float32)},
                  [("w", np.full((2, 2), 3.3e38, np.float32))])
        model = onnx.load(os.path.join(self.folder, "m.onnx"))
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
        onnx.save(model, os.path.join(self.folder, "m.onnx"))
        with open(os.path.join(self.folder, "c.toml"), "w", encoding="utf-8") as file:
            file.write('[passes.quantize]\nby = "type"\n[passes.quantize.linear.config]\nname = "integer"\n'
                       'data_in_width = 8\ndata_in_frac_width = 4\nweight_width = 8\nweight_frac_width = 4\n')
        done = self.ch("transform", "m.onnx", "d.npz", "--config", "c.toml", "--project", "p", "-q", "--json", "t.json")
        self.assertIn("result 'loss before' holds 1 NaN of 1 value", done.stderr)
        self.assertNotIn("-nan", done.stdout)
        with open(os.path.join(self.folder, "t.json"), encoding="utf-8") as file:
            self.assertEqual([entry["name"] for entry in json.load(file)["not_finite"]], ["result 'loss before'"])
        made = os.path.join("mase_output", "p", "software", "transform", "transformed_ckpt", "graph_module.mz")
        done = self.ch("test", "m.onnx", made, "d.npz", "-q")
        self.assertIn("result 'loss of m.onnx' holds 1 NaN of 1 value", done.stderr)
        done = self.ch("compare", "m.onnx", made, "--data", "d.npz", "-q")
        self.assertIn("result 'loss before' holds 1 NaN of 1 value", done.stderr)


if __name__ == "__main__":
    unittest.main()
