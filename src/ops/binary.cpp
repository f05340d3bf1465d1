#include "ops/binary.hpp"

#include "ops/arithmetic.hpp"
#include "ops/shapes.hpp"
#include "ops/whole.hpp"

namespace chop::ops {
namespace {

void binary_forward(const ForwardCall& call) {
  const Binary& binary = call.op.binary;
  if (call.in[0]->dtype() == DType::F64)
    return map_pairs<double, double, double>(call, binary.value);
  const DType dtype = call.out_types[0].dtype;
  map_pairs<std::int64_t, std::int64_t, std::int64_t>(
      call, [&](std::int64_t a, std::int64_t b) { return wrapped(binary.whole(a, b), dtype); });
}

void binary_gradient(GradBuilder& g) {
  if (!is_floating(g.dtype(g.output()))) return;  // a whole number raised to a real one
  const std::vector<Value> known = {g.output_grad(), g.input(0), g.input(1), g.output()};
  const Value da = g.add("binary_grad", known, {{"of", std::string(g.call().op.name)}});
  set_summed(g, 0, da);
  if (is_floating(g.dtype(g.input(1)))) set_summed(g, 1, {da.node, 1});
}

}  // namespace

TypeList binary_type(const TypedCall& call) {
  CH_CHECK(call.op.binary.whole != nullptr ? need_number(call) : need_real(call));
  CH_CHECK(need_alike(call));
  return broadcast_type(call);
}

OpDef binary_op(OpDef op) {
  op.min_inputs = 2;
  op.max_inputs = 2;
  if (op.infer == nullptr) op.infer = binary_type;
  if (op.forward == nullptr) op.forward = binary_forward;
  op.gradient = binary_gradient;
  if (op.cost == nullptr) op.cost = per_element;
  return op;
}

}  // namespace chop::ops
