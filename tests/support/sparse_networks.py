"""Jet networks as training with learned widths leaves them: most weights are 0, the others have few bits each.

The shapes and counts are those of three networks in the literature of learned widths, with 2,571, 7,229 and 13,285
effective bit operations (EBOPs: bits of a weight times bits of its input, summed over all weights that are not 0).
"""
import dataclasses

import numpy

from hardware_designs import Network


@dataclasses.dataclass
class Shape:
    name: str
    sizes: tuple
    weights: tuple  # of each layer, that are not 0
    input_bits: tuple  # of each layer
    weight_bits: float  # on average, from the highest 1 to the lowest


SHAPES = (Shape("sparse-2571", (14, 25, 19, 17, 5), (60, 65, 51, 31), (5, 4, 4, 4), 2.9),
          Shape("sparse-7229", (15, 33, 29, 23, 5), (107, 153, 148, 50), (6, 4, 4, 5), 3.5),
          Shape("sparse-13285", (15, 39, 30, 24, 5), (177, 267, 223, 58), (6, 5, 4, 5), 3.7))
FRAC = 3  # of weights


def span(code):
    """Bits from the highest 1 of a magnitude to the lowest."""
    code = abs(int(code))
    return (code // (code & -code)).bit_length() if code else 0


class SparseNetwork(Network):
    def __init__(self, shape, seed=1):
        super().__init__((shape.sizes[0],), shape.input_bits[0], 2, seed)
        self.ebops = 0
        for i, count in enumerate(shape.weights):
            if i > 0:
                self.call("function", "relu", formats={})
            signed = "true" if i == 0 else "false"
            bits = shape.input_bits[i]
            self.layer(shape.sizes[i], shape.sizes[i + 1], count, bits, shape.weight_bits,
                       f"integer{{frac_width={bits - 2}, is_signed={signed}, width={bits}}}")

    def codes(self, outputs, inputs, count, mean):
        """Every input and output has a weight, the rest stands anywhere."""
        positions = {(i % outputs, i % inputs) for i in range(max(inputs, outputs))}
        while len(positions) < count:
            positions.add((int(self.draw.integers(outputs)), int(self.draw.integers(inputs))))
        codes = numpy.zeros((outputs, inputs))
        for position in sorted(positions):
            bits = max(1, min(6, round(self.draw.normal(mean, 1.2))))
            odd = 1 if bits == 1 else (1 << bits - 1) + 1 + 2 * int(self.draw.integers(1 << bits - 2))
            codes[position] = odd * (1 << int(self.draw.integers(0, 2))) * int(self.draw.choice((-1, 1)))
        return codes

    def layer(self, inputs, outputs, count, bits, mean, given):
        codes = self.codes(outputs, inputs, count, mean)
        self.ebops += bits * sum(span(code) for code in codes.ravel())
        name = f"fc{self.count}"
        self.parameter(f"{name}.weight", (outputs, inputs), codes / 2**FRAC)
        self.parameter(f"{name}.bias", (outputs,), self.draw.integers(-32, 32, size=outputs) / 2**FRAC)
        fixed = f"integer{{frac_width={FRAC}, is_signed=true, width=9}}"
        self.call("module", "linear", f"in_features={inputs}, out_features={outputs}",
                  {"data_in_0": given, "weight": fixed, "bias": fixed}, name)
