// Batch normalisation of many rows [n, c], in blocks of rows that threads share out. Compiled once
// per instruction set, from batch_norm.cpp.
#if defined(CH_BATCH_NORM_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_BATCH_NORM_BLOCKS_INL
#undef CH_BATCH_NORM_BLOCKS_INL
#else
#define CH_BATCH_NORM_BLOCKS_INL
#endif

#include "runtime/kernels/loops/batch_norm_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
namespace {

/// sums[c] = Σ x over the job's rows, or Σ (x - mean)² when there is a mean.
void block_sums(const NormJob& job, const float* x, const float* mean, float* sums) {
  const std::int64_t lanes = lane_count();
  each_group({0, job.c}, [&](std::int64_t c, auto vectors, auto mask) {
    constexpr int kVectors = decltype(vectors)::value;
    V total[1][kVectors];
    sum_rows<1, kVectors>(job.n, total, [&](std::int64_t r, int i, V* terms) HWY_ATTR {
      const V at = load(mask, x + r * job.c + c + i * lanes);
      const V d = hn::Sub(at, load_or(mask, mean, c + i * lanes, 0));
      terms[0] = mean == nullptr ? at : hn::Mul(d, d);
    });
    for (int i = 0; i < kVectors; ++i) store(total[0][i], mask, sums + c + i * lanes);
  });
}

/// y = (x - mean) · scale + shift over the job's rows.
void block_apply(const NormJob& job, const float* x, const NormLine& line, float* y) {
  const std::int64_t lanes = lane_count();
  for (std::int64_t r = 0; r < job.n; ++r)
    for (std::int64_t c = 0; c < job.c; c += lanes) {
      const M mask = first(job.c - c);
      const V d = hn::Sub(load(mask, x + r * job.c + c), load(mask, line.mean + c));
      const V value = hn::MulAdd(d, load(mask, line.scale + c), load_or(mask, line.shift, c, 0));
      store(job.relu ? clamp_at_zero(value) : value, mask, y + r * job.c + c);
    }
}

template <class Mask>
HWY_INLINE V block_dy(const NormJob& job, const NormGradArgs& a, std::int64_t at, Mask mask) {
  const V d = load(mask, a.dy + at);
  return job.relu ? through_relu(d, load(mask, a.y + at)) : d;
}

/// sums[0][c] = Σ dy and sums[1][c] = Σ dy · (x - mean) over the job's rows.
void block_grad_sums(const NormJob& job, const NormGradArgs& a, float* sums) {
  const std::int64_t lanes = lane_count();
  each_group({0, job.c}, [&](std::int64_t c, auto vectors, auto mask) {
    constexpr int kVectors = decltype(vectors)::value;
    V total[2][kVectors];
    sum_rows<2, kVectors>(job.n, total, [&](std::int64_t r, int i, V* terms) HWY_ATTR {
      const std::int64_t at = r * job.c + c + i * lanes;
      terms[0] = block_dy(job, a, at, mask);
      terms[1] =
          hn::Mul(terms[0], hn::Sub(load(mask, a.x + at), load(mask, a.mean + c + i * lanes)));
    });
    for (int i = 0; i < kVectors; ++i) {
      store(total[0][i], mask, sums + c + i * lanes);
      store(total[1][i], mask, sums + job.c + c + i * lanes);
    }
  });
}

/// dx = (dy - mean_dy - (x - mean) · pull) · scale over the job's rows.
void block_grad_apply(const NormJob& job, const NormGradArgs& a, const NormLine& line) {
  const std::int64_t lanes = lane_count();
  for (std::int64_t r = 0; r < job.n; ++r)
    for (std::int64_t c = 0; c < job.c; c += lanes) {
      const M mask = first(job.c - c);
      const std::int64_t at = r * job.c + c;
      V d = block_dy(job, a, at, mask);
      if (job.batch_statistics)
        d = hn::Sub(hn::Sub(d, load(mask, line.shift + c)),
                    hn::Mul(hn::Sub(load(mask, a.x + at), load(mask, a.mean + c)),
                            load(mask, line.pull + c)));
      store(hn::Mul(d, load(mask, line.scale + c)), mask, a.dx + at);
    }
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_BATCH_NORM_BLOCKS_INL
