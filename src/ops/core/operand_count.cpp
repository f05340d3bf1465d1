#include "ops/core/operand_count.hpp"

#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::ops {

std::size_t parameter_count(const Call& call) {
  return static_cast<std::size_t>(
      std::count_if(call.op.params.begin(), call.op.params.end(),
                    [&](const ParamDef& p) { return is_present(p, call); }));
}

Status check_operand_count(const Call& call, std::size_t operands) {
  const OpDef& op = call.op;
  const std::size_t params = parameter_count(call);
  const std::size_t inputs = operands < params ? 0 : operands - params;
  if (operands >= params && inputs >= op.min_inputs && inputs <= op.max_inputs) return {};
  const bool variadic = op.max_inputs == kVariadic;
  const std::string from = op.min_inputs == op.max_inputs ? ""
                           : variadic                     ? "at least "
                                                          : cat(op.min_inputs, " to ");
  const auto most = static_cast<std::int64_t>(variadic ? op.min_inputs : op.max_inputs);
  return Error{.what = cat(op.name, " takes ", from, counted(most, "input"), ", got ", inputs)};
}

}  // namespace chop::ops
