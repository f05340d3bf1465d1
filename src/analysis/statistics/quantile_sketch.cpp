#include "analysis/statistics/quantile_sketch.hpp"

#include <cstring>

#include "analysis/statistics/stat_loops.hpp"
#include "support/system/big_memory.hpp"

namespace chop::analysis {
namespace {

constexpr std::uint32_t kSign = 0x80000000U;

/// The end of the bin next to zero.
double value_of(std::uint32_t key, int shift) {
  const std::uint64_t low = std::uint64_t{key} << shift;
  const auto bits = static_cast<std::uint32_t>(low);
  if ((bits & kSign) != 0) return static_cast<double>(__builtin_bit_cast(float, bits ^ kSign));
  const auto dropped = static_cast<std::uint32_t>((std::uint64_t{1} << shift) - 1);
  return static_cast<double>(__builtin_bit_cast(float, ~(bits | dropped))) + 0.0;
}

/// Merges neighbours with the same key.
void join_equal(std::vector<ValueBin>& bins) {
  std::size_t kept = 0;
  for (const ValueBin& bin : bins) {
    if (kept > 0 && bins[kept - 1].key == bin.key)
      bins[kept - 1].count += bin.count;
    else
      bins[kept++] = bin;
  }
  bins.resize(kept);
}

}  // namespace

std::uint32_t ordered_bits(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value + 0.0F);
  const std::uint32_t flip = (bits & kSign) != 0 ? 0xffffffffU : kSign;
  return bits ^ flip;
}

PagedBins::PagedBins() : memory_(allocate_sparse(kKeys * sizeof(std::uint16_t))) {}

/// Four at a time, with one test for overflow of their counts.
void PagedBins::count(std::span<const std::uint32_t> keys) {
  std::uint16_t* const counts = reinterpret_cast<std::uint16_t*>(memory_.get());
  const auto add = [&](std::uint32_t key) { return ++counts[key] == 0 ? 1U : 0U; };
  const auto note = [&](std::uint32_t key, unsigned full) {
    if (full != 0) more_[key] += kFull;
  };
  std::size_t i = 0;
  for (; i + 4 <= keys.size(); i += 4) {
    const unsigned first = add(keys[i]);
    const unsigned second = add(keys[i + 1]);
    const unsigned third = add(keys[i + 2]);
    const unsigned fourth = add(keys[i + 3]);
    if ((first | second | third | fourth) == 0) [[likely]]
      continue;
    note(keys[i], first);
    note(keys[i + 1], second);
    note(keys[i + 2], third);
    note(keys[i + 3], fourth);
  }
  for (; i < keys.size(); ++i) note(keys[i], add(keys[i]));
}

/// Zeros are counted separately: a ReLU makes many of them, and incrementing one count repeatedly
/// is slower than incrementing many.
void PagedBins::add(std::span<const float> values) {
  constexpr std::size_t kAtOnce = 1024;
  std::array<std::uint32_t, kAtOnce> keys;
  while (!values.empty()) {
    const std::span<const float> now = values.first(std::min(values.size(), kAtOnce));
    const std::size_t found = nonzero_keys(now, kShift, keys.data());
    count({keys.data(), found});
    if (found < now.size()) more_[ordered_bits(0) >> kShift] += now.size() - found;
    values = values.subspan(now.size());
  }
}

std::span<const std::uint16_t> PagedBins::page(std::size_t p) const {
  static constexpr std::array<std::uint16_t, kPage> kNothing{};
  const std::uint16_t* counts = reinterpret_cast<const std::uint16_t*>(memory_.get()) + p * kPage;
  if (std::memcmp(counts, kNothing.data(), sizeof kNothing) == 0) return {};
  return {counts, kPage};
}

std::vector<ValueBin> PagedBins::bins() const {
  std::vector<ValueBin> found;
  for (std::size_t p = 0; p < kKeys / kPage; ++p) {
    const std::span<const std::uint16_t> counts = page(p);
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 0) found.push_back({static_cast<std::uint32_t>(p * kPage + i), counts[i]});
  }
  const auto paged = static_cast<std::ptrdiff_t>(found.size());
  for (const auto& [key, count] : more_) found.push_back({key, count});
  std::inplace_merge(found.begin(), found.begin() + paged, found.end(),
                     [](const ValueBin& a, const ValueBin& b) { return a.key < b.key; });
  join_equal(found);
  return found;
}

std::size_t PagedBins::size_in_bytes() const {
  std::size_t bytes = more_.size() * sizeof(ValueBin);
  for (std::size_t p = 0; p < kKeys / kPage; ++p) bytes += page(p).size_bytes();
  return bytes;
}

