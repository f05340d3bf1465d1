// The lowered form of a graph: every parameter an explicit get_attr node, every call a
// call_function with all its operands. Gradients are taken and plans are made of this form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ops/core/op_def.hpp"

namespace chop::ops {

enum class Mode : std::uint8_t { Evaluation, Training };

/// Node names stay; get_attr nodes are named after their parameter, dots and all. In training mode
/// calls whose op has the attribute `training` get it set. An operand or result that carries a
/// number format passes through a `quantize` call, one for all readers that want the same.
Graph lower(const Graph& graph, Mode mode);

/// The parameter in which a format keeps what it learns about an operand of a node:
/// "seq_blocks.2.weight.step".
std::string learned_parameter(const Node& node, std::string_view operand, std::string_view learned);

}  // namespace chop::ops
