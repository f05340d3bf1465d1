#include "compat/mase_names.hpp"

#include "ops/core/registry.hpp"

namespace chop::compat {

std::string mase_op(const Node& node) {
  return is_call(node.opcode) ? node.op : std::string(name_of(node.opcode));
}

std::string mase_type(const Node& node) {
  return std::string(is_call(node.opcode) ? name_of(op_of(node).mase_type) : name_of(node.opcode));
}

}  // namespace chop::compat
