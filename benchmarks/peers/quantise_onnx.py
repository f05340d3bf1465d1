"""quantise_onnx.py FROM.onnx TO.onnx: the network with 8-bit operands as ONNX Runtime likes it
best: u8 activations, s8 weights, s32 biases, a QuantizeLinear/DequantizeLinear pair on every
activation that its int8 kernels read or write. Scales are fixed; batch norms must have been folded."""
import sys

from serve import need

numpy = need("numpy", "python3-numpy")
onnx = need("onnx", "python3-onnx")
from onnx import helper, numpy_helper  # noqa: E402

SCALE = numpy.float32(1 / 16)
# Codes of zero: where nothing is negative, all codes serve, and a ReLU needs no work of its own.
MIDDLE, BOTTOM = numpy.uint8(128), numpy.uint8(0)
# Their outputs are kept in eight bits; a ReLU that follows takes the place of its producer.
KEPT = {"Conv", "Gemm", "Add", "Relu", "MaxPool", "GlobalAveragePool", "AveragePool", "Flatten"}
SAME_RANGE = {"MaxPool", "GlobalAveragePool", "AveragePool", "Flatten"}


class Quantised:
    def __init__(self, graph):
        self.graph, self.nodes = graph, []
        self.constants = {tensor.name: tensor for tensor in graph.initializer}
        self.readers = {}
        for node in graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.outputs = {value.name for value in graph.output}
        self.never_negative = set()

    def constant(self, name, array):
        self.graph.initializer.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def pair(self, name):
        """What reads `name` from now on reads it through eight bits."""
        middle = BOTTOM if name in self.never_negative else MIDDLE
        scale, zero = self.constant(f"{name}.scale", SCALE), self.constant(f"{name}.zero", middle)
        self.nodes += [
            helper.make_node("QuantizeLinear", [name, scale, zero], [f"{name}.q"]),
            helper.make_node("DequantizeLinear", [f"{name}.q", scale, zero], [f"{name}.dq"])]
        return f"{name}.dq"

    def codes(self, name, scale, dtype):
        """A constant as whole numbers times `scale`."""
        values = numpy_helper.to_array(self.constants[name])
        limits = numpy.iinfo(dtype)
        codes = numpy.clip(numpy.rint(values / scale), limits.min, limits.max).astype(dtype)
        self.graph.initializer.remove(self.constants[name])
        parts = [self.constant(f"{name}.codes", codes), self.constant(f"{name}.scale", scale),
                 self.constant(f"{name}.zero", dtype(0))]
        self.nodes.append(helper.make_node("DequantizeLinear", parts, [f"{name}.dq"]))
        return f"{name}.dq"

    def weigh(self, node):
        """Weight and bias of a Conv or Gemm."""
        weight = numpy_helper.to_array(self.constants[node.input[1]])
        scale = numpy.float32(numpy.abs(weight).max() / 127)
        node.input[1] = self.codes(node.input[1], scale, numpy.int8)
        if len(node.input) > 2:
            node.input[2] = self.codes(node.input[2], numpy.float32(scale * SCALE), numpy.int32)

    def kept(self, node):
        after = self.readers.get(node.output[0], [])
        return node.op_type in KEPT and node.output[0] not in self.outputs and not (
            len(after) == 1 and after[0].op_type == "Relu")

    def run(self):
        known = {}
        for value in self.graph.input:
            known[value.name] = self.pair(value.name)
        for node in list(self.graph.node):
            if node.op_type == "Relu" or (node.op_type in SAME_RANGE
                                          and node.input[0] in self.never_negative):
                self.never_negative.add(node.output[0])
            for i, name in enumerate(node.input):
                node.input[i] = known.get(name, name)
            if node.op_type in ("Conv", "Gemm"):
                self.weigh(node)
            self.nodes.append(node)
            if self.kept(node):
                known[node.output[0]] = self.pair(node.output[0])
        nodes = list(self.nodes)
        del self.graph.node[:]
        self.graph.node.extend(nodes)


def main():
    model = onnx.load(sys.argv[1])
    Quantised(model.graph).run()
    onnx.checker.check_model(model)
    onnx.save(model, sys.argv[2])


main()
