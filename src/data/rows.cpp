#include "data/rows.hpp"

#include <bit>

#include "support/rng.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

constexpr std::size_t kRowsOfBlock = 8192;

/// Bits that are equal exactly when pandas calls the numbers equal.
std::uint64_t key_of(double value) {
  if (value == 0) return 0;
  if (std::isnan(value)) return ~std::uint64_t{0};
  return std::bit_cast<std::uint64_t>(value);
}

struct Rows {
  std::span<const double> values;
  std::size_t width;
  std::span<const std::uint8_t> labels;

  std::uint8_t label(std::size_t row) const {
    return labels.empty() ? std::uint8_t{0} : labels[row];
  }
  std::uint64_t hash(std::size_t row) const {
    std::uint64_t state = label(row) + 0x9E3779B97F4A7C15;
    const double* x = values.data() + row * width;
    for (std::size_t j = 0; j < width; ++j)
      state = std::rotl(state ^ key_of(x[j]), 29) * 0xBF58476D1CE4E5B9;
    return mix64(state);
  }
  bool equal(std::size_t a, std::size_t b) const {
    const double* x = values.data() + a * width;
    const double* y = values.data() + b * width;
    for (std::size_t j = 0; j < width; ++j)
      if (key_of(x[j]) != key_of(y[j])) return false;
    return label(a) == label(b);
  }
};

}  // namespace

std::vector<std::uint32_t> first_occurrences(std::span<const double> values, std::size_t width,
                                             std::span<const std::uint8_t> labels, int threads) {
  const std::size_t count = values.size() / width;
  assert((labels.empty() || labels.size() == count) && "a label for every row");
  assert(count < std::numeric_limits<std::uint32_t>::max() && "rows are counted in 32 bits");
  const Rows rows{values, width, labels};
  std::vector<std::uint64_t> hashes(count);
  parallel_for(threads, static_cast<std::int64_t>((count + kRowsOfBlock - 1) / kRowsOfBlock),
               [&](std::int64_t block) {
                 const std::size_t begin = static_cast<std::size_t>(block) * kRowsOfBlock;
                 const std::size_t end = std::min(begin + kRowsOfBlock, count);
                 for (std::size_t i = begin; i < end; ++i) hashes[i] = rows.hash(i);
               });
  // Open addressing; a slot holds a row number plus one.
  const std::size_t mask = std::bit_ceil(2 * count + 2) - 1;
  std::vector<std::uint32_t> slots(mask + 1, 0);
  std::vector<std::uint32_t> kept;
  kept.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = hashes[i] & mask;
    bool repeated = false;
    for (; slots[at] != 0 && !repeated; at = (at + 1) & mask) {
      const std::size_t other = slots[at] - 1;
      repeated = hashes[other] == hashes[i] && rows.equal(other, i);
    }
    if (repeated) continue;
    slots[at] = static_cast<std::uint32_t>(i + 1);
    kept.push_back(static_cast<std::uint32_t>(i));
  }
  return kept;
}

template <class Real>
Status check_finite(std::span<const Real> values, std::size_t width,
                    std::span<const std::string> columns, const std::string& name, int threads) {
  constexpr std::size_t kSpan = std::size_t{1} << 16;
  const std::size_t blocks = (values.size() + kSpan - 1) / kSpan;
  std::vector<std::size_t> found(blocks, values.size());
  parallel_for(threads, static_cast<std::int64_t>(blocks), [&](std::int64_t block) {
    const auto b = static_cast<std::size_t>(block);
    const std::span<const Real> part =
        values.subspan(b * kSpan).first(std::min(kSpan, values.size() - b * kSpan));
    // x - x is 0 for finite x and NaN otherwise, and the sum keeps a NaN: no branches.
    Real sum = 0;
    for (const Real value : part) sum += value - value;
    if (sum == 0) return;
    const auto bad =
        std::find_if(part.begin(), part.end(), [](Real v) { return !std::isfinite(v); });
    found[b] = b * kSpan + static_cast<std::size_t>(bad - part.begin());
  });
  for (const std::size_t at : found) {
    if (at == values.size()) continue;
    const std::size_t column = at % width;
    const std::string column_name =
        column < columns.size() ? cat("'", columns[column], "'") : std::to_string(column);
    return Error{.what = cat("'", name, "': row ", at / width, ", column ", column_name, " holds ",
                             exact(values[at])),
                 .notes = {"rows and columns count from 0, without the header line"},
                 .hint = "remove the row or fill in a finite number"};
  }
  return {};
}

template Status check_finite(std::span<const float>, std::size_t, std::span<const std::string>,
                             const std::string&, int);
template Status check_finite(std::span<const double>, std::size_t, std::span<const std::string>,
                             const std::string&, int);

Result<Tensor> labels_from(const Tensor& labels, std::int64_t rows, const std::string& name) {
  constexpr double kMostClasses = 100'000;
  const bool column = labels.rank() == 2 && labels.dim(1) == 1;
  if (labels.rank() != 1 && !column)
    return Error{.what = cat("'", name, "': labels of shape ", to_string(labels.shape())),
                 .hint = "one whole number per sample is needed: shape [n] or [n, 1]"};
  if (labels.size() != rows)
    return Error{.what = cat("'", name, "': ", labels.size(), " labels for ", rows, " samples")};
  Tensor result(DType::I64, {rows});
  const std::span<std::int64_t> out = result.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < rows; ++i) {
    const double label = labels.at(i);
    if (!(label >= 0 && label < kMostClasses) || label != std::floor(label))
      return Error{.what = cat("'", name, "': the label of row ", i, " is ", python_repr(label)),
                   .notes = {"rows count from 0"},
                   .hint = "labels are whole numbers 0, 1, ... below 100,000"};
    out[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(label);
  }
  return result;
}

std::int64_t count_classes(std::span<const std::int64_t> labels) {
  return labels.empty() ? 0 : 1 + *std::max_element(labels.begin(), labels.end());
}

std::vector<std::string> numbered_classes(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace chop::data