void SortedBins::add(float value) {
  if (waiting_.empty()) waiting_.reserve(room_);
  waiting_.push_back(ordered_bits(value));
  if (waiting_.size() >= room_) sort_in();
}

void SortedBins::sort_in() {
  std::vector<ValueBin> more;
  more.reserve(bins_.size() + waiting_.size());
  std::sort(waiting_.begin(), waiting_.end());
  auto old = bins_.begin();
  for (const std::uint32_t bits : waiting_) {
    const std::uint32_t key = bits >> shift_;
    for (; old != bins_.end() && old->key <= key; ++old) more.push_back(*old);
    more.push_back({key, 1});
  }
  more.insert(more.end(), old, bins_.end());
  waiting_.clear();
  join_equal(more);
  while (more.size() > most_) {
    ++shift_;
    for (ValueBin& bin : more) bin.key >>= 1U;
    join_equal(more);
  }
  bins_.assign(more.begin(), more.end());
}

std::vector<ValueBin> SortedBins::bins() const {
  SortedBins settled = *this;
  settled.sort_in();
  return settled.bins_;
}

int SortedBins::shift() const {
  SortedBins settled = *this;
  settled.sort_in();
  return settled.shift_;
}

std::size_t SortedBins::size_in_bytes() const {
  return bins_.size() * sizeof(ValueBin) + waiting_.size() * sizeof(std::uint32_t);
}

QuantileSketch::QuantileSketch(std::size_t groups) : extents_(groups) {
  constexpr std::size_t kFew = 8;
  if (groups <= kFew) {
    paged_.resize(groups);
    return;
  }
  const std::size_t most = std::clamp<std::size_t>((1U << 20U) / groups, 64, 8192);
  const std::size_t waiting = std::clamp<std::size_t>((1U << 20U) / groups, 8, 4096);
  sorted_.assign(groups, SortedBins(most, waiting));
}

void QuantileSketch::add_span(std::size_t g, std::span<const float> values) {
  extents_[g].add(values);
  if (!paged_.empty()) return paged_[g].add(values);
  for (const float value : values) sorted_[g].add(value);
}

void QuantileSketch::add_lanes(std::span<const float> values) {
  for (std::size_t g = 0; g < values.size(); ++g) {
    extents_[g].add(values[g]);
    if (paged_.empty())
      sorted_[g].add(values[g]);
    else
      paged_[g].add(values.subspan(g, 1));
  }
}

std::vector<double> QuantileSketch::at(std::size_t g, std::span<const double> positions) const {
  const Extent& ends = extents_[g];
  if (ends.nan != 0 || ends.least > ends.most)  // a NaN, or nothing at all
    return std::vector<double>(positions.size(), std::numeric_limits<double>::quiet_NaN());
  const std::vector<ValueBin> bins = paged_.empty() ? sorted_[g].bins() : paged_[g].bins();
  const int shift = paged_.empty() ? sorted_[g].shift() : PagedBins::kShift;
  std::vector<std::uint64_t> up_to;  // how many values are in a bin or below it
  std::uint64_t total = 0;
  for (const ValueBin& bin : bins) up_to.push_back(total += bin.count);
  const auto least = static_cast<double>(ends.least);
  const auto most = static_cast<double>(ends.most);
  const auto ranked = [&](std::uint64_t rank) {
    if (rank == 0) return least;
    if (rank + 1 >= total) return most;
    const auto bin = std::upper_bound(up_to.begin(), up_to.end(), rank) - up_to.begin();
    return std::clamp(value_of(bins[static_cast<std::size_t>(bin)].key, shift), least, most);
  };
  std::vector<double> found;
  for (const double position : positions) {
    const double below = std::floor(position);
    const auto rank = static_cast<std::uint64_t>(below);
    const double low = ranked(rank);
    const double part = position - below;
    // Equal neighbours, infinities among them, need no arithmetic.
    const double high = part > 0 ? ranked(rank + 1) : low;
    found.push_back(high == low ? low : low + (high - low) * part);
  }
  return found;
}

double QuantileSketch::relative_error() const {
  int shift = PagedBins::kShift;
  for (const SortedBins& bins : sorted_) shift = std::max(shift, bins.shift());
  return std::min(1.0, std::ldexp(1.0, shift - 23));
}

std::size_t QuantileSketch::size_in_bytes() const {
  std::size_t bytes = extents_.size() * sizeof(Extent);
  for (const PagedBins& bins : paged_) bytes += bins.size_in_bytes();
  for (const SortedBins& bins : sorted_) bytes += bins.size_in_bytes();
  return bytes;
}

}  // namespace chop::analysis
