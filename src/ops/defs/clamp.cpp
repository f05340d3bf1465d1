// y = min(max(x, min), max)
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::clamp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double value(double x, const Call& call) {
  const double above = x < call.real("min") ? call.real("min") : x;
  return above > call.real("max") ? call.real("max") : above;  // NaN passes through
}

double slope(double x, double /*y*/, const Call& call) {
  return x >= call.real("min") && x <= call.real("max") ? 1.0 : 0.0;  // 1 at the ends
}

/// `bound`, which is whole or infinite, as far as i64 reaches.
std::int64_t saturated(double bound) {
  constexpr double kLimit = 9223372036854775808.0;
  if (bound >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (bound < -kLimit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(bound);
}

std::int64_t whole(std::int64_t x, const Call& call) {
  const std::int64_t above = std::max(x, saturated(std::ceil(call.real("min"))));
  return std::min(above, saturated(std::floor(call.real("max"))));
}

TypeList infer(const TypedCall& call) {
  if (std::isnan(call.real("min")) || std::isnan(call.real("max")))
    return Error{.what = "clamp between bounds of which one is NaN",
                 .hint = "leave a bound out to have none"};
  return unary_type(call);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "clamp",
      .doc = "y = min(max(x, min), max). Whole numbers stay whole numbers between the bounds",
      .mase_type = MaseType::ImplicitFunc,
      .method = "clamp",
      .torch = "torch.clamp(x, float('-inf') if min is None else min, "
               "float('inf') if max is None else max)",
      .attrs = {{"min", -kInf, "smallest y"}, {"max", kInf, "largest y; wins over min"}},
      .unary = {value, slope, false, whole},
      .infer = infer,
      .cost = elementwise<2>,
      .onnx = {{"Clip", 6, {{"min", "min"}, {"max", "max"}}}},
      .samples = {{.attrs = {{"min", -1.0}, {"max", 1.0}},
                   .inputs = {{.shape = {4, 5}, .avoid = {-1.0, 1.0}}}},
                  {.attrs = {{"min", 0.5}}, .inputs = {{.shape = {2, 1, 3}, .avoid = {0.5}}}},
                  {.attrs = {{"max", -0.5}},
                   .inputs = {{.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {-0.5}}}},
                  {.attrs = {{"min", 2.0}, {"max", 1.0}}, .inputs = {{.shape = {3}}}},
                  {.inputs = {{.shape = {}}}},
                  {.inputs = {{.shape = {0, 3}}}},
                  {.attrs = {{"min", -2.0}, {"max", 4.0}}, .inputs = {wholes({9}, -9, 9)}},
                  {.attrs = {{"min", -1000.0}, {"max", 3.0}},
                   .inputs = {wholes({9}, -9, 9, DType::I8)}}},
  });
}

}  // namespace chop::ops::clamp
