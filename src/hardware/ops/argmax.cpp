// y = the number of the greatest element, the first of equal ones: the class of a sample.
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::argmax {
namespace {

Status check(const IntegerCall& call) {
  if (call.size() != 1 || call.in[0]->size() == 0) return Error{.what = "it makes one number"};
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  return {{0, std::ssize(call.in[0]->ranges) - 1}};
}

void evaluate(const IntegerCall& /*call*/, std::span<const Codes* const> in, Codes& out) {
  out[0] = std::max_element(in[0]->begin(), in[0]->end()) - in[0]->begin();
}

void build(LayerBuilder& layer) {
  struct Candidate {
    WireId value;
    WireId index;
  };
  ModuleBuilder& cells = layer.cells();
  std::vector<Candidate> left;
  for (std::size_t i = 0; i < layer.in().size(); ++i)
    left.push_back({layer.in()[i], cells.constant(static_cast<std::int64_t>(i))});
  while (left.size() > 1) {  // a tree: neighbours, then the winners
    std::vector<Candidate> next;
    for (std::size_t k = 0; k + 1 < left.size(); k += 2) {
      const Candidate& a = left[k];
      const Candidate& b = left[k + 1];
      const WireId second = cells.less(a.value, b.value);
      next.push_back({cells.max(a.value, b.value), cells.mux(second, b.index, a.index)});
    }
    if (left.size() % 2 == 1) next.push_back(left.back());
    left = std::move(next);
  }
  layer.out(left[0].index);
}

}  // namespace

IntegerOpDef define() {
  return {.name = "argmax",
          .doc = "y = the number of the greatest x, the first of equal ones",
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build};
}

}  // namespace chop::hardware::integer_ops::argmax
