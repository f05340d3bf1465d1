// Which rows train, validate and test, and how features are standardised.
#pragma once

#include "data/dataset.hpp"

namespace chop::data {

struct RowSplit {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
};

/// The rows of scikit-learn's train_test_split(range(n), test_size=fraction,
/// random_state=seed), in its order.
RowSplit train_test_split(std::int64_t n, double test_fraction, std::uint32_t seed);

struct Scaler {
  std::vector<double> mean;
  std::vector<double> scale;
};

/// Rows of `width` reals, `stride` apart.
template <class Real>
struct RowTable {
  std::span<const Real> values;
  std::size_t stride = 0;
  std::size_t width = 0;

  const Real* row(std::size_t index) const { return values.data() + index * stride; }
};

/// scikit-learn's StandardScaler, to the bit for rows in this order: population variance by
/// the corrected two-pass sum in double; constant columns have scale 1.
template <class Real>
Scaler fit_scaler(const RowTable<Real>& table, std::span<const std::uint32_t> rows, int threads);

/// The chosen rows as F32 [rows, width], after (x - mean) / scale in double when a scaler
/// with columns is given.
template <class Real>
Tensor take_rows(const RowTable<Real>& table, std::span<const std::uint32_t> rows,
                 const Scaler& scaler, int threads);

/// Rows begin .. end of a split, copied. The bytes may be anywhere, also in a mapped file.
struct SplitBytes {
  Shape shape;         ///< of x
  const std::byte* x;  ///< F32
  const std::byte* y;  ///< I64
};
Split copy_split(const SplitBytes& from, std::int64_t begin, std::int64_t end, int threads);
SplitBytes bytes_of(const Split& split);

/// How many of the train rows validate; an error when a part would be empty or an option
/// is out of range. 0 for Validation::Train.
Result<std::int64_t> validation_rows(std::int64_t train_rows, const DataOptions& options);

/// Fills train and validation of the data set: the last rows of `all` validate, the others
/// train; or both are all rows.
Status split_validation(Dataset& dataset, Split all, const DataOptions& options);

/// As above for files whose rows may be sorted by class: the validation rows are chosen by a fixed
/// permutation, the train rows keep their order.
Status split_validation_shuffled(Dataset& dataset, Split all, const DataOptions& options);

/// options.threads, or the number of cores.
int threads_of(const DataOptions& options);

/// The seed of the split: 42 unless the options say otherwise.
std::uint32_t split_seed(const DataOptions& options);

/// The first `rows` rows; all of them where there are no more, or for 0.
Split first_rows(const Split& split, std::int64_t rows);

}  // namespace chop::data
