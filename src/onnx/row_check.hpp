// Whether a network treats the rows of a batch apart from each other.
#pragma once

#include "ir/graph.hpp"

namespace chop::onnx {

/// Runs the network on two rows of random numbers together and one by one: true when every
/// result has two rows that agree with those computed alone.
bool rows_are_independent(const Graph& graph);

}  // namespace chop::onnx
