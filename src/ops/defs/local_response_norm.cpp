// y[n, c, ...] = x[n, c, ...] / (k + alpha / size · Σ_j x[n, j, ...]²)^beta, j running over the
// `size` channels from c − ⌊size/2⌋ on
#include "ops/families/layers/local_response.hpp"
#include "support/text.hpp"

namespace chop::ops::local_response_norm {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(check_response(call, call.shape(0)));
  return std::vector<TensorType>{call.in[0]};
}

void forward(const ForwardCall& call) {
  const auto x = call.x(0);
  const auto y = call.y();
  const std::vector<double> sums = response_sums(call, call.in[0]->shape(), x);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] * std::pow(sums[i], -call.real("beta"));
}

void gradient(GradBuilder& g) {
  Attrs attrs = {{"size", g.call().integer("size")}};
  for (const char* name : {"alpha", "beta", "k"}) attrs[name] = g.call().real(name);
  g.set(0, g.add("local_response_norm_grad", {g.output_grad(), g.input(0)}, std::move(attrs)));
}

/// A square and an addition for each channel of a window; per element ·, +, power, ÷.
Cost cost(const CostCall& call) {
  const std::int64_t terms = response_terms(call, call.shape(0));
  return {.lab = terms, .exact = 2 * terms + 4 * numel(call.shape(0)), .backward = 2 * terms};
}

std::string repr(const Call& call) {
  return cat(call.integer("size"), ", alpha=", python_repr(call.real("alpha")),
             ", beta=", python_repr(call.real("beta")), ", k=", python_repr(call.real("k")));
}

}  // namespace

OpDef define() {
  return {
      .name = "local_response_norm",
      .doc =
          "y[n, c, ...] = x[n, c, ...] / (k + alpha / size · Σ_j x[n, j, ...]²)^beta, j running "
          "over the `size` channels from c − ⌊size/2⌋ on",
      .module = "LocalResponseNorm",
      .torch = "F.local_response_norm(x, size, alpha, beta, k)",
      .attrs = response_attrs(),
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .quantisable = {"data_in"},
      .repr = repr,
      .samples = {{.attrs = {{"size", 3}, {"alpha", 0.5}}, .inputs = {{{2, 4, 2}}}},
                  {.attrs = {{"size", 2}, {"alpha", 1.0}, {"beta", 0.5}, {"k", 2.0}},
                   .inputs = {{{1, 3, 2, 2}}}},
                  {.attrs = {{"size", 9}}, .inputs = {{{1, 2, 1, 2}}}},
                  {.attrs = {{"size", 1}}, .inputs = {{{1, 1, 1}}}},
                  {.attrs = {{"size", 2}}, .inputs = {{{0, 2, 3}}}}},
  };
}

}  // namespace chop::ops::local_response_norm
