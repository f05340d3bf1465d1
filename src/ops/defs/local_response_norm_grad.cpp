// dx of local_response_norm, given dy and x. With s the sum it divides by:
//   dx_j = dy_j · s_j^−beta − 2 · alpha · beta / size · x_j · Σ_c dy_c · x_c · s_c^(−beta − 1)
// over the channels c whose window has j.
#include "ops/core/checks.hpp"
#include "ops/families/layers/local_response.hpp"

namespace chop::ops::local_response_norm_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(check_response(call, call.shape(1)));
  CH_CHECK(check_shape(call, 0, call.shape(1)));
  return std::vector<TensorType>{call.in[1]};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[1]->shape();
  const auto dy = call.x(0);
  const auto x = call.x(1);
  const auto dx = call.y();
  const double beta = call.real("beta");
  const double scale = 2 * call.real("alpha") * beta / static_cast<double>(call.integer("size"));
  const std::vector<double> sums = response_sums(call, shape, x);
  const Lanes lanes = lanes_of(shape, 1);
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = dy[i] * std::pow(sums[i], -beta);
  for (std::size_t o = 0; o < lanes.outer; ++o)
    for_each_neighbour(shape[1], call.integer("size"), [&](std::size_t c, std::size_t j) {
      for (std::size_t i = 0; i < lanes.inner; ++i) {
        const std::size_t at = lanes.at(o, c, i);
        const std::size_t to = lanes.at(o, j, i);
        dx[to] -= scale * x[to] * dy[at] * x[at] * std::pow(sums[at], -beta - 1);
      }
    });
}

Cost cost(const CostCall& call) {
  const std::int64_t terms = response_terms(call, call.shape(1));
  return {.lab = 2 * terms, .exact = 8 * terms + 4 * numel(call.shape(1))};
}

}  // namespace

OpDef define() {
  return {
      .name = "local_response_norm_grad",
      .doc = "dx of local_response_norm, given dy and x",
      .mase_type = MaseType::Gradient,
      .min_inputs = 2,
      .attrs = response_attrs(),
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.attrs = {{"size", 3}, {"alpha", 0.5}}, .inputs = {{{2, 4, 2}}, {{2, 4, 2}}}}},
  };
}

}  // namespace chop::ops::local_response_norm_grad
