#include "runtime/plan/arrangement.hpp"

namespace chop::runtime {

Result<Arranged> arrange(const Graph& graph, std::int64_t rows, const std::set<Value>& seen) {
  Arranged arranged{.graph = graph, .types = {}, .arrangement = {}};
  CH_TRY(arranged.types, infer_types(arranged.graph, rows));
  if (quantise_early(arranged.graph, arranged.types, seen)) {
    CH_TRY(arranged.types, infer_types(arranged.graph, rows));
  }
  arranged.arrangement =
      lay_out(arranged.graph, arranged.types, find_chains(arranged.graph, arranged.types, seen));
  CH_TRY(arranged.types, infer_types(arranged.graph, rows));
  return arranged;
}

}  // namespace chop::runtime
