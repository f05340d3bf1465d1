// Graphs and metadata as JSON: everything but the values of tensors.
//
// Keys come in a fixed order, maps in the order of their keys, so equal graphs give equal
// text. docs/ir-text.md describes the layout. Metadata has the reference system's keys.
#pragma once

#include <functional>

#include "ir/graph.hpp"
#include "ir/limits.hpp"
#include "support/tree.hpp"

namespace chop::ir {

/// The layout written here; a reader refuses any other.
constexpr std::int64_t kGraphJsonVersion = 1;

/// On one line, or over many with `indent` blanks per level.
std::string to_json(const Graph& graph, int indent = -1);

/// Parameters come back as zeros. What is accepted passes verify_structure.
Result<Graph> graph_from_json(std::string_view text, const ReadLimits& limits = {});

/// As above with the values of parameters from elsewhere.
using ParameterSource = std::function<Result<Tensor>(const std::string& name, const TensorType&)>;
Result<Graph> graph_from_json(std::string_view text, const ParameterSource& source);

/// {"common": {"mase_type": ..., "mase_op": ..., "args": {"data_in_0": {"shape": [8, 16],
/// "torch_dtype": "torch.float32", "type": "float", "precision": [32]}}, "results": {...}},
/// "software": {"args": {"data_in_0": {"stat": {...}}}, ...}, "hardware": {...}}
Tree tree_of(const Metadata& meta);
std::string to_json(const Metadata& meta);
std::string to_json(const Attrs& attrs);
Result<Attrs> attrs_from_json(std::string_view text);
Result<Metadata> metadata_from_json(std::string_view text);

}  // namespace chop::ir
