// y = a · b: products of two values that are both computed.
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::mul {
namespace {

/// A value times itself is never negative.
bool is_square(const IntegerCall& call) {
  return call.node.inputs[0] == call.node.inputs[1];
}

std::vector<Interval> ranges(const IntegerCall& call) {
  std::vector<Interval> result;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const Interval& a = call.in[0]->ranges[i];
    result.push_back(is_square(call) ? squared(a) : a * call.in[1]->ranges[i]);
  }
  return result;
}

void evaluate(const IntegerCall& /*call*/, std::span<const Codes* const> in, Codes& out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (*in[0])[i] * (*in[1])[i];
}

void build(LayerBuilder& layer) {
  for (std::size_t i = 0; i < layer.call().size(); ++i) {
    const WireId a = layer.in(0)[i];
    layer.out(layer.cells().mul(a, is_square(layer.call()) ? a : layer.in(1)[i]));
  }
}

}  // namespace

IntegerOpDef define() {
  return {.name = "mul",
          .doc = "y = a · b",
          .least_inputs = 2,
          .runs = [](const IntegerNode& /*node*/) -> std::int64_t { return 1; },
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build};
}

}  // namespace chop::hardware::integer_ops::mul
