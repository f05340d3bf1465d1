// Networks whose inputs fix the batch: an ONNX file written for one row, or for eight.
#pragma once

#include "ir/graph.hpp"

namespace chop::ir {

/// Rows that the network takes at a time, where its inputs say so; nothing where the batch is open
/// or there is no input.
std::optional<std::int64_t> fixed_batch(const Graph& graph);

/// Rows to run at a time: `wanted`, or what the network fixes. An error where it fixes more than
/// one and `rows` is no multiple of it.
Result<std::int64_t> batch_for(const Graph& graph, std::int64_t wanted, std::int64_t rows);

}  // namespace chop::ir
