#include "analysis/statistics/kept_samples.hpp"

namespace chop::analysis {

void KeptSamples::add(const float* samples, std::int64_t count) {
  constexpr std::size_t kChunk = 1U << 18U;  // floats: a mebibyte
  count_ += count;
  if (elements_ == 0) return;
  const std::size_t capacity = std::max<std::size_t>(1, kChunk / elements_) * elements_;
  std::size_t left = static_cast<std::size_t>(count) * elements_;
  while (left > 0) {
    if (chunks_.empty() || chunks_.back().size() == capacity) chunks_.emplace_back();
    std::vector<float>& chunk = chunks_.back();
    const std::size_t now = std::min(left, capacity - chunk.size());
    chunk.insert(chunk.end(), samples, samples + now);
    samples += now;
    left -= now;
  }
}

std::vector<float> KeptSamples::gather(const StatGroups& groups, std::size_t g) const {
  std::vector<float> found;
  found.reserve(static_cast<std::size_t>(groups.count(count_)));
  visit([&](const float* from, std::int64_t rows) {
    for (std::int64_t i = 0; i < rows; ++i, from += elements_) {
      if (groups.groups() == 1 && groups.is_all()) {
        found.insert(found.end(), from, from + elements_);
        continue;
      }
      for (std::size_t r = 0; r < groups.per_sample(); ++r)
        found.push_back(from[groups.offset(g, r)]);
    }
  });
  return found;
}

}  // namespace chop::analysis
