#include "train/correct.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/correct.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace chop::train::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

/// A vector of rows at a time; returns the rows done.
std::int64_t correct_together(const float* x, std::int64_t rows, std::int64_t classes,
                              const std::int64_t* targets, std::int64_t* count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> ints;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto along = hn::Mul(hn::Iota(ints, 0), hn::Set(ints, static_cast<int>(classes)));
  HWY_ALIGN std::int32_t best[hn::MaxLanes(d)];
  std::int64_t row = 0;
  for (; row + lanes <= rows; row += lanes) {
    const float* in = x + row * classes;
    auto top = hn::GatherIndex(d, in, along);
    auto at = hn::Zero(ints);
    for (std::int64_t j = 1; j < classes; ++j) {
      const auto next = hn::GatherIndex(d, in + j, along);
      const auto better = hn::Gt(next, top);
      top = hn::IfThenElse(better, next, top);
      at = hn::IfThenElse(hn::RebindMask(ints, better), hn::Set(ints, static_cast<int>(j)), at);
    }
    hn::StoreU(at, ints, best);
    for (std::int64_t r = 0; r < lanes; ++r) *count += best[r] == targets[row + r] ? 1 : 0;
  }
  return row;
}

}  // namespace
}  // namespace chop::train::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::train {
HWY_EXPORT(correct_together);

std::int64_t count_correct(std::span<const float> logits, std::int64_t classes,
                           std::span<const std::int64_t> targets) {
  constexpr std::int64_t kFew = 64;  // more of them are not gathered far apart
  const auto rows = static_cast<std::int64_t>(targets.size());
  std::int64_t count = 0;
  std::int64_t row = 0;
  if (classes <= kFew)
    row = HWY_DYNAMIC_DISPATCH(correct_together)(logits.data(), rows, classes, targets.data(),
                                                 &count);
  for (; row < rows; ++row) {
    const float* at = logits.data() + row * classes;
    std::int64_t best = 0;
    for (std::int64_t j = 1; j < classes; ++j)
      if (at[j] > at[best]) best = j;
    count += best == targets[static_cast<std::size_t>(row)] ? 1 : 0;
  }
  return count;
}

}  // namespace chop::train
#endif
