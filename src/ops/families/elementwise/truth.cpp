#include "ops/families/elementwise/truth.hpp"

#include "ops/core/rows.hpp"
#include "ops/families/elementwise/binary.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {
namespace {

TypeList compare_type(const TypedCall& call) {
  CH_CHECK(need_alike(call));
  CH_TRY(std::vector<TensorType> out, broadcast_type(call));
  out[0].dtype = DType::Bool;
  return out;
}

OpDef truth_op(OpDef op, std::string_view arguments, std::vector<Sample> samples) {
  op = torch_named(std::move(op), arguments);
  op.min_inputs = 2;
  op.traits = op.traits | Trait::NoGradient;
  op.cost = per_element_forward;
  op.rows_apart = broadcast_by_row;
  op.samples.insert(op.samples.begin(), samples.begin(), samples.end());
  return op;
}

}  // namespace

TypeList real_to_truth(const TypedCall& call) {
  CH_CHECK(need_real(call));
  return std::vector<TensorType>{{DType::Bool, call.shape(0)}};
}

TypeList logic_type(const TypedCall& call) {
  for (std::size_t i = 0; i < call.in.size(); ++i)
    if (call.in[i].dtype != DType::Bool)
      return Error{.what = cat(call.op.name, " works on truth values, operand ", i, " is ",
                               name_of(call.in[i].dtype)),
                   .hint = "cast to bool makes true of all that is not zero"};
  return broadcast_type(call);
}

void compare_forward(const ForwardCall& call, bool (*real)(double, double),
                     bool (*whole)(std::int64_t, std::int64_t)) {
  if (call.in[0]->dtype() == DType::F64)
    return map_pairs<double, double, std::int64_t>(
        call, [&](double a, double b) { return real(a, b) ? 1 : 0; });
  map_pairs<std::int64_t, std::int64_t, std::int64_t>(
      call, [&](std::int64_t a, std::int64_t b) { return whole(a, b) ? 1 : 0; });
}

OpDef comparison(OpDef op) {
  op.infer = compare_type;
  return truth_op(
      std::move(op), "x0, x1",
      {{.inputs = {{.shape = {4, 5}}, {.shape = {4, 5}}}},
       {.inputs = {{.shape = {4, 5}}, {.shape = {5}}}},
       {.inputs = {{.shape = {2, 1, 3}}, {.shape = {4, 1}}}},
       {.inputs = {{.shape = {}}, {.shape = {2, 2}}}},
       {.inputs = {{.shape = {3}, .low = 1, .high = 1}, {.shape = {3}, .low = 1, .high = 1}}},
       {.inputs = {{.shape = {0, 3}}, {.shape = {1, 3}}}},
       {.inputs = {wholes({3, 4}, 0, 3), wholes({4}, 0, 3)}},
       {.inputs = {wholes({9}, 0, 3, DType::U8), wholes({9}, 0, 3, DType::U8)}}});
}

OpDef connective(OpDef op) {
  op.traits = Trait::Commutative;
  op.infer = logic_type;
  return truth_op(std::move(op), "x0.bool(), x1.bool()",
                  {{.inputs = {truths({4, 5}), truths({4, 5})}},
                   {.inputs = {truths({4, 5}), truths({5})}},
                   {.inputs = {truths({2, 1, 3}), truths({4, 1})}},
                   {.inputs = {truths({}), truths({1})}},
                   {.inputs = {truths({0, 3}), truths({1, 3})}}});
}

}  // namespace chop::ops
