#include "ops/arithmetic.hpp"

#include "ops/shapes.hpp"

namespace chop::ops {

TypeList arithmetic_type(const TypedCall& call) {
  CH_CHECK(need_real(call));
  const bool constant = call.attrs.contains("other");
  if (call.in.size() == 1 && !constant)
    return Error{.what = cat(call.op.name, " has one input and no second operand"),
                 .hint = "give a second input, or the number `other`"};
  if (call.in.size() == 2 && constant)
    return Error{.what = cat(call.op.name, " has two inputs and the attribute 'other' as well"),
                 .hint = "give a second input or `other`, not both"};
  return broadcast_type(call);
}

void arithmetic_forward(const ForwardCall& call, double (*f)(double a, double b)) {
  const auto y = call.y();
  const Shape& shape = call.out[0].shape();
  const BroadcastIndex at_a(call.in[0]->shape(), shape);
  const auto a = call.x(0);
  if (call.in.size() == 1) {
    const double b = call.real("other");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(a[i], b);
    return;
  }
  const BroadcastIndex at_b(call.in[1]->shape(), shape);
  const auto b = call.x(1);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(a[at_a(i)], b[at_b(i)]);
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
  return op;
}

}  // namespace chop::ops
