// The lowered form of a graph: every parameter an explicit get_attr node, every call a
// call_function with all its operands. Gradients are taken and plans are made of this form.
#pragma once

#include <cstdint>

#include "ops/op_def.hpp"

namespace chop {

enum class Mode : std::uint8_t { Evaluation, Training };

/// Node names stay; get_attr nodes are named after their parameter, dots and all. In training mode
/// calls whose op has the attribute `training` get it set.
Graph lower(const Graph& graph, Mode mode);

}  // namespace chop
