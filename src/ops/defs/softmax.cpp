// y = e^(x - m) / Σ e^(x - m) along `dim`, m the largest x there (so nothing overflows)
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::softmax {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(const std::size_t axis, axis_of(call.integer("dim"), call.shape(0).size()));
  static_cast<void>(axis);
  return same_type(call);
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const Lanes lanes = lanes_of(shape, axis_of(call.integer("dim"), shape.size()).value());
  const auto x = call.x(0);
  const auto y = call.y();
  for (std::size_t o = 0; o < lanes.outer; ++o)
    for (std::size_t i = 0; i < lanes.inner; ++i) {
      double largest = -std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < lanes.size; ++j)
        largest = std::max(largest, x[lanes.at(o, j, i)]);
      double sum = 0;
      for (std::size_t j = 0; j < lanes.size; ++j) sum += std::exp(x[lanes.at(o, j, i)] - largest);
      for (std::size_t j = 0; j < lanes.size; ++j)
        y[lanes.at(o, j, i)] = std::exp(x[lanes.at(o, j, i)] - largest) / sum;
    }
}

void gradient(GradBuilder& g) {
  g.set(0,
        g.add("softmax_grad", {g.output_grad(), g.output()}, {{"dim", g.call().integer("dim")}}));
}

Cost cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  const std::size_t axis = axis_of(call.integer("dim"), call.shape(0).size()).value();
  const Lanes lanes = lanes_of(call.shape(0), axis);
  const auto firsts = lanes.size == 0 ? 0 : static_cast<std::int64_t>(lanes.outer * lanes.inner);
  return {.lab = 5 * count, .exact = 5 * count - 2 * firsts, .backward = 4 * count};
}

std::string repr(const Call& call) {
  return cat("dim=", call.integer("dim"));
}

}  // namespace

OpDef define() {
  return {
      .name = "softmax",
      .doc =
          "y = eˣ / Σ eˣ along `dim`. Costs a comparison, a subtraction, an exponential, an "
          "addition and a division per element (exact: the first of each sum and maximum is "
          "free)",
      .mase_type = MaseType::ModuleRelatedFunc,
      .module = "Softmax",
      .function = "torch.nn.functional.softmax",
      .method = "softmax",
      .torch = "F.softmax(x, dim)",
      .fx = "x, dim=dim, _stacklevel=3, dtype=None",
      .attrs = {{"dim", std::int64_t{-1}, "the dimension that sums to one", true}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .rows_apart = lanes_by_row,
      .quantisable = {"data_in"},
      .onnx = {{"Softmax", 13, {{"axis", "dim"}}}},
      .repr = repr,
      .samples = {{.attrs = {{"dim", std::int64_t{1}}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dim", std::int64_t{0}}}, .inputs = {{{3, 1, 2}}}},
                  {.attrs = {{"dim", std::int64_t{-2}}}, .inputs = {{{2, 3, 4}}}},
                  {.attrs = {{"dim", std::int64_t{-1}}},
                   .inputs = {{.shape = {2, 6}, .low = -1e4, .high = 1e4}}},
                  {.attrs = {{"dim", std::int64_t{0}}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"dim", std::int64_t{1}}}, .inputs = {{{2, 0}}}},
                  {.attrs = {{"dim", std::int64_t{1}}}, .inputs = {{{0, 3}}}}},
  };
}

}  // namespace chop::ops::softmax
