// y = a^b
#include "ops/families/elementwise/binary.hpp"
#include "ops/families/elementwise/whole.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::pow_ {
namespace {

double value(double a, double b) {
  return std::pow(a, b);
}

/// By squaring, wrapping around; 1 / a^-b below zero, which is 0 but for a = ±1.
std::int64_t whole(std::int64_t a, std::int64_t b) {
  if (b < 0 && a != 1 && a != -1) return 0;
  const bool odd = b % 2 != 0;
  if (a == 1 || a == -1) return odd ? a : 1;
  std::int64_t y = 1;
  for (; b > 0; b /= 2) {
    if (b % 2 != 0) y = wrapping_mul(y, a);
    a = wrapping_mul(a, a);
  }
  return y;
}

double slope_a(double a, double b, double /*y*/) {
  return b == 0 ? 0.0 : b * std::pow(a, b - 1);
}

double slope_b(double a, double b, double y) {
  return a == 0 && b >= 0 ? 0.0 : y * std::log(a);
}

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_number(call));
  return broadcast_type(call);
}

void forward(const ForwardCall& call) {
  const bool real_base = call.in[0]->dtype() == DType::F64;
  const DType dtype = call.out_types[0].dtype;
  call.with_type(1, [&](auto zero) {
    using Exponent = decltype(zero);
    if (real_base)
      return map_pairs<double, Exponent, double>(
          call, [](double a, Exponent b) { return std::pow(a, static_cast<double>(b)); });
    map_pairs<std::int64_t, Exponent, std::int64_t>(call, [&](std::int64_t a, Exponent b) {
      if constexpr (std::is_same_v<Exponent, std::int64_t>) {
        return wrapped(whole(a, b), dtype);
      } else {
        const Tensor y = Tensor::scalar(std::pow(static_cast<double>(a), b), DType::F64);
        return y.to(DType::I64).data<std::int64_t>()[0];
      }
    });
  });
}

}  // namespace

OpDef define() {
  return binary_op({
      .name = "pow",
      .doc =
          "y = a^b; shapes broadcast. The result has the dtype of a, whatever that of b; a whole "
          "number raised to a real one is rounded towards zero",
      .mase_type = MaseType::BuiltinFunc,
      .method = "pow",
      .torch = "torch.pow(x0, x1).to(x0.dtype)",
      .binary = {value, whole, slope_a, slope_b},
      .infer = infer,
      .forward = forward,
      .onnx = {{"Pow", 7}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = 0.2, .high = 3}, {{4, 5}}}},
                  {.inputs = {{.shape = {4, 5}, .low = 0.2, .high = 3}, {{5}}}},
                  {.inputs = {{.shape = {2, 1, 3}, .low = 0.5, .high = 2}, {{4, 1}}}},
                  {.inputs = {{.shape = {}, .low = 0.5, .high = 2}, {{2, 2}}}},
                  {.inputs = {{{0, 3}}, {{1, 3}}}},
                  {.inputs = {{.shape = {3, 4}, .avoid = {0.0}}, wholes({4}, 0, 4)}},
                  {.inputs = {wholes({3, 4}, -5, 5), wholes({4}, 0, 6)}},
                  {.inputs = {wholes({4}, 1, 9, DType::I32), {.shape = {4}, .low = 2, .high = 2}}}},
  });
}

}  // namespace chop::ops::pow_
