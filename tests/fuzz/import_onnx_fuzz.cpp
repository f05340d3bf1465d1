// links: ch_onnx
// Whatever bytes arrive as an ONNX model, import answers with a graph or an Error: it never
// crashes, and what it accepts keeps the rules, prints and reads back.
#include <cstddef>
#include <cstdlib>
#include <string>

#include "ir/json.hpp"
#include "ir/text/text.hpp"
#include "onnx/import.hpp"
#include "ops/core/infer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const chop::Result<chop::OnnxFile> file = chop::parse_onnx({bytes, size}, "fuzz");
  if (!file) return file.error().what.empty() ? (std::abort(), 0) : 0;
  const chop::Result<chop::OnnxImport> import = chop::import_onnx(file.value());
  if (!import) return import.error().what.empty() ? (std::abort(), 0) : 0;
  const chop::Graph& graph = import.value().graph;
  if (!chop::verify(graph)) std::abort();
  std::size_t elements = 0;
  for (const chop::Parameter& parameter : graph.parameters())
    elements += static_cast<std::size_t>(parameter.value.size());
  if (elements > 100000) return 0;  // a fuzzer's patience
  const chop::Result<chop::Graph> again = chop::read_text(chop::print(graph, {.values = true}));
  if (!again || !(again.value() == graph)) std::abort();
  if (!chop::graph_from_json(chop::to_json(graph))) std::abort();
  return 0;
}
