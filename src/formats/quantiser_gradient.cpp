// Gradients through a format: straight through, clipped, or with a learned step.
#include <cstring>

#include "formats/quantiser.hpp"

namespace chop::formats {

std::string_view name_of(GradientRule rule) {
  static constexpr std::array<std::string_view, 3> kNames = {"straight-through", "clipped",
                                                             "learned"};
  return kNames.at(static_cast<std::size_t>(rule));
}

void Quantiser::gradient(const float* x, const float* dy, float* dx, std::span<const float> learned,
                         std::span<float> d_learned) {
  switch (def_->gradient) {
    case GradientRule::StraightThrough:
      if (dx != dy && count_ > 0)
        std::memcpy(dx, dy, static_cast<std::size_t>(count_) * sizeof(float));
      return;
    case GradientRule::Clipped:
      for (std::int64_t i = 0; i < count_; ++i) dx[i] = std::fabs(x[i]) <= 1 ? dy[i] : 0.0F;
      return;
    case GradientRule::Learned:
      find_learned(x, learned);
      learned_gradient(x, dy, dx, d_learned);
      return;
  }
}

/// With v = x / s, where s is the step of the group's grid: inside (low, high), dq/dx = 1 and dq/ds
/// = round(v) - v; beyond, dq/dx = 0 and dq/ds is the bound. The step's gradient is scaled by 1 /
/// √(high · n).
void Quantiser::learned_gradient(const float* x, const float* dy, float* dx,
                                 std::span<float> d_learned) {
  assert(def_->grid != nullptr && "a learned step is the step of a grid");
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::fill(counts_.begin(), counts_.end(), 0);
  Element element = base_;
  tiles_->for_each_run([&](std::int64_t group, std::int64_t offset, std::int64_t length) {
    const auto g = static_cast<std::size_t>(group);
    element = base_;
    def_->restore(element, scratch_[g]);
    const Grid grid = def_->grid(element);
    double sum = 0;
    for (std::int64_t i = offset; i < offset + length; ++i) {
      const float v = x[i] / grid.step;
      const bool inside = v > grid.low && v < grid.high;
      const float slope = inside ? std::floor(v + 0.5F) - v : v <= grid.low ? grid.low : grid.high;
      sum += static_cast<double>(dy[i]) * static_cast<double>(slope);
      dx[i] = inside ? dy[i] : 0.0F;
    }
    sums_[g] += sum;
    counts_[g] += length;
  });
  assert((d_learned.empty() || d_learned.size() == sums_.size()) && "one gradient per group");
  for (std::size_t g = 0; g < d_learned.size(); ++g) {
    const double n = static_cast<double>(counts_[g]) * static_cast<double>(def_->grid(base_).high);
    d_learned[g] = static_cast<float>(n > 0 ? sums_[g] / std::sqrt(n) : 0);
  }
}

}  // namespace chop::formats
