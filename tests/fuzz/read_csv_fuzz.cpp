// links: ch_io
// Whatever text arrives, the reader answers with a table or an Error: it never crashes, and a
// table has the shape its columns and categories say. The first byte chooses the options.
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "io/tables/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  chop::CsvOptions options{.dtype = (data[0] & 1U) != 0 ? chop::DType::F32 : chop::DType::F64};
  if ((data[0] & 2U) != 0) options.text_column = [](std::size_t count, auto) { return count - 1; };
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto table = chop::parse_csv(text, "fuzz", options);
  if (!table) return table.error().what.empty() ? (std::abort(), 0) : 0;
  const chop::Tensor& values = table.value().values;
  if (values.rank() != 2 || values.dtype() != options.dtype || values.size() == 0) std::abort();
  const auto columns = static_cast<std::size_t>(values.dim(1));
  if (!table.value().columns.empty() && table.value().columns.size() != columns) std::abort();
  const auto kinds = static_cast<double>(table.value().categories.size());
  for (std::int64_t row = 0; kinds > 0 && row < values.dim(0); ++row) {
    const double label = values.at((row + 1) * values.dim(1) - 1);
    if (!(label >= 0 && label < kinds)) std::abort();
  }
  return 0;
}
