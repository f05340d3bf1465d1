#include "ops/families/elementwise/arithmetic.hpp"

#include "ops/core/rows.hpp"
#include "ops/families/elementwise/binary.hpp"
#include "ops/families/elementwise/whole.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

TypeList arithmetic_type(const TypedCall& call) {
  CH_CHECK(need_number(call));
  CH_CHECK(need_alike(call));
  const bool constant = call.attrs.contains("other");
  if (constant && !is_floating(call.in[0].dtype))
    return Error{.what = cat(call.op.name, " of ", name_of(call.in[0].dtype),
                             " and the real number `other`"),
                 .hint = "whole numbers take a second input of their own dtype"};
  if (call.in.size() == 1 && !constant)
    return Error{.what = cat(call.op.name, " has one input and no second operand"),
                 .hint = "give a second input, or the number `other`"};
  if (call.in.size() == 2 && constant)
    return Error{.what = cat(call.op.name, " has two inputs and the attribute 'other' as well"),
                 .hint = "give a second input or `other`, not both"};
  return broadcast_type(call);
}

void arithmetic_forward(const ForwardCall& call, double (*f)(double a, double b),
                        std::int64_t (*whole)(std::int64_t a, std::int64_t b)) {
  if (call.in[0]->dtype() == DType::I64) {
    const DType dtype = call.out_types[0].dtype;
    return map_pairs<std::int64_t, std::int64_t, std::int64_t>(
        call, [&](std::int64_t a, std::int64_t b) { return wrapped(whole(a, b), dtype); });
  }
  if (call.in.size() == 2) return map_pairs<double, double, double>(call, f);
  const auto a = call.x(0);
  const auto y = call.y();
  const double b = call.real("other");
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(a[i], b);
}

Value with_second(GradBuilder& g, std::string_view op, Value value) {
  if (g.operands() == 2) return g.add(op, {value, g.input(1)});
  return g.add(op, {value}, {{"other", g.call().real("other")}});
}

void set_summed(GradBuilder& g, std::size_t operand, Value gradient) {
  g.set(operand, g.sum_to(gradient, g.shape(g.input(operand))));
}

OpDef arithmetic_op(OpDef op) {
  op.mase_type = MaseType::BuiltinFunc;
  op.max_inputs = 2;
  op.attrs = {{"other", 0.0, "the second operand when there is only one input"}};
  op.infer = arithmetic_type;
  op.cost = per_element;
  op.rows_apart = broadcast_by_row;
  if (op.samples.empty())
    op.samples = {{.inputs = {{{4, 5}}, {{4, 5}}}},
                  {.inputs = {{{4, 5}}, {{5}}}},
                  {.inputs = {{{2, 1, 3}}, {{4, 1}}}},
                  {.inputs = {{.shape = {}}, {{2, 2}}}},
                  {.attrs = {{"other", -2.5}}, .inputs = {{{3, 2}}}},
                  {.inputs = {{{0, 3}}, {{1, 3}}}},
                  {.inputs = {wholes({3}, -9, 9), wholes({2, 3}, -9, 9)}},
                  {.inputs = {wholes({4}, 100, 120, DType::U8), wholes({4}, 1, 3, DType::U8)}}};
  return op;
}

}  // namespace chop::ops
