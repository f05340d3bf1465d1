#include "ir/fixed_batch.hpp"

namespace chop::ir {

std::optional<std::int64_t> fixed_batch(const Graph& graph) {
  std::optional<std::int64_t> batch;
  for (const NodeId id : graph.placeholders()) {
    const Attrs& attrs = graph.node(id).attrs;
    const auto found = attrs.find("shape");
    const auto* shape = found == attrs.end() ? nullptr : std::get_if<Ints>(&found->second);
    if (shape == nullptr || shape->empty() || (*shape)[0] == -1) return {};
    if (!batch) batch = (*shape)[0];
  }
  return batch;
}

Result<std::int64_t> batch_for(const Graph& graph, std::int64_t wanted, std::int64_t rows) {
  const std::optional<std::int64_t> fixed = fixed_batch(graph);
  if (!fixed || *fixed < 1) return wanted;
  if (rows % *fixed == 0) return *fixed;
  return Error{
      .what = cat("the network takes ", *fixed, " rows at a time, and ", rows,
                  " are no multiple of that"),
      .hint = rows < *fixed ? "give more rows" : cat("use ", rows - rows % *fixed, " of them")};
}

}  // namespace chop::ir
