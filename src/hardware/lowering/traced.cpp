#include "hardware/lowering/traced.hpp"

#include <bit>

#include "formats/registry.hpp"
#include "hardware/lowering/function.hpp"

namespace chop::hardware {
namespace {

/// Bits from the first to the last one of a number's mantissa.
int significant_bits(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(value), &exponent);
  const auto whole = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
  return whole == 0 ? 0 : 53 - std::countr_zero(whole);
}

}  // namespace

int frac_bits(double value) {
  if (value == 0) return std::numeric_limits<int>::min();
  int exponent = 0;
  std::frexp(value, &exponent);
  return significant_bits(value) - exponent;
}

std::int64_t code_of(double value, int frac) {
  return static_cast<std::int64_t>(std::ldexp(value, frac));
}

Result<ConstantCodes> constant_codes(const Traced& constant) {
  if (!constant.format) return Error{.what = "is float32", .hint = "give it a fixed-point format"};
  const int bits = bits_of(*constant.format).value().value;
  ConstantCodes result;
  result.frac = std::numeric_limits<int>::min();
  int top = std::numeric_limits<int>::min();
  for (const float value : constant.constant.data<float>()) {
    if (!std::isfinite(value)) return Error{.what = "has values that are not finite"};
    if (significant_bits(double{value}) > bits)
      return Error{.what = cat("has the format ", display(*constant.format),
                               ", whose scale is not a power of two"),
                   .hint = "use integer, or a step that is a power of two"};
    result.frac = std::max(result.frac, frac_bits(double{value}));
    if (value != 0) top = std::max(top, std::ilogb(value) + 1);
  }
  if (top == std::numeric_limits<int>::min()) result.frac = 0;
  if (top != std::numeric_limits<int>::min() && top + result.frac > 40)
    return Error{.what = cat("needs ", top + result.frac, " bits for its codes"),
                 .hint = "use a format with a smaller range of exponents"};
  for (const float value : constant.constant.data<float>())
    result.codes.push_back(code_of(double{value}, result.frac));
  return result;
}

Result<ConstantCodes> scaled_constant_codes(const Traced& constant) {
  Result<ConstantCodes> plain = constant_codes(constant);
  if (plain || !constant.format) return plain;
  const Result<formats::Quantiser> format =
      formats::Quantiser::make(*constant.format, constant.constant.shape());
  const std::optional<formats::Grid> grid =
      format ? grid_of(format.value()) : std::optional<formats::Grid>();
  if (!grid) return plain;
  ConstantCodes result{.step = double{grid->step}};
  for (const float value : constant.constant.data<float>())
    result.codes.push_back(std::llround(double{value} / result.step));
  return result;
}

}  // namespace chop::hardware
