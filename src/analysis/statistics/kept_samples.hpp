// Samples in the order they came, in chunks, so that growing never copies old ones.
#pragma once

#include "analysis/statistics/stat_groups.hpp"

namespace chop::analysis {

class KeptSamples {
 public:
  explicit KeptSamples(std::size_t elements) : elements_(elements) {}

  void add(const float* samples, std::int64_t count);
  void clear() { *this = KeptSamples(elements_); }

  std::int64_t count() const { return count_; }
  std::size_t elements() const { return elements_; }  ///< of a sample
  std::int64_t size_in_bytes() const {
    return count_ * static_cast<std::int64_t>(elements_ * sizeof(float));
  }

  /// Calls take(first sample, how many) for each chunk.
  template <class Take>
  void visit(Take&& take) const {
    for (const std::vector<float>& chunk : chunks_)
      take(chunk.data(), elements_ == 0 ? 0 : static_cast<std::int64_t>(chunk.size() / elements_));
  }

  /// All elements of group `g`, in the order they came.
  std::vector<float> gather(const StatGroups& groups, std::size_t g) const;

 private:
  std::size_t elements_;
  std::int64_t count_ = 0;
  std::vector<std::vector<float>> chunks_;  ///< whole samples each
};

}  // namespace chop::analysis
