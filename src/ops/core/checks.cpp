// Checks that shape rules of several ops begin with.
#include "ops/core/checks.hpp"

#include "ops/core/registry.hpp"

namespace chop::ops {

Status check_operands(const TypedCall& call) {
  for (const TensorType& type : call.in)
    if (!is_floating(type.dtype))
      return Error{.what = cat(call.op.name, " takes real numbers, got ", name_of(type.dtype)),
                   .hint = "give it a tensor of f32"};
  for (const ParamDef& param : call.op.params) {
    if (!is_present(param, call)) continue;
    const Shape& given = call.shape(static_cast<std::size_t>(call.find(param.name)));
    if (const Shape wanted = param.shape(call); given != wanted)
      return Error{.what = cat(call.op.name, " needs a ", param.name, " of shape ",
                               to_string(wanted), ", got ", to_string(given))};
  }
  return {};
}

Status check_at_least(const Call& call, std::string_view attr, std::int64_t least) {
  if (const std::int64_t value = call.integer(attr); value < least)
    return Error{.what = cat(call.op.name, " cannot have ", attr, "=", value),
                 .hint = cat(attr, " must be at least ", least)};
  return {};
}

Status check_shape(const TypedCall& call, std::size_t position, const Shape& wanted) {
  if (call.shape(position) == wanted) return {};
  return Error{.what = cat("operand ", position, " of ", call.op.name, " has shape ",
                           to_string(call.shape(position)), ", expected ", to_string(wanted))};
}

}  // namespace chop::ops
