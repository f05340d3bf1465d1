// links: ch_io
// Whatever bytes arrive, plain or gzipped, the reader answers with a tensor or an Error: it
// never crashes, and a tensor of a plain file accounts for every byte.
#include <cstddef>
#include <cstdlib>

#include "io/tables/idx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto tensor = chop::parse_idx({bytes, size}, "fuzz");
  if (!tensor) return tensor.error().what.empty() ? (std::abort(), 0) : 0;
  const bool packed = data[0] == 0x1F;
  const auto header = 4 + 4 * static_cast<std::size_t>(tensor.value().rank());
  if (!packed && header + tensor.value().size_in_bytes() != size) std::abort();
  return 0;
}
