#include "hardware/integer/op_def.hpp"

#include "integer_ops.inc"

namespace chop::hardware {

std::span<const IntegerOpDef> all_integer_ops() {
  static const std::vector<IntegerOpDef> kAll = integer_ops::collected();
  return kAll;
}

const IntegerOpDef* find_integer_op(std::string_view name) {
  for (const IntegerOpDef& op : all_integer_ops())
    if (op.name == name) return &op;
  return nullptr;
}

}  // namespace chop::hardware
