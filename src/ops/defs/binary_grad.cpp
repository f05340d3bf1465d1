// da = dy · ∂f/∂a and db = dy · ∂f/∂b, where f is the op of two operands named by `of`.
//
// One op serves all of them: the slopes are those that f's own definition gives. Both results
// have the shape of dy; summing over what broadcasting stretched is left to the caller.
#include "ops/core/common.hpp"
#include "ops/core/registry.hpp"

namespace chop::ops::binary_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_TRY(const OpDef* of, find_op(call.text("of")));
  if (of->binary.slope_a == nullptr)
    return Error{.what = cat("binary_grad of ", of->name, ", which has no slopes")};
  for (std::size_t i = 0; i < 4; ++i) {
    CH_TRY(const Shape shape, broadcast(call.shape(i), call.shape(0)));
    if (shape != call.shape(0))
      return Error{.what = cat("operand ", i, " of binary_grad has shape ",
                               to_string(call.shape(i)), ", dy ", to_string(call.shape(0)))};
  }
  return std::vector<TensorType>(2, call.in[0]);
}

/// The elements as doubles; exponents may be whole numbers.
std::vector<double> reals(const Tensor& tensor) {
  const Tensor wide = tensor.to(DType::F64);
  const auto values = wide.data<double>();
  return {values.begin(), values.end()};
}

void forward(const ForwardCall& call) {
  const Binary& f = find_op(call.text("of")).value()->binary;
  const auto dy = call.x(0);
  const std::vector<double> a = reals(*call.in[1]);
  const std::vector<double> b = reals(*call.in[2]);
  const auto y = call.x(3);
  const Shape& shape = call.out[0].shape();
  const BroadcastIndex at_a(call.in[1]->shape(), shape);
  const BroadcastIndex at_b(call.in[2]->shape(), shape);
  const BroadcastIndex at_y(call.in[3]->shape(), shape);
  for (std::size_t i = 0; i < dy.size(); ++i) {
    const double ai = a[at_a(i)];
    const double bi = b[at_b(i)];
    const double yi = y[at_y(i)];
    call.y(0)[i] = dy[i] * f.slope_a(ai, bi, yi);
    call.y(1)[i] = dy[i] * f.slope_b(ai, bi, yi);
  }
}

Cost cost(const CostCall& call) {
  const std::int64_t count = 2 * numel(call.out[0].shape);
  return {.lab = count, .exact = 2 * count};
}

}  // namespace

OpDef define() {
  return {
      .name = "binary_grad",
      .doc =
          "dy · ∂f/∂a and dy · ∂f/∂b for the op f of two operands named by `of`, given dy, a, b "
          "and y",
      .mase_type = MaseType::Gradient,
      .min_inputs = 4,
      .attrs = {{"of", "maximum", "the op that is differentiated", true}},
      .attrs_of = "of",
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.attrs = {{"of", "maximum"}},
                   .inputs = {{{4, 5}}, {{4, 5}}, {{4, 5}}, {{4, 5}}}},
                  {.attrs = {{"of", "fmod"}},
                   .inputs = {{{4, 5}}, {{4, 1}}, {.shape = {5}, .low = 0.5}, {{4, 5}}}}},
  };
}

}  // namespace chop::ops::binary_grad
