#include "ops/families/elementwise/truth.hpp"

#include "ops/core/rows.hpp"
#include "ops/families/elementwise/binary.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

TypeList compare_type(const TypedCall& call) {
  CH_CHECK(need_alike(call));
  CH_TRY(std::vector<TensorType> out, broadcast_type(call));
  out[0].dtype = DType::Bool;
  return out;
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

OpDef truth_op(OpDef op) {
  op.min_inputs = 2;
  op.max_inputs = 2;
  op.traits = op.traits | Trait::NoGradient;
  if (op.infer == nullptr) op.infer = compare_type;
  op.cost = per_element_forward;
  op.rows_apart = broadcast_by_row;
  return op;
}

}  // namespace chop::ops
