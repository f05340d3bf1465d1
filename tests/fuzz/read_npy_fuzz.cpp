// links: ch_io
// Whatever bytes arrive, the reader answers with a tensor or an Error: it never crashes, and
// what it accepts it can write and read back unchanged.
#include <cstddef>
#include <cstdlib>
#include <string>

#include "io/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto tensor = chop::parse_npy({bytes, size}, "fuzz");
  if (!tensor) return 0;
  const chop::Result<std::string> text = chop::format_npy(tensor.value());
  if (!text) return 0;  // a rank beyond what version 1 can hold
  const auto again = chop::parse_npy(std::as_bytes(std::span(text.value())), "again");
  if (!again || !(again.value() == tensor.value())) std::abort();
  return 0;
}
