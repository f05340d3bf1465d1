// links: ch_io
// Whatever bytes arrive, the reader answers with plain values or an Error: it never crashes,
// never calls anything, and every value refers to values that are there.
#include <cstddef>
#include <cstdlib>

#include "io/torch/pickle.hpp"
#include "io/torch/torch_allow_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto pickle = chop::read_pickle({bytes, size}, "fuzz", chop::is_torch_name);
  if (!pickle) return pickle.error().what.empty() ? (std::abort(), 0) : 0;
  const std::size_t count = pickle.value().values.size();
  if (pickle.value().root >= count || pickle.value().size > size) std::abort();
  for (const chop::PickleValue& value : pickle.value().values) {
    for (const chop::PickleId id : value.items)
      if (id >= count) std::abort();
    if (value.kind == chop::PickleKind::Dict && value.items.size() % 2 != 0) std::abort();
    if (value.kind == chop::PickleKind::Call && value.items.size() != 2) std::abort();
  }
  return 0;
}
