// links: ch_io
// Whatever bytes arrive, plain or gzipped, the reader answers with files or an Error: it never
// crashes, and of a plain archive the files are no larger than the archive itself.
#include <cstddef>
#include <cstdlib>

#include "io/archives/tar.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto files = chop::parse_tar({bytes, size}, "fuzz");
  if (!files) return files.error().what.empty() ? (std::abort(), 0) : 0;
  const bool packed = data[0] == 0x1F;
  std::size_t total = 0;
  for (const auto& [name, file] : files.value()) {
    if (name.empty() || name.front() == '/') std::abort();
    total += file.size();
  }
  if (!packed && total > size) std::abort();
  return 0;
}
