#include "hardware/integer/op_def.hpp"

#include "integer_ops.inc"

namespace chop::hardware {

std::span<const IntegerOpDef> all_integer_ops() {
  static const std::vector<IntegerOpDef> kAll = integer_ops::collected();
  return kAll;
}

std::int64_t most_entries(const IntegerNode& node, std::initializer_list<const char*> attrs) {
  std::size_t most = 1;
  for (const char* attr : attrs) most = std::max(most, node.list(attr).size());
  return static_cast<std::int64_t>(most);
}

const IntegerOpDef* find_integer_op(std::string_view name) {
  for (const IntegerOpDef& op : all_integer_ops())
    if (op.name == name) return &op;
  return nullptr;
}

}  // namespace chop::hardware
