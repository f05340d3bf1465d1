// The loops of batch normalisation in SIMD. With s = 1 the vectors run over channels, down the
// rows; otherwise each channel's planes are swept on their own. Sums are kept in a fixed
// number of partial sums. Compiled once per instruction set, from batch_norm.cpp.
#if defined(CH_BATCH_NORM_LOOPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_BATCH_NORM_LOOPS_INL
#undef CH_BATCH_NORM_LOOPS_INL
#else
#define CH_BATCH_NORM_LOOPS_INL
#endif

#include <algorithm>
#include <cmath>

#include "runtime/kernels/batch_norm_job.hpp"
#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::kernels::HWY_NAMESPACE {
using namespace chop::simd::HWY_NAMESPACE;
namespace {

HWY_INLINE V load(M mask, const float* from) {
  return hn::MaskedLoad(mask, kTag, from);
}
/// Some of the channels from c on of an array that may be missing.
HWY_INLINE V load_or(M mask, const float* from, std::int64_t c, float otherwise) {
  return from == nullptr ? set(otherwise) : load(mask, from + c);
}
HWY_INLINE void store(V value, M mask, float* to) {
  hn::BlendedStore(value, mask, kTag, to);
}
HWY_INLINE void store_if(V value, M mask, float* to, std::int64_t c) {
  if (to != nullptr) store(value, mask, to + c);
}

/// The same steps as the elementwise kernel's, so that fusing changes no bit.
HWY_INLINE V clamp_at_zero(V y) {
  return where(hn::Lt(y, zero()), zero(), y);
}
HWY_INLINE V through_relu(V dy, V y) {
  return hn::Mul(dy, where(hn::Gt(y, zero()), one(), zero()));
}

/// Σ f(row) over rows in four partial sums.
template <class F>
V sum_rows(std::int64_t rows, F f) {
  V s0 = zero(), s1 = s0, s2 = s0, s3 = s0;
  std::int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    s0 = hn::Add(s0, f(row));
    s1 = hn::Add(s1, f(row + 1));
    s2 = hn::Add(s2, f(row + 2));
    s3 = hn::Add(s3, f(row + 3));
  }
  for (; row < rows; ++row) s0 = hn::Add(s0, f(row));
  return hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
}

/// Statistics of a group of channels -> what the running ones become.
inline void update_running(const NormJob& job, const NormArgs& a, std::int64_t c, M mask, V mean,
                           V var) {
  const float count = static_cast<float>(job.n * job.s);
  const V keep = set(1 - job.momentum);
  const V rate = set(job.momentum);
  const V unbiased = hn::Mul(var, set(count / (count - 1)));
  if (a.new_mean != nullptr)
    store(hn::MulAdd(rate, mean, hn::Mul(keep, load(mask, a.running_mean + c))), mask,
          a.new_mean + c);
  if (a.new_var != nullptr)
    store(hn::MulAdd(rate, unbiased, hn::Mul(keep, load(mask, a.running_var + c))), mask,
          a.new_var + c);
}

template <bool kRelu>
void norm_some_rows(const NormJob& job, const NormArgs& a) {
  const V inverse_count = set(1.0F / static_cast<float>(job.n));
  for (std::int64_t c = 0; c < job.c; c += lane_count()) {
    const M mask = first(job.c - c);
    const float* x = a.x + c;
    V mean = load_or(mask, a.running_mean, c, 0);
    V var = load_or(mask, a.running_var, c, 1);
    if (job.batch_statistics) {
      mean = hn::Mul(sum_rows(job.n, [&](std::int64_t r) { return load(mask, x + r * job.c); }),
                     inverse_count);
      var = hn::Mul(sum_rows(job.n,
                             [&](std::int64_t r) {
                               const V d = hn::Sub(load(mask, x + r * job.c), mean);
                               return hn::Mul(d, d);
                             }),
                    inverse_count);
      update_running(job, a, c, mask, mean, var);
    }
    const V invstd = hn::Div(one(), hn::Sqrt(hn::Add(var, set(job.eps))));
    store_if(mean, mask, a.mean, c);
    store_if(invstd, mask, a.invstd, c);
    if (a.y == nullptr) continue;
    const V scale = hn::Mul(invstd, load_or(mask, a.weight, c, 1));
    const V shift = load_or(mask, a.bias, c, 0);
    float* y = a.y + c;
    for (std::int64_t r = 0; r < job.n; ++r) {
      const V value = hn::MulAdd(hn::Sub(load(mask, x + r * job.c), mean), scale, shift);
      store(kRelu ? clamp_at_zero(value) : value, mask, y + r * job.c);
    }
  }
}

template <bool kRelu>
void norm_grad_some_rows(const NormJob& job, const NormGradArgs& a) {
  const V inverse_count = set(1.0F / static_cast<float>(job.n));
  for (std::int64_t c = 0; c < job.c; c += lane_count()) {
    const M mask = first(job.c - c);
    const float* x = a.x + c;
    const auto dy = [&](std::int64_t r) {
      const V d = load(mask, a.dy + c + r * job.c);
      return kRelu ? through_relu(d, load(mask, a.y + c + r * job.c)) : d;
    };
    const V mean = load(mask, a.mean + c);
    const V invstd = load(mask, a.invstd + c);
    const V dbias = sum_rows(job.n, dy);
    const V dweight = hn::Mul(invstd, sum_rows(job.n, [&](std::int64_t r) {
                                return hn::Mul(dy(r), hn::Sub(load(mask, x + r * job.c), mean));
                              }));
    store_if(dbias, mask, a.dbias, c);
    store_if(dweight, mask, a.dweight, c);
    if (a.dx == nullptr) continue;
    const V scale = hn::Mul(invstd, load_or(mask, a.weight, c, 1));
    float* dx = a.dx + c;
    const V mean_dy = hn::Mul(dbias, inverse_count);
    const V pull = hn::Mul(hn::Mul(dweight, inverse_count), invstd);
    for (std::int64_t r = 0; r < job.n; ++r) {
      V d = dy(r);
      if (job.batch_statistics)
        d = hn::Sub(hn::Sub(d, mean_dy), hn::Mul(hn::Sub(load(mask, x + r * job.c), mean), pull));
      store(hn::Mul(d, scale), mask, dx + r * job.c);
    }
  }
}

