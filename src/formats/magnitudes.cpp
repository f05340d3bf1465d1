#include "formats/magnitudes.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "formats/magnitudes.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace chop::formats::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

/// One vector of sums after the other over all rows, which are few enough to stay in the cache.
std::int64_t add(std::span<const float> x, float threshold, std::array<float, 32>& sums) {
  const hn::CappedTag<float, 32> tag;
  const auto least = hn::Set(tag, threshold);
  const auto most = hn::Set(tag, std::numeric_limits<float>::max());
  std::size_t counted = 0;
  for (std::size_t k = 0; k < sums.size(); k += hn::Lanes(tag)) {
    auto sum = hn::LoadU(tag, sums.data() + k);
    for (std::size_t i = k; i < x.size(); i += sums.size()) {
      const auto a = hn::Abs(hn::LoadU(tag, x.data() + i));
      const auto counts = hn::And(hn::Gt(a, least), hn::Le(a, most));
      counted += hn::CountTrue(tag, counts);
      sum = hn::Add(sum, hn::IfThenElseZero(counts, a));
    }
    hn::StoreU(sum, tag, sums.data() + k);
  }
  return static_cast<std::int64_t>(counted);
}

}  // namespace
}  // namespace chop::formats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::formats {
HWY_EXPORT(add);

std::int64_t add_magnitudes(std::span<const float> x, float threshold,
                            std::array<float, 32>& sums) {
  assert(x.size() % sums.size() == 0 && "whole rows");
  return HWY_DYNAMIC_DISPATCH(add)(x, threshold, sums);
}

}  // namespace chop::formats
#endif
