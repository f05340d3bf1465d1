"""What we export: onnx.checker accepts it, and imported again it gives the same outputs.

Every model of the zoo in float, and quantised networks as QDQ and as QONNX.
"""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import onnx

QUANTISED = """
[passes.quantize]
by = "type"
[passes.quantize.default.config]
name = "NA"
"""


def formats(config, ops=("linear", "conv2d", "relu")):
    text = QUANTISED
    for op in ops:
        text += f"[passes.quantize.{op}.config]\n" + "".join(
            f"{key} = {json.dumps(value)}\n" for key, value in config.items()
            if op != "relu" or not key.startswith(("weight", "bias")))
    return text


INTEGER8 = {"name": "integer", "data_in_width": 8, "data_in_frac_width": 4, "weight_width": 8,
            "weight_frac_width": 6, "bias_width": 8, "bias_frac_width": 5}
INTEGER4 = {"name": "integer", "data_in_width": 4, "data_in_frac_width": 2, "weight_width": 4,
            "weight_frac_width": 3}
LSQ = {"name": "lsq_integer", "data_in_width": 4, "weight_width": 4}
FLOOR = {"name": "integer_floor", "data_in_width": 6, "data_in_frac_width": 3, "weight_width": 6,
         "weight_frac_width": 4}


class OnnxExport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ch(self, *words):
        env = dict(os.environ, CH_CACHE_DIR=os.path.join(self.folder, "cache"))
        done = subprocess.run([os.environ["CH_BIN"], *words], cwd=self.folder, env=env,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"ch {' '.join(words)}\n{done.stderr}")
        return done.stdout

    def path(self, name):
        return os.path.join(self.folder, name)

    def checked(self, name):
        model = onnx.load(self.path(name))
        onnx.checker.check_model(model)
        return model

    def outputs(self, network, inputs):
        np.savez(self.path("x.npz"), **inputs)
        self.ch("run", network, "--in", "x.npz", "--out", "y.npz", "-q")
        with np.load(self.path("y.npz")) as arrays:
            return [arrays[name] for name in arrays.files]

    def inputs_of(self, model, batch=3):
        rng = np.random.default_rng(7)
        arrays = {}
        for value in model.graph.input:
            shape = [d.dim_value or batch for d in value.type.tensor_type.shape.dim]
            arrays[value.name] = rng.standard_normal(shape).astype(np.float32)
        return arrays

    def expect_same(self, native, exported, tolerance=0.0):
        inputs = self.inputs_of(self.checked(exported))
        before = self.outputs(native, inputs)
        after = self.outputs(exported, inputs)
        self.assertEqual(len(before), len(after))
        for a, b in zip(before, after):
            self.assertEqual(a.shape, b.shape)
            scale = max(1.0, float(np.abs(a).max(initial=0)))
            self.assertLessEqual(float(np.abs(a - b).max(initial=0)), tolerance * scale, exported)

    def test_every_model_of_the_zoo_comes_back_the_same(self):
        names = [row["model"] for row in json.loads(self.ch("models", "--json", "-"))]
        self.assertIn("resnet18", names)
        for name in names:
            with self.subTest(name):
                self.ch("convert", name, "m.mz", "-q")
                self.ch("convert", "m.mz", "m.onnx", "-q")
                # Linear layers come back as they were; sums may be made in another order.
                self.expect_same("m.mz", "m.onnx", 1e-6)

    def test_quantised_networks_come_back_the_same_in_both_styles(self):
        cases = [("jsc-s", INTEGER8), ("jsc-s", INTEGER4), ("jsc-toy", LSQ), ("jsc-toy", FLOOR),
                 ("toy_convnet", INTEGER8)]
        for model, config in cases:
            with open(self.path("q.toml"), "w", encoding="utf-8") as file:
                file.write(formats(config))
            words = ["transform", model, "--config", "q.toml", "--project", "p", "--project-dir",
                     self.folder, "-q"]
            if config is LSQ:
                words[2:2] = ["jsc", "--rows", "2000"]
            self.ch(*words)
            native = "p/software/transform/transformed_ckpt/graph_module.mz"
            for style in ("qdq", "qonnx"):
                with self.subTest(f"{model} {config['name']} {style}"):
                    self.ch("convert", native, "q.onnx", "--quant-style", style, "-q")
                    self.expect_same(native, "q.onnx", 1e-6)

    def test_qdq_and_quant_nodes_are_really_there(self):
        with open(self.path("q.toml"), "w", encoding="utf-8") as file:
            file.write(formats(INTEGER8))
        self.ch("transform", "jsc-tiny", "--config", "q.toml", "--project", "p", "--project-dir",
                self.folder, "-q")
        native = "p/software/transform/transformed_ckpt/graph_module.mz"
        self.ch("convert", native, "qdq.onnx", "-q")
        kinds = [node.op_type for node in self.checked("qdq.onnx").graph.node]
        self.assertGreaterEqual(kinds.count("QuantizeLinear"), 3)
        self.assertEqual(kinds.count("QuantizeLinear"), kinds.count("DequantizeLinear"))
        self.ch("convert", native, "q.onnx", "--quant-style", "qonnx", "-q")
        model = self.checked("q.onnx")
        self.assertIn("Quant", [node.op_type for node in model.graph.node])
        self.assertIn("qonnx.custom_op.general", [s.domain for s in model.opset_import])
        # Imported again they are formats on operands, not arithmetic.
        for name in ("qdq.onnx", "q.onnx"):
            text = self.ch("pass", "summarize_quantization", name)
            self.assertRegex(text, r"\| linear +\| +1 \| +1 \| +0 \|", name)


if __name__ == "__main__":
    unittest.main()
