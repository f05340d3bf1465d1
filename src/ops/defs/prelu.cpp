// y = x          when x > 0
//     slope · x  otherwise
#include "ops/core/costs.hpp"
#include "ops/families/elementwise/binary.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::prelu {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(std::vector<TensorType> out, broadcast_type(call));
  if (out[0].shape != call.shape(0))
    return Error{
        .what =
            cat("prelu of ", to_string(call.shape(0)), " with slopes ", to_string(call.shape(1))),
        .hint = "slopes broadcast to x, not x to them; one per channel has shape [C, 1, 1]"};
  return out;
}

}  // namespace

OpDef define() {
  return binary_op({
      .name = "prelu",
      .doc = "y = x if x > 0 else slope · x, the second input being the slopes, broadcast to x as "
             "numpy does",
      .function = "torch.nn.functional.prelu",
      .method = "prelu",
      .torch = "torch.where(x0 > 0, x0, x0 * x1)",
      .binary = {.value = [](double x, double slope) { return x > 0 ? x : slope * x; },
                 .slope_a = [](double x, double slope, double) { return x > 0 ? 1.0 : slope; },
                 .slope_b = [](double x, double, double) { return x > 0 ? 0.0 : x; }},
      .infer = infer,
      .cost = elementwise<2>,
      .onnx = {{"PRelu", 9}},
      .samples = {{.inputs = {{.shape = {4, 5}, .avoid = {0.0}}, {{4, 5}}}},
                  {.inputs = {{.shape = {2, 3, 2, 2}, .avoid = {0.0}}, {{3, 1, 1}}}},
                  {.inputs = {{.shape = {4, 5}, .avoid = {0.0}}, {{1}}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {0.0}},
                              {.shape = {}}}},
                  {.inputs = {{{0, 3}}, {{3}}}}},
  });
}

}  // namespace chop::ops::prelu
