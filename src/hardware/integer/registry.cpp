#include "hardware/integer/op_def.hpp"

#include "integer_ops.inc"

namespace chop::hardware {

std::span<const IntegerOpDef> all_integer_ops() {
  static const std::vector<IntegerOpDef> kAll = integer_ops::collected();
  return kAll;
}

std::int64_t longest_attribute(const IntegerNode& node) {
  std::int64_t longest = 1;
  for (const auto& [name, entries] : node.attrs) longest = std::max(longest, std::ssize(entries));
  return longest;
}

Status check(const IntegerOpDef& op, const IntegerCall& call) {
  for (const IntegerType* in : call.in)
    if (op.runs != nullptr && in->size() != call.size())
      return Error{.what = cat("an input has ", in->size(), " elements, the result ", call.size())};
  return op.check == nullptr ? Status() : op.check(call);
}

const IntegerOpDef* find_integer_op(std::string_view name) {
  for (const IntegerOpDef& op : all_integer_ops())
    if (op.name == name) return &op;
  return nullptr;
}

}  // namespace chop::hardware
