// The loops over the vector forms of fast-inl.hpp, and the choice of one for an element.
#include "formats/fast.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "formats/fast.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "formats/fast-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::formats::HWY_NAMESPACE {
namespace {

template <class F>
void map(const Element& element, const float* x, float* y, std::int64_t count) {
  const F f(element);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const V a = f(hn::LoadU(kTag, x + i));
    const V b = f(hn::LoadU(kTag, x + i + lanes));
    const V c = f(hn::LoadU(kTag, x + i + 2 * lanes));
    const V d = f(hn::LoadU(kTag, x + i + 3 * lanes));
    hn::StoreU(a, kTag, y + i);
    hn::StoreU(b, kTag, y + i + lanes);
    hn::StoreU(c, kTag, y + i + 2 * lanes);
    hn::StoreU(d, kTag, y + i + 3 * lanes);
  }
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(hn::LoadU(kTag, x + i)), kTag, y + i);
  if (i == count) return;
  const M rest = hn::FirstN(kTag, static_cast<std::size_t>(count - i));
  hn::BlendedStore(f(hn::MaskedLoad(rest, kTag, x + i)), rest, kTag, y + i);
}

void run(const Element& e, const float* x, float* y, std::int64_t count) {
  switch (e.kind) {
    case Kind::Identity:
      if (x != y) std::memcpy(y, x, static_cast<std::size_t>(count) * sizeof(float));
      return;
    case Kind::Fixed:
      return e.floor ? map<FixedFloor>(e, x, y, count) : map<Fixed>(e, x, y, count);
    case Kind::Scaled:
      return map<Scaled>(e, x, y, count);
    case Kind::Step:
      return map<Step>(e, x, y, count);
    case Kind::Affine:
      return map<Affine>(e, x, y, count);
    case Kind::Denorm:
      return map<Denorm>(e, x, y, count);
    case Kind::Ieee:
      return map<Ieee>(e, x, y, count);
    case Kind::Log:
      return e.e_min < -126 ? map<Log<true>>(e, x, y, count) : map<Log<false>>(e, x, y, count);
    case Kind::BlockFp:
      return map<BlockFp>(e, x, y, count);
    case Kind::Mx:
      return map<Mx>(e, x, y, count);
    case Kind::Sign:
      return e.strict ? map<Sign<true>>(e, x, y, count) : map<Sign<false>>(e, x, y, count);
    case Kind::Residual:
      return map<Residual>(e, x, y, count);
    case Kind::Ternary:
      return map<Ternary>(e, x, y, count);
  }
}

float largest(const float* x, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const V top = set(std::numeric_limits<float>::max());
  const auto larger = [&](V most, V at) {
    const V a = hn::Abs(at);
    const V finite = where(hn::Gt(a, top), top, a);
    return where(hn::Gt(finite, most), finite, most);
  };
  V most = set(0.0F);
  V other = set(0.0F);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    most = larger(most, hn::LoadU(kTag, x + i));
    other = larger(other, hn::LoadU(kTag, x + i + lanes));
  }
  for (; i + lanes <= count; i += lanes) most = larger(most, hn::LoadU(kTag, x + i));
  if (i < count) {
    const M rest = hn::FirstN(kTag, static_cast<std::size_t>(count - i));
    most = larger(most, hn::MaskedLoad(rest, kTag, x + i));
  }
  return hn::GetLane(hn::MaxOfLanes(kTag, hn::Max(most, other)));
}

}  // namespace
}  // namespace chop::formats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::formats {
HWY_EXPORT(run);
HWY_EXPORT(largest);

bool has_fast_loop(const Element& e) {
  switch (e.kind) {
    case Kind::Denorm:
    case Kind::Ieee:
      // Magnitudes above 1e-8 have exponents above -28, unless e_max presses them down.
      return std::min(std::max(e.e_min, -31), e.e_max) - e.mantissa >= -126;
    case Kind::Mx:
      return e.e_min - e.mantissa >= -126 && e.e_max - e.mantissa <= 126;
    case Kind::Sign:
      return !e.stochastic;
    default:
      return true;
  }
}

void quantise_run(const Element& element, const float* x, float* y, std::int64_t count) {
  assert(has_fast_loop(element) && "the caller asks first");
  HWY_DYNAMIC_DISPATCH(run)(element, x, y, count);
}

float abs_max(const float* x, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(largest)(x, count);
}

}  // namespace chop::formats
#endif
