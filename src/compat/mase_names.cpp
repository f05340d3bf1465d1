#include "compat/mase_names.hpp"

#include "ops/core/registry.hpp"

namespace chop::compat {
namespace {

bool calls_an_op(const Node& node) {
  return node.opcode == Opcode::CallModule || node.opcode == Opcode::CallFunction ||
         node.opcode == Opcode::CallMethod;
}

}  // namespace

std::string mase_op(const Node& node) {
  return calls_an_op(node) ? node.op : std::string(name_of(node.opcode));
}

std::string mase_type(const Node& node) {
  return std::string(calls_an_op(node) ? name_of(op_of(node).mase_type) : name_of(node.opcode));
}

}  // namespace chop::compat
