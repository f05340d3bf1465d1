// links: ch_ir
// Whatever bytes arrive, the reader answers with a graph or an Error: it never crashes, and
// what it accepts it can write and read back unchanged.
#include <cstddef>
#include <cstdlib>
#include <string>

#include "ir/json.hpp"
#include "ir/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string source(data, data + size);
  const chop::ReadLimits limits{.bytes = 1U << 24};
  const chop::Result<chop::Graph> graph = chop::graph_from_json(source, limits);
  if (!graph) return 0;
  if (!chop::verify_structure(graph.value())) std::abort();
  const chop::Result<chop::Graph> again =
      chop::graph_from_json(chop::to_json(graph.value()), limits);
  if (!again || !(again.value() == graph.value())) std::abort();
  return 0;
}
