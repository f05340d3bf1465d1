// y = min(max(x, min_val), max_val)
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "support/text.hpp"

namespace chop::ops::hardtanh {
namespace {

double value(double x, const Call& call) {
  if (x < call.real("min_val")) return call.real("min_val");
  return x > call.real("max_val") ? call.real("max_val") : x;  // NaN passes through
}

double slope(double /*x*/, double y, const Call& call) {
  return y <= call.real("min_val") || y >= call.real("max_val") ? 0.0 : 1.0;
}

TypeList infer(const TypedCall& call) {
  if (!(call.real("min_val") <= call.real("max_val")))
    return Error{.what = cat("hardtanh with min_val=", python_repr(call.real("min_val")),
                             " above max_val=", python_repr(call.real("max_val"))),
                 .hint = "min_val must not exceed max_val"};
  return unary_type(call);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "hardtanh",
      .doc = "y = min(max(x, min_val), max_val)",
      .module = "Hardtanh",
      .torch = "F.hardtanh(x, min_val, max_val)",
      .fx = "x, min_val=min_val, max_val=max_val, inplace=inplace",
      .attrs = {{"min_val", -1.0, "smallest y"}, {"max_val", 1.0, "largest y"}, inplace_attr()},
      .unary = {value, slope, /*from_output=*/true},
      .infer = infer,
      .cost = elementwise<2>,
      .onnx = {{"Clip", 6, {{"min", "min_val"}, {"max", "max_val"}}}},
      .repr = named_arguments,
      .samples = {{.inputs = {{.shape = {4, 5}, .avoid = {-1.0, 1.0}}}},
                  {.attrs = {{"min_val", -0.5}, {"max_val", 2.0}},
                   .inputs = {{.shape = {3, 1, 2}, .avoid = {-0.5, 2.0}}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {-1.0, 1.0}}}},
                  {.inputs = {{.shape = {0}}}}},
  });
}

}  // namespace chop::ops::hardtanh
