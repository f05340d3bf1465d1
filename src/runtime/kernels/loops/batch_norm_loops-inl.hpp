// The loops of batch normalisation in SIMD. With s = 1 the vectors run over channels, down the
// rows; otherwise each channel's planes are swept on their own. Compiled once per instruction set,
// from batch_norm.cpp.
#if defined(CH_BATCH_NORM_LOOPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_BATCH_NORM_LOOPS_INL
#undef CH_BATCH_NORM_LOOPS_INL
#else
#define CH_BATCH_NORM_LOOPS_INL
#endif

#include "runtime/kernels/loops/batch_norm_parts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

/// Statistics of a group of channels -> what the running ones become.
template <class Mask>
HWY_INLINE void update_running(const NormJob& job, const NormArgs& a, std::int64_t c, Mask mask,
                               V mean, V var) {
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

/// Channels [c, c + kVectors vectors) of all rows.
template <bool kRelu, int kVectors, class Mask>
void norm_group(const NormJob& job, const NormArgs& a, std::int64_t c, Mask mask) {
  const std::int64_t lanes = lane_count();
  const V inverse_count = set(1.0F / static_cast<float>(job.n));
  const float* x = a.x + c;
  V mean[kVectors], scale[kVectors], shift[kVectors];
  V total[1][kVectors];
  for (V& sum : total[0]) sum = zero();
  if (job.batch_statistics) {
    sum_rows<1, kVectors>(job.n, total, [&](std::int64_t r, int i, V* terms) HWY_ATTR {
      terms[0] = load(mask, x + r * job.c + i * lanes);
    });
    for (int i = 0; i < kVectors; ++i) mean[i] = hn::Mul(total[0][i], inverse_count);
    sum_rows<1, kVectors>(job.n, total, [&](std::int64_t r, int i, V* terms) HWY_ATTR {
      const V d = hn::Sub(load(mask, x + r * job.c + i * lanes), mean[i]);
      terms[0] = hn::Mul(d, d);
    });
  }
  for (int i = 0; i < kVectors; ++i) {
    const std::int64_t at = c + i * lanes;
    V var = load_or(mask, a.running_var, at, 1);
    if (job.batch_statistics) {
      var = hn::Mul(total[0][i], inverse_count);
      update_running(job, a, at, mask, mean[i], var);
    } else {
      mean[i] = load_or(mask, a.running_mean, at, 0);
    }
    const V invstd = hn::Div(one(), hn::Sqrt(hn::Add(var, set(job.eps))));
    store_if(mean[i], mask, a.mean, at);
    store_if(invstd, mask, a.invstd, at);
    scale[i] = hn::Mul(invstd, load_or(mask, a.weight, at, 1));
    shift[i] = load_or(mask, a.bias, at, 0);
  }
  if (a.y == nullptr) return;
  for (std::int64_t r = job.n; r-- > 0;)  // the last rows are those still in the cache
    for (int i = 0; i < kVectors; ++i) {
      const std::int64_t at = r * job.c + i * lanes;
      const V value = hn::MulAdd(hn::Sub(load(mask, x + at), mean[i]), scale[i], shift[i]);
      store(kRelu ? clamp_at_zero(value) : value, mask, a.y + c + at);
    }
}

template <bool kRelu>
void norm_some_rows(const NormJob& job, const NormArgs& a) {
  each_wide_group(job.channels, [&](std::int64_t c, auto vectors, auto mask) {
    norm_group<kRelu, decltype(vectors)::value>(job, a, c, mask);
  });
}

template <bool kRelu, int kVectors, class Mask>
void norm_grad_group(const NormJob& job, const NormGradArgs& a, std::int64_t c, Mask mask) {
  const std::int64_t lanes = lane_count();
  const V inverse_count = set(1.0F / static_cast<float>(job.n));
  V mean[kVectors], scale[kVectors], mean_dy[kVectors], pull[kVectors];
  for (int i = 0; i < kVectors; ++i) mean[i] = load(mask, a.mean + c + i * lanes);
  const auto dy = [&](std::int64_t at) HWY_ATTR {
    const V d = load(mask, a.dy + at);
    return kRelu ? through_relu(d, load(mask, a.y + at)) : d;
  };
  V total[2][kVectors];
  constexpr int kSome = kVectors < 2 ? kVectors : 2;  // what the registers hold sums of
  for (int from = 0; from < kVectors; from += kSome) {
    V some[2][kSome];
    sum_rows<2, kSome>(job.n, some, [&](std::int64_t r, int i, V* terms) HWY_ATTR {
      const std::int64_t at = r * job.c + c + (from + i) * lanes;
      terms[0] = dy(at);
      terms[1] = hn::Mul(terms[0], hn::Sub(load(mask, a.x + at), mean[from + i]));
    });
    for (int i = 0; i < kSome; ++i) {
      total[0][from + i] = some[0][i];
      total[1][from + i] = some[1][i];
    }
  }
  for (int i = 0; i < kVectors; ++i) {
    const std::int64_t at = c + i * lanes;
    const V invstd = load(mask, a.invstd + at);
    const V dweight = hn::Mul(invstd, total[1][i]);
    store_if(total[0][i], mask, a.dbias, at);
    store_if(dweight, mask, a.dweight, at);
    scale[i] = hn::Mul(invstd, load_or(mask, a.weight, at, 1));
    mean_dy[i] = hn::Mul(total[0][i], inverse_count);
    pull[i] = hn::Mul(hn::Mul(dweight, inverse_count), invstd);
  }
  if (a.dx == nullptr) return;
  for (std::int64_t r = job.n; r-- > 0;)  // the last rows are those still in the cache
    for (int i = 0; i < kVectors; ++i) {
      const std::int64_t at = r * job.c + c + i * lanes;
      V d = dy(at);
      if (job.batch_statistics)
        d = hn::Sub(hn::Sub(d, mean_dy[i]),
                    hn::Mul(hn::Sub(load(mask, a.x + at), mean[i]), pull[i]));
      store(hn::Mul(d, scale[i]), mask, a.dx + at);
    }
}

template <bool kRelu>
void norm_grad_some_rows(const NormJob& job, const NormGradArgs& a) {
  each_wide_group(job.channels, [&](std::int64_t c, auto vectors, auto mask) {
    norm_grad_group<kRelu, decltype(vectors)::value>(job, a, c, mask);
  });
}

/// Σ f(i, mask) over all planes of channel c.
template <class F>
double sum_planes(const NormJob& job, std::int64_t c, F f) {
  double total = 0;
  for (std::int64_t n = 0; n < job.n; ++n) {
    const std::int64_t base = (n * job.c + c) * job.s;
    total += long_sum_of(job.s, [&](std::int64_t i, M mask) { return f(base + i, mask); });
  }
  return total;
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
  const auto count = static_cast<double>(job.n * job.s);
  float mean = a.running_mean == nullptr ? 0 : a.running_mean[c];
  float var = a.running_var == nullptr ? 1 : a.running_var[c];
  if (job.batch_statistics) {
    const double sum =
        sum_planes(job, c, [&](std::int64_t at, M mask) { return load(mask, a.x + at); });
    mean = static_cast<float>(sum / count);
    const V m = set(mean);
    const double squares = sum_planes(job, c, [&](std::int64_t at, M mask) {
      const V d = hn::Sub(load(mask, a.x + at), m);
      return hn::Mul(d, d);
    });
    var = static_cast<float>(squares / count);
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
  const auto count = static_cast<float>(job.n * job.s);
  const V mean = set(a.mean[c]);
  const auto dy = [&](std::int64_t at, M mask) {
    const V d = load(mask, a.dy + at);
    return kRelu ? through_relu(d, load(mask, a.y + at)) : d;
  };
  const auto dbias = static_cast<float>(sum_planes(job, c, dy));
  const auto pulled = static_cast<float>(sum_planes(job, c, [&](std::int64_t at, M mask) {
    return hn::Mul(dy(at, mask), hn::Sub(load(mask, a.x + at), mean));
  }));
  const float dweight = a.invstd[c] * pulled;
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
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_BATCH_NORM_LOOPS_INL
