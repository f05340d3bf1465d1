// links: ch_io
// Whatever text arrives, the reader answers with a table or an Error: it never crashes, and the
// texts of a table are indices into the categories of their columns.
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "io/tables/arff.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto table = chop::parse_arff(text, "fuzz");
  if (!table) return table.error().what.empty() ? (std::abort(), 0) : 0;
  const chop::Tensor& values = table.value().values;
  const auto& columns = table.value().columns;
  const auto width = static_cast<std::int64_t>(columns.size());
  if (values.rank() != 2 || values.dim(1) != width || values.size() == 0) std::abort();
  for (std::int64_t i = 0; i < values.size(); ++i) {
    const auto& column = columns[static_cast<std::size_t>(i % width)];
    if (!column.is_text) continue;
    if (!(values.at(i) >= 0 && values.at(i) < static_cast<double>(column.categories.size())))
      std::abort();
  }
  return 0;
}