/// Σ f(vector of a plane) over all planes of channel c, as one number.
template <class F>
float sum_planes(const NormJob& job, std::int64_t c, F f) {
  const std::int64_t lanes = lane_count();
  const M all = first(lanes);
  V sum = zero();
  V other = zero();
  for (std::int64_t n = 0; n < job.n; ++n) {
    const std::int64_t base = (n * job.c + c) * job.s;
    std::int64_t i = 0;
    for (; i + 2 * lanes <= job.s; i += 2 * lanes) {
      sum = hn::Add(sum, f(base + i, all));
      other = hn::Add(other, f(base + i + lanes, all));
    }
    for (; i < job.s; i += lanes) {
      const M mask = first(job.s - i);
      sum = hn::Add(sum, hn::IfThenElseZero(mask, f(base + i, mask)));
    }
  }
  return hn::GetLane(hn::SumOfLanes(kTag, hn::Add(sum, other)));
}

template <class F>
void each_vector(const NormJob& job, std::int64_t c, F f) {
  const std::int64_t lanes = lane_count();
  const M all = first(lanes);
  for (std::int64_t n = 0; n < job.n; ++n) {
    const std::int64_t base = (n * job.c + c) * job.s;
    std::int64_t i = 0;
    for (; i + lanes <= job.s; i += lanes) f(base + i, all);
    if (i < job.s) f(base + i, first(job.s - i));
  }
}

template <bool kRelu>
void norm_one_channel(const NormJob& job, const NormArgs& a, std::int64_t c) {
  const float count = static_cast<float>(job.n * job.s);
  float mean = a.running_mean == nullptr ? 0 : a.running_mean[c];
  float var = a.running_var == nullptr ? 1 : a.running_var[c];
  if (job.batch_statistics) {
    mean =
        sum_planes(job, c, [&](std::int64_t at, M mask) { return load(mask, a.x + at); }) / count;
    const V m = set(mean);
    var = sum_planes(job, c,
                     [&](std::int64_t at, M mask) {
                       const V d = hn::Sub(load(mask, a.x + at), m);
                       return hn::Mul(d, d);
                     }) /
          count;
    update_running(job, a, c, first(1), set(mean), set(var));
  }
  const float invstd = 1.0F / std::sqrt(var + job.eps);
  if (a.mean != nullptr) a.mean[c] = mean;
  if (a.invstd != nullptr) a.invstd[c] = invstd;
  if (a.y == nullptr) return;
  const V m = set(mean);
  const V scale = set(invstd * (a.weight == nullptr ? 1.0F : a.weight[c]));
  const V shift = set(a.bias == nullptr ? 0.0F : a.bias[c]);
  each_vector(job, c, [&](std::int64_t at, M mask) {
    const V value = hn::MulAdd(hn::Sub(load(mask, a.x + at), m), scale, shift);
    store(kRelu ? clamp_at_zero(value) : value, mask, a.y + at);
  });
}

template <bool kRelu>
void norm_grad_one_channel(const NormJob& job, const NormGradArgs& a, std::int64_t c) {
  const float count = static_cast<float>(job.n * job.s);
  const V mean = set(a.mean[c]);
  const auto dy = [&](std::int64_t at, M mask) {
    const V d = load(mask, a.dy + at);
    return kRelu ? through_relu(d, load(mask, a.y + at)) : d;
  };
  const float dbias = sum_planes(job, c, dy);
  const float dweight = a.invstd[c] * sum_planes(job, c, [&](std::int64_t at, M mask) {
                          return hn::Mul(dy(at, mask), hn::Sub(load(mask, a.x + at), mean));
                        });
  if (a.dbias != nullptr) a.dbias[c] = dbias;
  if (a.dweight != nullptr) a.dweight[c] = dweight;
  if (a.dx == nullptr) return;
  const V scale = set(a.invstd[c] * (a.weight == nullptr ? 1.0F : a.weight[c]));
  const V mean_dy = set(dbias / count);
  const V pull = set(dweight / count * a.invstd[c]);
  each_vector(job, c, [&](std::int64_t at, M mask) {
    V d = dy(at, mask);
    if (job.batch_statistics)
      d = hn::Sub(hn::Sub(d, mean_dy), hn::Mul(hn::Sub(load(mask, a.x + at), mean), pull));
    store(hn::Mul(d, scale), mask, a.dx + at);
  });
}

inline void norm_rows(const NormJob& job, const NormArgs& a) {
  job.relu ? norm_some_rows<true>(job, a) : norm_some_rows<false>(job, a);
}
inline void norm_grad_rows(const NormJob& job, const NormGradArgs& a) {
  job.relu ? norm_grad_some_rows<true>(job, a) : norm_grad_some_rows<false>(job, a);
}
inline void norm_channel(const NormJob& job, const NormArgs& a, std::int64_t c) {
  job.relu ? norm_one_channel<true>(job, a, c) : norm_one_channel<false>(job, a, c);
}
inline void norm_grad_channel(const NormJob& job, const NormGradArgs& a, std::int64_t c) {
  job.relu ? norm_grad_one_channel<true>(job, a, c) : norm_grad_one_channel<false>(job, a, c);
}

}  // namespace
}  // namespace chop::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_BATCH_NORM_LOOPS_INL
