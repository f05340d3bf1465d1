// A quantile sketch: a log-linear histogram of floats by their leading bits, as HdrHistogram's,
// with the kind of guarantee that DDSketch gives (Masson et al. 2019). Any quantile of any number
// of values, in bounded memory, within a relative error that is known beforehand.
//
// A bin holds all floats that share sign, exponent and the leading 11 bits of the mantissa: 3.14159
// falls into the bin from 3.140625 to 3.142578. The bin is reported as its end next to zero,
// here 3.140625, so a value v comes out as v' with |v'| <= |v| and |v - v'| <= error |v| (2^-11
// where memory allows; values of up to 12 significant bits come out exactly), whatever the
// distribution. Below the normal range (2^-126) the error is absolute. Ranks are exact: every value
// is counted. What is counted does not depend on the order.
#pragma once

#include "analysis/statistics/extent.hpp"

namespace chop::analysis {

/// Floats as unsigned integers of the same order; -0 is 0. NaN must not be given.
std::uint32_t ordered_bits(float value);

struct ValueBin {
  std::uint32_t key = 0;  ///< ordered bits without the dropped ones
  std::uint64_t count = 0;
};

/// A table of counts for all keys, in virtual memory: only pages with values take memory. Fast; at
/// most 2 MiB and an entry for every 2^16 values. Counts have 16 bits, so that those in use stay in
/// the cache.
class PagedBins {
 public:
  static constexpr int kShift = 12;  ///< bits dropped

  PagedBins();
  PagedBins(PagedBins&&) = default;
  PagedBins& operator=(PagedBins&&) = default;

  void add(std::span<const float> values);
  std::vector<ValueBin> bins() const;
  std::size_t size_in_bytes() const;

 private:
  static constexpr std::size_t kKeys = std::size_t{1} << (32 - kShift);
  static constexpr std::size_t kPage = 2048;
  static constexpr std::uint64_t kFull = std::uint64_t{1} << 16U;

  void count(std::span<const std::uint32_t> keys);
  /// The counts of a page, or nothing if they are all 0.
  std::span<const std::uint16_t> page(std::size_t p) const;

  std::shared_ptr<std::byte[]> memory_;  ///< a count per key
  std::map<std::uint32_t, std::uint64_t>
      more_;  ///< by key: what 16 bits could not count, and zeros
};

/// A sorted list of at most `most` bins, and a buffer of values that are not sorted in yet. When
/// there are more bins, one more bit is dropped, which merges neighbours.
class SortedBins {
 public:
  SortedBins(std::size_t most, std::size_t waiting) : most_(most), room_(waiting) {}

  void add(float value);
  /// Including the buffered values.
  std::vector<ValueBin> bins() const;
  int shift() const;
  std::size_t size_in_bytes() const;

 private:
  void sort_in();

  std::size_t most_;
  std::size_t room_;
  int shift_ = PagedBins::kShift;
  std::vector<ValueBin> bins_;
  std::vector<std::uint32_t> waiting_;
};

/// One sketch per group. Extremes are exact; a group with a NaN has NaN for every quantile.
class QuantileSketch {
 public:
  explicit QuantileSketch(std::size_t groups);

  void add_span(std::size_t g, std::span<const float> values);
  void add_lanes(std::span<const float> values);

  /// For each of `positions` (rank from 0, between two ranks linearly interpolated).
  std::vector<double> at(std::size_t g, std::span<const double> positions) const;
  /// The largest error of a reported value, relative to the value.
  double relative_error() const;
  std::size_t size_in_bytes() const;

 private:
  std::vector<Extent> extents_;
  std::vector<PagedBins> paged_;    ///< few groups
  std::vector<SortedBins> sorted_;  ///< many
};

}  // namespace chop::analysis
