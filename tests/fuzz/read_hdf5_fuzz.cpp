// links: ch_io
// Whatever bytes arrive as an HDF5 file, the reader answers with columns or an Error.
//
// HDF5 is Debian's library, without instrumentation, and runs in a child process that may crash:
// the fuzzer sees our side of the door, and that the door holds.
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/tables/hdf5.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::string> columns = {"d", "i"};
  const auto table = chop::parse_hdf5_columns({bytes, size}, "fuzz", "t", columns);
  if (!table) return table.error().what.empty() ? (std::abort(), 0) : 0;
  if (table.value().rank() != 2 || table.value().dim(1) != 2) std::abort();
  return 0;
}
