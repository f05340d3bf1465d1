// links: ch_io
// Whatever bytes arrive, the reader answers with tensors or an Error: it never crashes, and
// what it accepts it can write and read back unchanged.
#include <cstddef>
#include <cstdlib>
#include <string>

#include "io/safetensors.hpp"
#include "io/tensor_bytes.hpp"

namespace {

chop::SafetensorsFile copy_of(const chop::SafetensorsView& view) {
  chop::SafetensorsFile file{.metadata = view.metadata(), .tensors = {}};
  for (const chop::SafetensorsEntry& entry : view.entries())
    file.tensors.emplace_back(entry.name,
                              chop::tensor_from_bytes(entry.dtype, entry.shape, entry.bytes));
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto view = chop::SafetensorsView::parse({bytes, size}, "fuzz");
  if (!view) return 0;
  const chop::SafetensorsFile file = copy_of(view.value());
  const chop::Result<std::string> text = chop::format_safetensors(file);
  if (!text) std::abort();
  const auto again = chop::SafetensorsView::parse(std::as_bytes(std::span(text.value())), "again");
  if (!again) std::abort();
  const chop::SafetensorsFile second = copy_of(again.value());
  if (second.metadata != file.metadata || second.tensors != file.tensors) std::abort();
  return 0;
}
