"""Networks whose circuits the estimator was calibrated on and is measured with: each is a text that `ch emit` and
`ch synth` read, and how its circuit is made."""
import dataclasses

import numpy


@dataclasses.dataclass
class Design:
    name: str
    text: str
    options: list  # of ch emit and ch synth


def listed(values):
    return ", ".join(repr(float(value)) for value in numpy.asarray(values, dtype=numpy.float32).reshape(-1))


def format_of(width, frac):
    return f"integer{{frac_width={frac}, is_signed=true, width={width}}}"


class Network:
    """Writes a network layer by layer; every operand has the format `width`, `frac`."""

    def __init__(self, shape, width, frac, seed, sparse=0.0):
        self.draw = numpy.random.default_rng(seed)
        self.format = format_of(width, frac)
        self.sparse = sparse
        self.parameters = []
        self.nodes = [f"  %x = placeholder[target=x] {{shape=[-1, {', '.join(map(str, shape))}]}}"]
        self.last = "x"
        self.count = 0

    def parameter(self, name, shape, values, kind="parameter"):
        self.parameters.append(f"  {kind} {name}: f32[{', '.join(map(str, shape))}] = [{listed(values)}]")

    def call(self, how, op, attrs="", formats=None, name=None, others=()):
        name = name or f"n{self.count}"
        self.count += 1
        what = f"call_module[target={name}]" if how == "module" else "call_function"
        formats = {"data_in_0": self.format} if formats is None else formats
        carried = ", ".join(f"{key}: {value}" for key, value in sorted(formats.items()))
        operands = ", ".join(f"%{each}" for each in (self.last, *others))
        self.nodes.append(f"  %{name} = {what} {op}({operands})" + (f" {{{attrs}}}" if attrs else "")
                          + (f" formats {{{carried}}}" if carried else ""))
        self.last = name
        return name

    def weights(self, shape):
        values = self.draw.normal(size=shape) / numpy.sqrt(numpy.prod(shape[1:]))
        values *= 2.0
        return values * (self.draw.random(size=shape) >= self.sparse)

    def linear(self, inputs, outputs, bias=True):
        name = f"fc{self.count}"
        self.parameter(f"{name}.weight", (outputs, inputs), self.weights((outputs, inputs)))
        formats = {"data_in_0": self.format, "weight": self.format}
        if bias:
            self.parameter(f"{name}.bias", (outputs,), self.draw.normal(size=outputs))
            formats["bias"] = self.format
        attrs = ("" if bias else "bias=false, ") + f"in_features={inputs}, out_features={outputs}"
        return self.call("module", "linear", attrs, formats, name)

    def norm(self, channels):
        name = f"bn{self.count}"
        self.parameter(f"{name}.weight", (channels,), 1 + 0.2 * self.draw.normal(size=channels))
        self.parameter(f"{name}.bias", (channels,), self.draw.normal(size=channels))
        self.parameter(f"{name}.running_mean", (channels,), self.draw.normal(size=channels), "buffer")
        self.parameter(f"{name}.running_var", (channels,), 0.5 + self.draw.random(size=channels), "buffer")
        return self.call("module", "batch_norm1d", f"num_features={channels}", {"data_in_0": self.format}, name)

    def act(self, name):
        return self.call("function", name)

    def conv(self, inputs, outputs, kernel, stride=1, padding=0):
        name = f"conv{self.count}"
        shape = (outputs, inputs, kernel, kernel)
        self.parameter(f"{name}.weight", shape, self.weights(shape))
        self.parameter(f"{name}.bias", (outputs,), self.draw.normal(size=outputs))
        formats = {"data_in_0": self.format, "weight": self.format, "bias": self.format}
        attrs = (f"in_channels={inputs}, kernel_size=[{kernel}, {kernel}], out_channels={outputs}, "
                 f"padding=[{padding}, {padding}], stride=[{stride}, {stride}]")
        return self.call("module", "conv2d", attrs, formats, name)

    def text(self):
        return "\n".join(["graph net {", *self.parameters, "", *self.nodes, f"  output(%{self.last})", "}", ""])


