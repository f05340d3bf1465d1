// Batch normalisation of rows [n, c]: what is done with blocks of rows that threads share out.
// Compiled once per instruction set, from batch_norm.cpp.
#if defined(CH_BATCH_NORM_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_BATCH_NORM_BLOCKS_INL
#undef CH_BATCH_NORM_BLOCKS_INL
#else
#define CH_BATCH_NORM_BLOCKS_INL
#endif

#include "runtime/kernels/loops/batch_norm_parts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
namespace {

/// sums[c] = Σ x over some rows, or Σ (x - mean)² when there is a mean.
void block_sums(const NormJob& job, Share rows, const float* x, const float* mean, float* sums) {
  const std::int64_t lanes = lane_count();
  each_group(job.channels, [&](std::int64_t c, auto vectors, auto mask) {
    constexpr int kVectors = decltype(vectors)::value;
    V total[1][kVectors];
    sum_rows<1, kVectors>(rows, total, [&](std::int64_t r, int i, V* terms) HWY_ATTR {
      const V at = load(mask, x + r * job.c + c + i * lanes);
      const V d = hn::Sub(at, load_or(mask, mean, c + i * lanes, 0));
      terms[0] = mean == nullptr ? at : hn::Mul(d, d);
    });
    for (int i = 0; i < kVectors; ++i) store(total[0][i], mask, sums + c + i * lanes);
  });
}

/// y = (x - mean) · scale + shift over some rows, the last first: those are still in the cache.
template <bool kRelu>
void apply_rows(const NormJob& job, Share rows, const float* x, const NormLine& line, float* y) {
  const std::int64_t lanes = lane_count();
  each_wide_group(job.channels, [&](std::int64_t c, auto vectors, auto mask) {
    constexpr int kVectors = decltype(vectors)::value;
    V mean[kVectors], scale[kVectors], shift[kVectors];
    for (int i = 0; i < kVectors; ++i) {
      mean[i] = load(mask, line.mean + c + i * lanes);
      scale[i] = load(mask, line.scale + c + i * lanes);
      shift[i] = load_or(mask, line.shift, c + i * lanes, 0);
    }
    for (std::int64_t r = rows.end; r-- > rows.begin;)
      for (int i = 0; i < kVectors; ++i) {
        const std::int64_t at = r * job.c + c + i * lanes;
        const V value = hn::MulAdd(hn::Sub(load(mask, x + at), mean[i]), scale[i], shift[i]);
        store(kRelu ? clamp_at_zero(value) : value, mask, y + at);
      }
  });
}
void block_apply(const NormJob& job, Share rows, const float* x, const NormLine& line, float* y) {
  job.relu ? apply_rows<true>(job, rows, x, line, y) : apply_rows<false>(job, rows, x, line, y);
}

template <bool kRelu, class Mask>
HWY_INLINE V block_dy(const NormGradArgs& a, std::int64_t at, Mask mask) {
  const V d = load(mask, a.dy + at);
  return kRelu ? through_relu(d, load(mask, a.y + at)) : d;
}

template <bool kRelu>
void grad_sums(const NormJob& job, Share rows, const NormGradArgs& a, float* sums) {
  const std::int64_t lanes = lane_count();
  each_group(job.channels, [&](std::int64_t c, auto vectors, auto mask) {
    constexpr int kVectors = decltype(vectors)::value;
    V total[2][kVectors], mean[kVectors];
    for (int i = 0; i < kVectors; ++i) mean[i] = load(mask, a.mean + c + i * lanes);
    sum_rows<2, kVectors>(rows, total, [&](std::int64_t r, int i, V* terms) HWY_ATTR {
      const std::int64_t at = r * job.c + c + i * lanes;
      terms[0] = block_dy<kRelu>(a, at, mask);
      terms[1] = hn::Mul(terms[0], hn::Sub(load(mask, a.x + at), mean[i]));
    });
    for (int i = 0; i < kVectors; ++i) {
      store(total[0][i], mask, sums + c + i * lanes);
      store(total[1][i], mask, sums + job.c + c + i * lanes);
    }
  });
}
/// sums[0][c] = Σ dy and sums[1][c] = Σ dy · (x - mean) over some rows.
void block_grad_sums(const NormJob& job, Share rows, const NormGradArgs& a, float* sums) {
  job.relu ? grad_sums<true>(job, rows, a, sums) : grad_sums<false>(job, rows, a, sums);
}

template <bool kRelu>
void grad_apply(const NormJob& job, Share rows, const NormGradArgs& a, const NormLine& line) {
  const std::int64_t lanes = lane_count();
  each_wide_group(job.channels, [&](std::int64_t c, auto vectors, auto mask) {
    constexpr int kVectors = decltype(vectors)::value;
    V mean[kVectors], scale[kVectors], mean_dy[kVectors], pull[kVectors];
    for (int i = 0; i < kVectors; ++i) {
      const std::int64_t at = c + i * lanes;
      mean[i] = load(mask, a.mean + at);
      scale[i] = load(mask, line.scale + at);
      mean_dy[i] = load(mask, line.shift + at);
      pull[i] = load(mask, line.pull + at);
    }
    for (std::int64_t r = rows.end; r-- > rows.begin;)
      for (int i = 0; i < kVectors; ++i) {
        const std::int64_t at = r * job.c + c + i * lanes;
        V d = block_dy<kRelu>(a, at, mask);
        if (job.batch_statistics)
          d = hn::Sub(hn::Sub(d, mean_dy[i]),
                      hn::Mul(hn::Sub(load(mask, a.x + at), mean[i]), pull[i]));
        store(hn::Mul(d, scale[i]), mask, a.dx + at);
      }
  });
}
/// dx = (dy - mean_dy - (x - mean) · pull) · scale over some rows, the last first.
void block_grad_apply(const NormJob& job, Share rows, const NormGradArgs& a, const NormLine& line) {
  job.relu ? grad_apply<true>(job, rows, a, line) : grad_apply<false>(job, rows, a, line);
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_BATCH_NORM_BLOCKS_INL
