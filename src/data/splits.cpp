#include "data/splits.hpp"

#include <cstring>

#include "data/numpy_random.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

constexpr std::size_t kRowsOfTask = 8192;  // rows per task

template <class Body>
void for_blocks(std::size_t count, int threads, const Body& body) {
  const auto blocks = static_cast<std::int64_t>((count + kRowsOfTask - 1) / kRowsOfTask);
  parallel_for(threads, blocks, [&](std::int64_t block) {
    const std::size_t begin = static_cast<std::size_t>(block) * kRowsOfTask;
    body(begin, std::min(begin + kRowsOfTask, count));
  });
}

/// Columns first .. last: sums run over the rows one after the other, as numpy's do.
template <class Real>
void fit_columns(const RowTable<Real>& table, std::span<const std::uint32_t> rows,
                 std::size_t first, std::size_t last, Scaler& scaler) {
  const std::size_t count = last - first;
  const auto n = static_cast<double>(rows.size());
  std::vector<double> mean(count, 0);
  for (const std::uint32_t row : rows) {
    const Real* x = table.row(row) + first;
    for (std::size_t j = 0; j < count; ++j) mean[j] += static_cast<double>(x[j]);
  }
  for (double& value : mean) value /= n;
  std::vector<double> correction(count, 0);
  std::vector<double> squares(count, 0);
  for (const std::uint32_t row : rows) {
    const Real* x = table.row(row) + first;
    for (std::size_t j = 0; j < count; ++j) {
      const double d = static_cast<double>(x[j]) - mean[j];
      correction[j] += d;
      squares[j] += d * d;
    }
  }
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  for (std::size_t j = 0; j < count; ++j) {
    const double variance = (squares[j] - correction[j] * correction[j] / n) / n;
    const double rounding = n * mean[j] * kEps;
    const bool constant = variance <= n * kEps * variance + rounding * rounding;
    scaler.mean[first + j] = mean[j];
    scaler.scale[first + j] = constant ? 1 : std::sqrt(variance);
  }
}

}  // namespace

RowSplit train_test_split(std::int64_t n, double test_fraction, std::uint32_t seed) {
  const std::vector<std::uint32_t> rows = NumpyRandom(seed).permutation(n);
  const auto test = static_cast<std::ptrdiff_t>(std::ceil(test_fraction * static_cast<double>(n)));
  return {.train = {rows.begin() + test, rows.end()}, .test = {rows.begin(), rows.begin() + test}};
}

template <class Real>
Scaler fit_scaler(const RowTable<Real>& table, std::span<const std::uint32_t> rows, int threads) {
  assert(!rows.empty() && "the mean of no rows");
  Scaler scaler{.mean = std::vector<double>(table.width),
                .scale = std::vector<double>(table.width)};
  constexpr std::size_t kColumns = 8;  // one cache line of doubles
  const auto tasks = static_cast<std::int64_t>((table.width + kColumns - 1) / kColumns);
  parallel_for(threads, tasks, [&](std::int64_t task) {
    const std::size_t first = static_cast<std::size_t>(task) * kColumns;
    fit_columns(table, rows, first, std::min(first + kColumns, table.width), scaler);
  });
  return scaler;
}

template <class Real>
Tensor take_rows(const RowTable<Real>& table, std::span<const std::uint32_t> rows,
                 const Scaler& scaler, int threads) {
  const std::size_t width = table.width;
  Tensor result(DType::F32,
                {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(width)});
  float* const out = result.mutable_data<float>().data();
  const bool scaled = !scaler.mean.empty();
  for_blocks(rows.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Real* x = table.row(rows[i]);
      float* y = out + i * width;
      for (std::size_t j = 0; j < width; ++j) {
        const auto value = static_cast<double>(x[j]);
        y[j] = static_cast<float>(scaled ? (value - scaler.mean[j]) / scaler.scale[j] : value);
      }
    }
  });
  return result;
}

template Scaler fit_scaler(const RowTable<float>&, std::span<const std::uint32_t>, int);
template Scaler fit_scaler(const RowTable<double>&, std::span<const std::uint32_t>, int);
template Tensor take_rows(const RowTable<float>&, std::span<const std::uint32_t>, const Scaler&,
                          int);
template Tensor take_rows(const RowTable<double>&, std::span<const std::uint32_t>, const Scaler&,
                          int);

SplitBytes bytes_of(const Split& split) {
  return {.shape = split.x.shape(), .x = split.x.bytes(), .y = split.y.bytes()};
}