def mlp(sizes, width, frac, seed, norm=False, act="relu", sparse=0.0):
    net = Network((sizes[0],), width, frac, seed, sparse)
    if norm:
        net.norm(sizes[0])
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        if i > 0:
            net.act(act)
        net.linear(inputs, outputs)
    return net.text()


def activation(act, count, width, frac, seed):
    net = Network((count,), width, frac, seed)
    net.act(act)
    net.linear(count, 2, bias=False)
    return net.text()


def pool(width, frac, seed):
    net = Network((1, 6, 6), width, frac, seed)
    net.conv(1, 2, 3)
    net.act("relu")
    net.call("module", "max_pool2d", "kernel_size=[2, 2], stride=[2, 2]", name="pool")
    net.call("module", "flatten", formats={}, name="flat")
    net.linear(8, 4)
    return net.text()


def residual(width, frac, seed):
    net = Network((8,), width, frac, seed)
    first = net.linear(8, 8)
    act = net.act("relu")
    net.linear(8, 8)
    net.call("function", "add", formats={"data_in_0": net.format, "data_in_1": net.format}, name="sum", others=(act,))
    net.linear(8, 3)
    return net.text()


def designs():
    made = []

    def add(name, text, *options):
        made.append(Design(name, text, list(options)))

    comb = "--combinational"
    for how in ("shared", "canonical", "plain"):
        way = ("--adders", how)
        add(f"layer-8x8-6-{how}", mlp([8, 8], 6, 3, 1), *way, comb)
        add(f"layer-16x5-8-{how}", mlp([16, 5], 8, 4, 2), *way, comb)
        add(f"layer-16x16-4-{how}", mlp([16, 16], 4, 2, 3), *way)
        add(f"jet-16-8-5-6-{how}", mlp([16, 8, 5], 6, 3, 4), *way, comb)
        add(f"jet-16-12-8-5-5-{how}", mlp([16, 12, 8, 5], 5, 3, 5, norm=True), *way)
        add(f"jet-16-8-8-5-8-{how}", mlp([16, 8, 8, 5], 8, 5, 6, sparse=0.5), *way)
    for width in (3, 4, 5, 7):
        add(f"jet-16-10-5-{width}", mlp([16, 10, 5], width, width // 2, 10 + width), comb)
        add(f"jet-16-10-5-{width}-norm", mlp([16, 10, 5], width, width // 2, 20 + width, norm=True))
    add("jet-16-32-16-5-6-sparse-0.8", mlp([16, 32, 16, 5], 6, 3, 30, sparse=0.8), comb)
    add("jet-16-32-16-5-4", mlp([16, 32, 16, 5], 4, 2, 31))
    add("jet-16-32-16-5-6", mlp([16, 32, 16, 5], 6, 3, 32))
    for depth in (3, 5):
        add(f"jet-16-12-5-6-depth-{depth}", mlp([16, 12, 5], 6, 3, 34), "--depth", str(depth), comb)
    add("layer-1x1-8", mlp([1, 1], 8, 4, 40), comb)
    add("layer-2x2-8", mlp([2, 2], 8, 4, 41), comb)
    add("layer-4x4-3", mlp([4, 4], 3, 1, 42), comb)
    add("layer-32x4-6", mlp([32, 4], 6, 3, 43), comb)
    add("layer-4x32-6", mlp([4, 32], 6, 3, 44), comb)
    add("layer-24x24-2", mlp([24, 24], 2, 0, 45), comb)
    for act in ("relu", "sigmoid", "tanh", "gelu", "silu", "hardswish", "leaky_relu", "relu6"):
        add(f"{act}-8-6", activation(act, 8, 6, 3, 50), comb)
    for act in ("sigmoid", "gelu", "hardswish"):
        add(f"{act}-8-8", activation(act, 8, 8, 4, 51), comb)
        add(f"mlp-{act}-5", mlp([8, 8, 4], 5, 2, 52, act=act))
    add("residual-6", residual(6, 3, 60))
    add("residual-4", residual(4, 2, 61), comb)
    add("images-4", pool(4, 2, 62))
    add("images-6", pool(6, 3, 63), comb)
    return made
