// links: ch_ir
// Whatever bytes arrive, the reader answers with a graph or an Error: it never crashes, and
// what it accepts keeps the rules and reads back as the same graph.
#include <cstddef>
#include <cstdlib>
#include <string>

#include "ir/text/text.hpp"
#include "ir/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string source(data, data + size);
  const chop::ReadLimits limits{.bytes = 1U << 24};
  const chop::Result<chop::Graph> graph = chop::read_text(source, limits);
  if (!graph) return 0;
  if (!chop::verify_structure(graph.value())) std::abort();
  // Text with values is longer than what it was read from; zeros may be many.
  std::size_t elements = 0;
  for (const chop::Parameter& parameter : graph.value().parameters())
    elements += static_cast<std::size_t>(parameter.value.size());
  const bool values = elements < 100000;
  const std::string text = chop::print(graph.value(), {.values = values});
  const chop::Result<chop::Graph> again = chop::read_text(text, limits);
  if (!again || chop::print(again.value(), {.values = values}) != text) std::abort();
  if (values && !(again.value() == graph.value())) std::abort();
  return 0;
}
