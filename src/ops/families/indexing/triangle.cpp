#include "ops/families/indexing/triangle.hpp"

namespace chop::ops {
namespace {

TypeList infer(const TypedCall& call) {
  if (call.shape(0).size() < 2)
    return Error{.what = cat(call.op.name, " cannot take ", to_string(call.shape(0))),
                 .hint = "its input must be a matrix, or a batch of matrices"};
  return std::vector<TensorType>{call.in[0]};
}

template <bool kLower>
void forward(const ForwardCall& call) {
  const std::int64_t rows = call.in[0]->dim(-2);
  const std::int64_t columns = call.in[0]->dim(-1);
  const std::int64_t diagonal = call.integer("diagonal");
  call.with_type(0, [&]<class T>(T) {
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t right = at % columns - at / columns % rows;  // of the main diagonal
      if (kLower ? right <= diagonal : right >= diagonal) y[i] = x[i];
    }
  });
}

void gradient(GradBuilder& g) {
  g.set(0,
        g.add(g.call().op.name, {g.output_grad()}, {{"diagonal", g.call().integer("diagonal")}}));
}

}  // namespace

OpDef triangle_op(bool lower, OpDef op) {
  op.mase_type = MaseType::ImplicitFunc;
  op.attrs = {{"diagonal", 0, "the last one kept: 0 is the main diagonal, 1 the one to its right"}};
  op.infer = infer;
  op.forward = lower ? forward<true> : forward<false>;
  op.gradient = gradient;
  op.cost = free_of_charge;
  op.samples = {{.inputs = {{{3, 4}}}},
                {.attrs = {{"diagonal", 1}}, .inputs = {{{2, 3, 3}}}},
                {.attrs = {{"diagonal", -2}}, .inputs = {{{4, 2}}}},
                {.attrs = {{"diagonal", -9}}, .inputs = {{{1, 1}}}},
                {.inputs = {{{0, 3}}}},
                {.inputs = {{.shape = {3, 3}, .dtype = DType::I64}}}};
  return op;
}

}  // namespace chop::ops
