// y = a where the condition holds, b elsewhere
#include "ops/core/rows.hpp"
#include "ops/families/elementwise/arithmetic.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::where {
namespace {

TypeList infer(const TypedCall& call) {
  if (call.in[0].dtype != DType::Bool)
    return Error{.what = cat("the condition of where is ", name_of(call.in[0].dtype), ", not bool"),
                 .hint = "compare first, or cast it to bool"};
  CH_CHECK(need_alike(call, 1));
  CH_TRY(std::vector<TensorType> out, broadcast_type(call));
  out[0].dtype = call.in[1].dtype;
  return out;
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.out[0].shape();
  const BroadcastIndex at_condition(call.in[0]->shape(), shape);
  const BroadcastIndex at_a(call.in[1]->shape(), shape);
  const BroadcastIndex at_b(call.in[2]->shape(), shape);
  const auto condition = call.indices(0);
  call.with_type(1, [&](auto zero) {
    using T = decltype(zero);
    const auto a = call.in[1]->data<T>();
    const auto b = call.in[2]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = condition[at_condition(i)] != 0 ? a[at_a(i)] : b[at_b(i)];
  });
}

void gradient(GradBuilder& g) {
  const Value zero = g.add("full", {}, {{"shape", Ints{}}});
  const Value dy = g.output_grad();
  set_summed(g, 1, g.add("where", {g.input(0), dy, zero}));
  set_summed(g, 2, g.add("where", {g.add("logical_not", {g.input(0)}), dy, zero}));
}

SampleInput condition(Shape shape) {
  return {.shape = std::move(shape), .low = 0, .high = 2, .dtype = DType::Bool};
}

}  // namespace

OpDef define() {
  return {
      .name = "where",
      .doc = "y = a where the condition holds, b elsewhere; the three shapes broadcast",
      .mase_type = MaseType::ImplicitFunc,
      .torch = "torch.where(x0.bool(), x1, x2)",
      .min_inputs = 3,
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = per_element,
      .rows_apart = broadcast_by_row,
      .onnx = {{"Where", 9}},
      .samples = {{.inputs = {condition({4, 5}), {{4, 5}}, {{4, 5}}}},
                  {.inputs = {condition({4, 1}), {{5}}, {.shape = {}}}},
                  {.inputs = {condition({1}), {{2, 1, 3}}, {{4, 1}}}},
                  {.inputs = {condition({0, 3}), {{1, 3}}, {{3}}}},
                  {.inputs = {condition({9}), wholes({9}, -9, 9), wholes({1}, -9, 9)}},
                  {.inputs = {condition({2, 3}), condition({3}), condition({2, 1})}}},
  };
}

}  // namespace chop::ops::where
