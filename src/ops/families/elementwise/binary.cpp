#include "ops/families/elementwise/binary.hpp"

#include "ops/core/rows.hpp"
#include "ops/families/elementwise/arithmetic.hpp"
#include "ops/families/elementwise/whole.hpp"
#include "ops/families/indexing/shapes.hpp"

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
  op = torch_named(std::move(op), "x0, x1");
  op.min_inputs = 2;
  if (op.infer == nullptr) op.infer = binary_type;
  if (op.forward == nullptr) op.forward = binary_forward;
  op.gradient = binary_gradient;
  op.rows_apart = broadcast_by_row;
  if (op.cost == nullptr) op.cost = per_element;
  return op;
}

OpDef pick_op(OpDef op) {
  op.traits = Trait::Commutative;
  op.samples = {
      {.inputs = {{.shape = {4, 5}, .low = -3, .high = 3, .distinct = true},
                  {.shape = {4, 5}, .low = -2.95, .high = 3.05}}},
      {.inputs = {{.shape = {4, 5}, .low = -3, .high = 0}, {.shape = {5}, .low = 0.1, .high = 3}}},
      {.inputs = {{.shape = {2, 1, 3}, .low = 0.1, .high = 3},
                  {.shape = {4, 1}, .low = -3, .high = 0}}},
      {.inputs = {{.shape = {}}, {.shape = {2, 2}, .low = 3.1, .high = 4}}},
      {.inputs = {{.shape = {3}, .low = -10000.0, .high = -1},
                  {.shape = {3}, .low = 1, .high = 10000.0}}},
      {.inputs = {{.shape = {0, 3}}, {.shape = {1, 3}}}},
      {.inputs = {wholes({3}, -9, 9), wholes({2, 3}, -9, 9)}},
      {.inputs = {wholes({4}, 0, 200, DType::U8), wholes({4}, 0, 200, DType::U8)}}};
  return binary_op(std::move(op));
}

OpDef remainder_op(OpDef op) {
  op.binary.slope_a = [](double /*a*/, double /*b*/, double /*y*/) { return 1.0; };
  op.samples = {{.inputs = {{.shape = {4, 5}, .low = 3.1, .high = 3.9},
                            {.shape = {4, 5}, .low = 2.1, .high = 2.9}}},
                {.inputs = {{.shape = {4, 5}, .low = -3.9, .high = -3.1},
                            {.shape = {5}, .low = 2.1, .high = 2.9}}},
                {.inputs = {{.shape = {2, 1, 3}, .low = 1.1, .high = 1.9},
                            {.shape = {4, 1}, .low = -0.99, .high = -0.98}}},
                {.inputs = {{.shape = {}, .low = 0.1, .high = 0.4},
                            {.shape = {2, 2}, .low = 0.5, .high = 2}}},
                {.inputs = {{.shape = {0, 3}}, {.shape = {1, 3}}}},
                {.inputs = {wholes({3}, -9, 9), wholes({2, 3}, 1, 5)}},
                {.inputs = {wholes({7}, -9, 9), wholes({7}, -5, -1)}},
                {.inputs = {wholes({4}, 0, 200, DType::U8), wholes({4}, 1, 9, DType::U8)}}};
  return binary_op(std::move(op));
}

}  // namespace chop::ops
