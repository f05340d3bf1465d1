// Checks on the rows of a table: duplicates, NaN and infinity, labels.
#pragma once

#include "tensor/tensor.hpp"

namespace chop::data {

/// The rows that occur for the first time, ascending, as pandas' drop_duplicates keeps them:
/// 0 equals -0 and NaN equals NaN. Rows have `width` values, and a label where labels are
/// given.
std::vector<std::uint32_t> first_occurrences(std::span<const double> values, std::size_t width,
                                             std::span<const std::uint8_t> labels, int threads);

/// An error naming row (from 0) and column of the first NaN or infinity. `columns` may be
/// empty: then columns are numbered from 0.
template <class Real>
Status check_finite(std::span<const Real> values, std::size_t width,
                    std::span<const std::string> columns, const std::string& name, int threads);

/// Labels as I64 [n]: whole numbers from 0, one for each of `rows` rows, in a tensor of any
/// dtype and shape [n] or [n, 1].
Result<Tensor> labels_from(const Tensor& labels, std::int64_t rows, const std::string& name);

/// 1 + the largest label.
std::int64_t count_classes(std::span<const std::int64_t> labels);

/// "0", "1", ...
std::vector<std::string> numbered_classes(std::int64_t count);

}  // namespace chop::data
