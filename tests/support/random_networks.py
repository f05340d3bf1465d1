"""Small networks in fixed point, drawn from a seed, as the text form of graphs that `ch emit` reads."""
import numpy

FUNCTIONS = ("relu", "relu6", "leaky_relu", "hardtanh", "hardsigmoid", "hardswish", "sigmoid", "tanh", "silu", "gelu")


def listed(values):
    return ", ".join(repr(float(value)) for value in numpy.asarray(values, dtype=numpy.float32).ravel())


class Network:
    """Lines of a graph, added call by call; `shape` is that of the last value, without the batch.

    With `reads_once`, the input is read by one operand, so that it has one format.
    """

    def __init__(self, seed, reads_once=False):
        self.reads_once = reads_once
        self.draw = numpy.random.default_rng(seed)
        self.parameters, self.calls, self.count = [], [], 0

    def whole(self, low, high):
        return int(self.draw.integers(low, high + 1))

    def format(self, least=2, most=7):
        width = self.whole(least, most)
        frac = self.whole(0, width)
        kind = self.draw.choice(("integer", "integer", "integer_floor"))
        return f"{kind}{{frac_width={frac}, is_signed=true, width={width}}}"

    def parameter(self, name, shape, values=None, kind="parameter"):
        values = self.draw.normal(size=shape) if values is None else values
        self.parameters.append(f"  {kind} {name}: f32{list(shape)} = [{listed(values)}]")

    def call(self, op, inputs, attrs="", formats=(), module=True):
        self.count += 1
        name = f"n{self.count}"
        how = f"call_module[target={name}]" if module else "call_function"
        given = {f"data_in_{i}": self.format() for i in range(len(inputs))}
        given.update({operand: self.format() for operand in formats})
        text = ", ".join(f"{operand}: {given[operand]}" for operand in sorted(given))
        arguments = ", ".join(f"%{value}" for value in inputs)
        attrs = f" {{{attrs}}}" if attrs else ""
        self.calls.append(f"  %{name} = {how} {op}({arguments}){attrs} formats {{{text}}}")
        return name

    def linear(self, x, features):
        bias = bool(self.whole(0, 1))
        outputs = self.whole(1, 6)
        name = self.call("linear", [x], f"bias={str(bias).lower()}, in_features={features}, out_features={outputs}",
                         ["bias", "weight"] if bias else ["weight"])
        self.parameter(f"{name}.weight", (outputs, features))
        if bias:
            self.parameter(f"{name}.bias", (outputs,))
        return name, (outputs,)

    def convolution(self, x, shape):
        rank = len(shape) - 1
        groups = self.whole(1, 2) if shape[0] % 2 == 0 else 1
        outputs = groups * self.whole(1, 2)
        kernel = [self.whole(1, min(3, size)) for size in shape[1:]]
        padding = [self.whole(0, size // 2) for size in kernel]
        stride = [self.whole(1, 2) for _ in kernel]
        name = self.call(f"conv{rank}d", [x], f"bias=false, groups={groups}, in_channels={shape[0]}, kernel_size={kernel}, "
                         f"out_channels={outputs}, padding={padding}, stride={stride}", ["weight"])
        self.parameter(f"{name}.weight", (outputs, shape[0] // groups, *kernel))
        sizes = [(size + 2 * p - k) // s + 1 for size, p, k, s in zip(shape[1:], padding, kernel, stride)]
        return name, (outputs, *sizes)

    def pool(self, x, shape):
        rank = len(shape) - 1
        kernel = [self.whole(1, min(2, size)) for size in shape[1:]]
        stride = [self.whole(1, 2) for _ in kernel]
        op = str(self.draw.choice(("max_pool", "avg_pool")))
        name = self.call(f"{op}{rank}d", [x], f"kernel_size={kernel}, stride={stride}")
        return name, (shape[0], *[(size - k) // s + 1 for size, k, s in zip(shape[1:], kernel, stride)])

    def normalisation(self, x, shape):
        name = self.call(f"batch_norm{max(1, len(shape) - 1)}d", [x], f"num_features={shape[0]}")
        for part, kind in (("weight", "parameter"), ("bias", "parameter"), ("running_mean", "buffer")):
            self.parameter(f"{name}.{part}", (shape[0],), kind=kind)
        self.parameter(f"{name}.running_var", (shape[0],), 0.5 + self.draw.random(shape[0]), "buffer")
        return name, shape

    def step(self, x, shape):
        """One more layer; a residual sum, product or concatenation among them."""
        choice = self.whole(0, 9)
        if choice in (4, 5) and x == "x" and self.reads_once:
            choice = 0
        if choice <= 2:
            return self.call(str(self.draw.choice(FUNCTIONS)), [x], module=False), shape
        if choice == 3:
            return self.normalisation(x, shape)
        if choice == 4:
            return self.call(str(self.draw.choice(("add", "sub", "mul"))), [x, self.same(x, shape)], module=False), shape
        if choice == 5:
            return self.call("cat", [x, self.same(x, shape)], "dim=1", module=False), (2 * shape[0], *shape[1:])
        if len(shape) == 1:
            return self.linear(x, shape[0])
        return self.pool(x, shape) if choice == 6 else self.convolution(x, shape)

    def same(self, x, shape):
        """Another value of the same shape: a branch of its own, or the value itself."""
        if len(shape) == 3 and self.whole(0, 1):
            name = self.call("conv2d", [x], f"bias=false, in_channels={shape[0]}, kernel_size=[3, 3], "
                             f"out_channels={shape[0]}, padding=[1, 1]", ["weight"])
            self.parameter(f"{name}.weight", (shape[0], shape[0], 3, 3))
            return name
        return self.call(str(self.draw.choice(FUNCTIONS)), [x], module=False) if self.whole(0, 1) else x

    def text(self):
        """A network of up to six layers; its input is [f], [c, l] or [c, h, w]."""
        shape = ((self.whole(1, 6),), (self.whole(1, 3), self.whole(2, 6)),
                 (self.whole(1, 2), self.whole(2, 5), self.whole(2, 5)))[self.whole(0, 2)]
        first = shape
        x = "x"
        for _ in range(self.whole(1, 4)):
            x, shape = self.step(x, shape)
        if len(shape) > 1:
            self.count += 1
            self.calls.append(f"  %n{self.count} = call_module[target=n{self.count}] flatten(%{x})")
            x, shape = f"n{self.count}", (int(numpy.prod(shape)),)
        x, shape = self.linear(x, shape[0])
        if self.whole(0, 3) == 0:
            x = self.call("softmax", [x], "dim=1", module=False)
            self.calls[-1] = self.calls[-1][:-1] + ", data_out_0: integer{frac_width=5, is_signed=false, width=6}}"
        head = f"  %x = placeholder[target=x] {{shape={[-1, *first]}}}"
        return "\n".join(["graph net {", *self.parameters, "", head, *self.calls, f"  output(%{x})", "}", ""])
