// Multiplications and additions stay apart, as PyTorch's do, so every vector width gives the
// same bits.
#include "train/adam_step.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/adam_step.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef CH_ADAM_NUMBERS
#define CH_ADAM_NUMBERS
namespace chop::train {
/// One step's numbers, and the arrays it goes over.
struct AdamNumbers {
  float beta1, beta2, rest1, rest2, rate, scale, eps, decay, shrink;
  float* w;
  const float* grad;
  float* m;
  float* v;
};
}  // namespace chop::train
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::train::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

template <class D>
HWY_INLINE void adam_vector(D d, const AdamNumbers& n, std::size_t i) {
  const auto set = [&](float x) HWY_ATTR { return hn::Set(d, x); };
  const auto old = hn::Mul(hn::LoadU(d, n.w + i), set(n.shrink));
  const auto g = hn::Add(hn::LoadU(d, n.grad + i), hn::Mul(set(n.decay), old));
  const auto m = hn::Add(hn::Mul(set(n.beta1), hn::LoadU(d, n.m + i)), hn::Mul(set(n.rest1), g));
  const auto v =
      hn::Add(hn::Mul(set(n.beta2), hn::LoadU(d, n.v + i)), hn::Mul(hn::Mul(set(n.rest2), g), g));
  const auto below = hn::Add(hn::Mul(hn::Sqrt(v), set(n.scale)), set(n.eps));
  hn::StoreU(m, d, n.m + i);
  hn::StoreU(v, d, n.v + i);
  hn::StoreU(hn::Sub(old, hn::Div(hn::Mul(set(n.rate), m), below)), d, n.w + i);
}

void adam_sweep(const AdamNumbers& n, std::size_t first, std::size_t last) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> single;
  std::size_t i = first;
  for (; i + hn::Lanes(d) <= last; i += hn::Lanes(d)) adam_vector(d, n, i);
  for (; i < last; ++i) adam_vector(single, n, i);
}

}  // namespace
}  // namespace chop::train::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::train {
HWY_EXPORT(adam_sweep);

void adam_step(const OptimiserStep& step, bool decoupled) {
  const OptimiserSettings& s = step.settings;
  const auto t = static_cast<double>(step.number);
  const AdamNumbers numbers{
      .beta1 = static_cast<float>(s.beta1),
      .beta2 = static_cast<float>(s.beta2),
      .rest1 = static_cast<float>(1 - s.beta1),
      .rest2 = static_cast<float>(1 - s.beta2),
      .rate = static_cast<float>(step.learning_rate / (1 - std::pow(s.beta1, t))),
      .scale = static_cast<float>(1 / std::sqrt(1 - std::pow(s.beta2, t))),
      .eps = static_cast<float>(s.eps),
      .decay = static_cast<float>(decoupled ? 0 : s.weight_decay),
      .shrink = static_cast<float>(decoupled ? 1 - step.learning_rate * s.weight_decay : 1),
      .w = step.values.data(),
      .grad = step.gradients.data(),
      .m = step.slots[0].data(),
      .v = step.slots[1].data()};
  step.in_shares([&](std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(adam_sweep)(numbers, first, last);
  });
}

}  // namespace chop::train
#endif
