// y = the number of the greatest element, the first of equal ones: the class of a sample.
#include "hardware/netlist/layer_builder.hpp"
#include "hardware/proof/bit_words.hpp"

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
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < layer.in().size(); ++i)
    candidates.push_back({layer.in()[i], cells.constant(static_cast<std::int64_t>(i))});
  const auto greater = [&](const Candidate& a, const Candidate& b) {
    const WireId second = cells.less(a.value, b.value);
    return Candidate{cells.max(a.value, b.value), cells.mux(second, b.index, a.index)};
  };
  layer.out(joined(std::move(candidates), greater).index);
}

/// The result is the number of an element that no other is greater than, nor one before it equal
/// to.
std::vector<Literal> holds(const IntegerCall& /*call*/, AigBuilder& builder,
                           std::span<const BitWord> in, std::span<const BitWord> out) {
  Literal any = kFalse;
  for (std::size_t i = 0; i < in.size(); ++i) {
    Literal it = equal_to(builder, out[0], constant_word(static_cast<std::int64_t>(i)));
    for (std::size_t k = 0; k < in.size(); ++k)
      if (k < i)
        it = builder.both(it, less_than(builder, in[k], in[i]));
      else if (k > i)
        it = builder.both(it, less_than(builder, in[i], in[k]) ^ 1U);
    any = builder.either(any, it);
  }
  return {any};
}

}  // namespace

IntegerOpDef define() {
  return {.name = "argmax",
          .doc = "y = the number of the greatest x, the first of equal ones",
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build,
          .holds = holds};
}

}  // namespace chop::hardware::integer_ops::argmax
