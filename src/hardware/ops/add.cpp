// y = a · 2^shift_a + sign · b · 2^shift_b: sums of values whose binary points differ.
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::add {
namespace {

struct Rule {
  int shift_a;
  int shift_b;
  std::int64_t sign;

  explicit Rule(const IntegerNode& node)
      : shift_a(static_cast<int>(node.list("shift_a")[0])),
        shift_b(static_cast<int>(node.list("shift_b")[0])),
        sign(node.list("sign")[0]) {}
};

Status check(const IntegerCall& call) {
  const Rule rule(call.node);
  if (rule.shift_a < 0 || rule.shift_b < 0 || (rule.sign != 1 && rule.sign != -1))
    return Error{.what = "its shifts or its sign are not possible"};
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  const Rule rule(call.node);
  std::vector<Interval> result;
  for (std::size_t i = 0; i < call.size(); ++i)
    result.push_back(shifted(call.in[0]->ranges[i], rule.shift_a) +
                     shifted(call.in[1]->ranges[i], rule.shift_b) * rule.sign);
  return result;
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  const Rule rule(call.node);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = shifted((*in[0])[i], rule.shift_a) + rule.sign * shifted((*in[1])[i], rule.shift_b);
}

void build(LayerBuilder& layer) {
  const Rule rule(layer.node());
  ModuleBuilder& cells = layer.cells();
  for (std::size_t i = 0; i < layer.call().size(); ++i) {
    const WireId a = cells.shift(layer.in(0)[i], rule.shift_a);
    const WireId b = cells.shift(layer.in(1)[i], rule.shift_b);
    layer.out(rule.sign > 0 ? cells.add(a, b) : cells.sub(a, b));
  }
}

}  // namespace

IntegerOpDef define() {
  return {.name = "add",
          .doc = "y = a · 2^shift_a + sign · b · 2^shift_b",
          .least_inputs = 2,
          .runs = [](const IntegerNode& /*node*/) -> std::int64_t { return 1; },
          .attrs = {"shift_a", "shift_b", "sign"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build};
}

}  // namespace chop::hardware::integer_ops::add
