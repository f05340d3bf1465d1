// The loops of batch normalisation in SIMD. With s = 1 the vectors run over channels, down the
// rows: sums of blocks of rows, what follows from them for each channel, and then the rows again
// (batch_norm_blocks-inl.hpp). Otherwise each channel's planes are swept on their own. Compiled
// once per instruction set, from batch_norm.cpp.
#if defined(CH_BATCH_NORM_LOOPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_BATCH_NORM_LOOPS_INL
#undef CH_BATCH_NORM_LOOPS_INL
#else
#define CH_BATCH_NORM_LOOPS_INL
#endif

#include "runtime/kernels/loops/batch_norm_blocks-inl.hpp"

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

/// Sums of blocks of rows, for the channels of the job: parts [block][2][c] = Σ x and
/// Σ (x - mean of the block)². A block is read twice while it is in the cache.
void norm_sums(const NormJob& job, const float* x, Share blocks, float* parts) {
  const RowBlocks all{job.n, kTeamRows};
  const std::int64_t lanes = lane_count();
  for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
    const Share rows = all.rows_of({block, block + 1});
    const V inverse_count = set(1.0F / static_cast<float>(rows.size()));
    float* const sums = parts + 2 * block * job.c;
    each_wide_group(job.channels, [&](std::int64_t c, auto vectors, auto mask) {
      constexpr int kVectors = decltype(vectors)::value;
      V total[1][kVectors], squares[1][kVectors], mean[kVectors];
      const auto at = [&](std::int64_t r, int i)
                          HWY_ATTR { return load(mask, x + r * job.c + c + i * lanes); };
      sum_some_rows<1, kVectors>(rows.begin, rows.end, total,
                                 [&](std::int64_t r, int i, V* terms)
                                     HWY_ATTR { terms[0] = at(r, i); });
      for (int i = 0; i < kVectors; ++i) mean[i] = hn::Mul(total[0][i], inverse_count);
      sum_some_rows<1, kVectors>(rows.begin, rows.end, squares,
                                 [&](std::int64_t r, int i, V* terms) HWY_ATTR {
                                   const V d = hn::Sub(at(r, i), mean[i]);
                                   terms[0] = hn::Mul(d, d);
                                 });
      for (int i = 0; i < kVectors; ++i) {
        store(total[0][i], mask, sums + c + i * lanes);
        store(squares[0][i], mask, sums + job.c + c + i * lanes);
      }
    });
  }
}

/// Σ term(block, count) over the blocks of rows, in four sums: with many blocks one would lose
/// digits.
template <class Term>
HWY_INLINE V sum_over_blocks(const NormJob& job, Term term) {
  const RowBlocks all{job.n, kTeamRows};
  V sum[4] = {zero(), zero(), zero(), zero()};
  for (std::int64_t block = 0; block < all.count(); ++block)
    sum[block % 4] = hn::Add(sum[block % 4], term(block, static_cast<float>(all.size(block))));
  return hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
}

/// Mean and variance of a vector of channels from the sums of blocks (Chan's formula):
/// Σ (x - mean)² = Σ over blocks of squares + count · (mean of the block - mean)². The mean is that
/// of the first block and what the others are away from it, whose sum loses fewer digits.
template <class Mask>
HWY_INLINE void mean_and_variance(const NormJob& job, const float* parts, Mask mask, V& mean,
                                  V& var) {
  const V inverse_count = set(1.0F / static_cast<float>(job.n));
  const auto mean_of = [&](std::int64_t block, float count) HWY_ATTR {
    return hn::Mul(load(mask, parts + 2 * block * job.c), set(1.0F / count));
  };
  const V first_mean = mean_of(0, static_cast<float>(std::min(job.n, kTeamRows)));
  const V away = sum_over_blocks(job, [&](std::int64_t block, float count) HWY_ATTR {
    return hn::Mul(set(count), hn::Sub(mean_of(block, count), first_mean));
  });
  mean = hn::MulAdd(away, inverse_count, first_mean);
  const V squares = sum_over_blocks(job, [&](std::int64_t block, float count) HWY_ATTR {
    const V d = hn::Sub(mean_of(block, count), mean);
    return hn::MulAdd(hn::Mul(d, d), set(count), load(mask, parts + (2 * block + 1) * job.c));
  });
  var = hn::Mul(squares, inverse_count);
}

/// What rows go through, line [3][c]: mean, scale and shift of the job's channels; and the results
/// that are no rows.
void norm_finish(const NormJob& job, const NormArgs& a, const float* parts, float* line) {
  each_vector_of(job.channels, [&](std::int64_t c, auto mask) HWY_ATTR {
    V mean = load_or(mask, a.running_mean, c, 0);
    V var = load_or(mask, a.running_var, c, 1);
    if (job.batch_statistics) {
      mean_and_variance(job, parts + c, mask, mean, var);
      update_running(job, a, c, mask, mean, var);
    }
    const V invstd = hn::Div(one(), hn::Sqrt(hn::Add(var, set(job.eps))));
    store_if(mean, mask, a.mean, c);
    store_if(invstd, mask, a.invstd, c);
    store(mean, mask, line + c);
    store(hn::Mul(invstd, load_or(mask, a.weight, c, 1)), mask, line + job.c + c);
    store(load_or(mask, a.bias, c, 0), mask, line + 2 * job.c + c);
  });
}

/// Sums of blocks of rows, likewise: parts [block][2][c] = Σ dy and Σ dy · (x - mean).
void norm_grad_sums(const NormJob& job, const NormGradArgs& a, Share blocks, float* parts) {
  const RowBlocks all{job.n, kTeamRows};
  for (std::int64_t block = blocks.begin; block < blocks.end; ++block)
    block_grad_sums(job, all.rows_of({block, block + 1}), a, parts + 2 * block * job.c);
}

/// What rows go through, line [3][c]: scale, mean dy and pull of the job's channels; and the
/// results that are no rows.
void norm_grad_finish(const NormJob& job, const NormGradArgs& a, const float* parts, float* line) {
  const V inverse_count = set(1.0F / static_cast<float>(job.n));
  each_vector_of(job.channels, [&](std::int64_t c, auto mask) HWY_ATTR {
    const V total = sum_over_blocks(job, [&](std::int64_t block, float /*count*/) HWY_ATTR {
      return load(mask, parts + 2 * block * job.c + c);
    });
    const V pulled = sum_over_blocks(job, [&](std::int64_t block, float /*count*/) HWY_ATTR {
      return load(mask, parts + (2 * block + 1) * job.c + c);
    });
    const V invstd = load(mask, a.invstd + c);
    const V dweight = hn::Mul(invstd, pulled);
    store_if(total, mask, a.dbias, c);
    store_if(dweight, mask, a.dweight, c);
    store(hn::Mul(invstd, load_or(mask, a.weight, c, 1)), mask, line + c);
    store(hn::Mul(total, inverse_count), mask, line + job.c + c);
    store(hn::Mul(hn::Mul(dweight, inverse_count), invstd), mask, line + 2 * job.c + c);
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