Split copy_split(const SplitBytes& from, std::int64_t begin, std::int64_t end, int threads) {
  const std::int64_t count = end - begin;
  Shape shape = from.shape;
  shape[0] = count;
  Split split{.x = Tensor(DType::F32, shape), .y = Tensor(DType::I64, {count})};
  if (count == 0) return split;
  const std::size_t row = split.x.size_in_bytes() / static_cast<std::size_t>(count);
  const auto offset = static_cast<std::size_t>(begin);
  std::byte* const x = split.x.mutable_bytes();
  for_blocks(static_cast<std::size_t>(count), threads, [&](std::size_t first, std::size_t last) {
    std::memcpy(x + first * row, from.x + (offset + first) * row, (last - first) * row);
  });
  std::memcpy(split.y.mutable_bytes(), from.y + offset * sizeof(std::int64_t),
              split.y.size_in_bytes());
  return split;
}

Result<std::int64_t> validation_rows(std::int64_t train_rows, const DataOptions& options) {
  if (options.validation == Validation::Train) return std::int64_t{0};
  const double fraction = options.validation_fraction;
  if (!(fraction > 0 && fraction < 1))
    return Error{.what = cat("a validation fraction of ", python_repr(fraction), " is impossible"),
                 .hint = "a number between 0 and 1, such as 0.1"};
  if (train_rows < 2)
    return Error{
        .what = cat(train_rows, train_rows == 1 ? " train row leaves" : " train rows leave",
                    " none for validation"),
        .hint = "give more rows, or --validation train"};
  return std::max(std::int64_t{1}, static_cast<std::int64_t>(
                                       std::floor(fraction * static_cast<double>(train_rows))));
}

Status split_validation(Dataset& dataset, Split all, const DataOptions& options) {
  CH_TRY(const std::int64_t count, validation_rows(all.rows(), options));
  if (count == 0) {
    dataset.validation = all;
    dataset.train = std::move(all);
    return {};
  }
  const std::int64_t rest = all.rows() - count;
  const SplitBytes bytes = bytes_of(all);
  dataset.validation = copy_split(bytes, rest, all.rows(), threads_of(options));
  dataset.train = copy_split(bytes, 0, rest, threads_of(options));
  return {};
}

Status split_validation_shuffled(Dataset& dataset, Split all, const DataOptions& options) {
  CH_TRY(const std::int64_t count, validation_rows(all.rows(), options));
  if (count == 0) return split_validation(dataset, std::move(all), options);
  std::vector<std::uint32_t> rows = NumpyRandom(split_seed(options)).permutation(all.rows());
  const auto middle = rows.begin() + count;
  std::sort(rows.begin(), middle);
  std::sort(middle, rows.end());
  const auto take = [&](std::span<const std::uint32_t> chosen) {
    const auto n = static_cast<std::int64_t>(chosen.size());
    Shape shape = all.x.shape();
    shape[0] = n;
    Split split{.x = Tensor(DType::F32, shape), .y = Tensor(DType::I64, {n})};
    const std::size_t width = split.x.size_in_bytes() / chosen.size();
    std::byte* const x = split.x.mutable_bytes();
    const std::span<std::int64_t> y = split.y.mutable_data<std::int64_t>();
    for_blocks(chosen.size(), threads_of(options), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::memcpy(x + i * width, all.x.bytes() + chosen[i] * width, width);
        y[i] = all.y.data<std::int64_t>()[chosen[i]];
      }
    });
    return split;
  };
  dataset.validation = take({rows.begin(), middle});
  dataset.train = take({middle, rows.end()});
  return {};
}

int threads_of(const DataOptions& options) {
  return options.threads > 0 ? options.threads : hardware_threads();
}

std::uint32_t split_seed(const DataOptions& options) {
  return options.seed == 0 ? 42U : static_cast<std::uint32_t>(options.seed);
}

Split first_rows(const Split& split, std::int64_t rows) {
  if (rows <= 0 || rows >= split.rows()) return split;
  Shape shape = split.x.shape();
  shape[0] = rows;
  const auto values = split.x.data<float>().first(static_cast<std::size_t>(numel(shape)));
  const auto labels = split.y.data<std::int64_t>().first(static_cast<std::size_t>(rows));
  return {.x = Tensor::of<float>(shape, values), .y = Tensor::of<std::int64_t>({rows}, labels)};
}

}  // namespace chop::data
