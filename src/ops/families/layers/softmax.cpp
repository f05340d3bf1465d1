#include "ops/families/layers/softmax.hpp"

#include "ops/core/checks.hpp"
#include "ops/core/rows.hpp"

namespace chop::ops {
namespace {

Lanes lanes_along_dim(const Call& call, const Shape& shape) {
  return lanes_of(shape, axis_of(call.integer("dim"), shape.size()).value());
}

TypeList lanes_type(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(const std::size_t axis, axis_of(call.integer("dim"), call.shape(0).size()));
  static_cast<void>(axis);
  return same_type(call);
}

TypeList softmax_grad_type(const TypedCall& call) {
  CH_CHECK(check_shape(call, 1, call.shape(0)));
  return lanes_type(call);
}

void softmax_gradient(GradBuilder& g) {
  g.set(0, g.add(cat(g.call().op.name, "_grad"), {g.output_grad(), g.output()},
                 {{"dim", g.call().integer("dim")}}));
}

Cost softmax_grad_cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  return {.lab = 4 * count, .exact = 4 * count};
}

}  // namespace

ExpSum exp_sum(std::span<const double> x, const Lanes& lanes, std::size_t outer,
               std::size_t inner) {
  ExpSum found{.largest = -std::numeric_limits<double>::infinity()};
  for (std::size_t j = 0; j < lanes.size; ++j)
    found.largest = std::max(found.largest, x[lanes.at(outer, j, inner)]);
  for (std::size_t j = 0; j < lanes.size; ++j)
    found.sum += std::exp(x[lanes.at(outer, j, inner)] - found.largest);
  return found;
}

void softmax_forward(const ForwardCall& call, double (*f)(double shifted, double sum)) {
  const Lanes lanes = lanes_along_dim(call, call.in[0]->shape());
  const auto x = call.x(0);
  const auto y = call.y();
  for (std::size_t o = 0; o < lanes.outer; ++o)
    for (std::size_t i = 0; i < lanes.inner; ++i) {
      const auto [largest, sum] = exp_sum(x, lanes, o, i);
      for (std::size_t j = 0; j < lanes.size; ++j)
        y[lanes.at(o, j, i)] = f(x[lanes.at(o, j, i)] - largest, sum);
    }
}

void softmax_grad_forward(const ForwardCall& call, double (*term)(double dy, double y),
                          double (*f)(double dy, double y, double sum)) {
  const Lanes lanes = lanes_along_dim(call, call.in[0]->shape());
  const auto dy = call.x(0);
  const auto y = call.x(1);
  const auto dx = call.y();
  for (std::size_t o = 0; o < lanes.outer; ++o)
    for (std::size_t i = 0; i < lanes.inner; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < lanes.size; ++j)
        sum += term(dy[lanes.at(o, j, i)], y[lanes.at(o, j, i)]);
      for (std::size_t j = 0; j < lanes.size; ++j)
        dx[lanes.at(o, j, i)] = f(dy[lanes.at(o, j, i)], y[lanes.at(o, j, i)], sum);
    }
}

Cost softmax_cost(const CostCall& call, std::int64_t free) {
  const std::int64_t count = numel(call.shape(0));
  const Lanes lanes = lanes_along_dim(call, call.shape(0));
  const auto sums = lanes.size == 0 ? 0 : static_cast<std::int64_t>(lanes.outer * lanes.inner);
  return {.lab = 5 * count, .exact = 5 * count - free * sums, .backward = 4 * count};
}

OpDef softmax_op(OpDef op) {
  op.function = kept(cat("torch.nn.functional.", op.name));
  op.method = op.name;
  op.torch = kept(cat("F.", op.name, "(x, dim)"));
  op.fx = "x, dim=dim, _stacklevel=3, dtype=None";
  op.infer = lanes_type;
  op.gradient = softmax_gradient;
  op.rows_apart = lanes_by_row;
  op.quantisable = {"data_in"};
  op.repr = named_arguments;
  op.samples = {{.attrs = {{"dim", 1}}, .inputs = {{{4, 5}}}},
                {.attrs = {{"dim", 0}}, .inputs = {{{3, 1, 2}}}},
                {.attrs = {{"dim", -2}}, .inputs = {{{2, 3, 4}}}},
                {.attrs = {{"dim", -1}}, .inputs = {{.shape = {2, 6}, .low = -1e4, .high = 1e4}}},
                {.attrs = {{"dim", 0}}, .inputs = {{.shape = {}}}},
                {.attrs = {{"dim", 1}}, .inputs = {{{2, 0}}}},
                {.attrs = {{"dim", 1}}, .inputs = {{{0, 3}}}}};
  return op;
}

OpDef softmax_grad_op(OpDef op) {
  op.mase_type = MaseType::Gradient;
  op.min_inputs = 2;
  op.infer = softmax_grad_type;
  op.cost = softmax_grad_cost;
  op.samples = {{.attrs = {{"dim", 1}}, .inputs = {{{4, 5}}, {{4, 5}}}},
                {.attrs = {{"dim", -2}}, .inputs = {{{2, 3, 4}}, {{2, 3, 4}}}}};
  return op;
}

}  // namespace chop::ops
