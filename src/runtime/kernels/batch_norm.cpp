// batch_norm1d, batch_norm2d and batch_norm_grad in SIMD, over x [n, c, s].
//
// With s = 1 the vectors run over channels, down the rows; otherwise each channel's planes
// are swept on their own. Sums are kept in a fixed number of partial sums.
#include <algorithm>
#include <cmath>

#include "runtime/kernel.hpp"
#include "support/threads.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/batch_norm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef CH_BATCH_NORM_JOB
#define CH_BATCH_NORM_JOB
namespace chop::kernels {
struct NormJob {
  std::int64_t n, c, s;
  float eps, momentum;
  bool batch_statistics;  ///< else the running ones
  bool track;
};
struct NormArgs {
  const float *x, *weight, *bias, *running_mean, *running_var;
  float *y, *mean, *invstd, *new_mean, *new_var;
};
struct NormGradArgs {
  const float *dy, *x, *mean, *invstd, *weight;
  float *dx, *dweight, *dbias;
};
}  // namespace chop::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using V = hn::Vec<Tag>;
using M = hn::Mask<Tag>;
constexpr Tag kTag{};

V load(M mask, const float* from) {
  return hn::MaskedLoad(mask, kTag, from);
}
V load_or(M mask, const float* from, float otherwise) {
  return from == nullptr ? hn::Set(kTag, otherwise) : hn::MaskedLoad(mask, kTag, from);
}
void store(V value, M mask, float* to) {
  if (to != nullptr) hn::BlendedStore(value, mask, kTag, to);
}

/// Σ f(row) over rows in four partial sums.
template <class F>
V sum_rows(std::int64_t rows, F f) {
  V s0 = hn::Zero(kTag), s1 = s0, s2 = s0, s3 = s0;
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
void update_running(const NormJob& job, const NormArgs& a, std::int64_t c, M mask, V mean, V var) {
  if (!job.track || a.new_mean == nullptr) return;
  const float count = static_cast<float>(job.n * job.s);
  const V keep = hn::Set(kTag, 1 - job.momentum);
  const V rate = hn::Set(kTag, job.momentum);
  const V unbiased = hn::Mul(var, hn::Set(kTag, count / (count - 1)));
  store(hn::MulAdd(rate, mean, hn::Mul(keep, load(mask, a.running_mean + c))), mask,
        a.new_mean + c);
  store(hn::MulAdd(rate, unbiased, hn::Mul(keep, load(mask, a.running_var + c))), mask,
        a.new_var + c);
}

void norm_rows(const NormJob& job, const NormArgs& a) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const V inverse_count = hn::Set(kTag, 1.0F / static_cast<float>(job.n));
  for (std::int64_t c = 0; c < job.c; c += lanes) {
    const M mask = hn::FirstN(kTag, static_cast<std::size_t>(std::min(lanes, job.c - c)));
    const float* x = a.x + c;
    V mean = load_or(mask, a.running_mean == nullptr ? nullptr : a.running_mean + c, 0);
    V var = load_or(mask, a.running_var == nullptr ? nullptr : a.running_var + c, 1);
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
    const V invstd = hn::Div(hn::Set(kTag, 1.0F), hn::Sqrt(hn::Add(var, hn::Set(kTag, job.eps))));
    store(mean, mask, a.mean == nullptr ? nullptr : a.mean + c);
    store(invstd, mask, a.invstd == nullptr ? nullptr : a.invstd + c);
    const V scale = hn::Mul(invstd, load_or(mask, a.weight == nullptr ? nullptr : a.weight + c, 1));
    const V shift = load_or(mask, a.bias == nullptr ? nullptr : a.bias + c, 0);
    float* y = a.y + c;
    for (std::int64_t r = 0; r < job.n; ++r)
      store(hn::MulAdd(hn::Sub(load(mask, x + r * job.c), mean), scale, shift), mask,
            y + r * job.c);
  }
}

void norm_grad_rows(const NormJob& job, const NormGradArgs& a) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const V inverse_count = hn::Set(kTag, 1.0F / static_cast<float>(job.n));
  for (std::int64_t c = 0; c < job.c; c += lanes) {
    const M mask = hn::FirstN(kTag, static_cast<std::size_t>(std::min(lanes, job.c - c)));
    const float* x = a.x + c;
    const float* dy = a.dy + c;
    const V mean = load(mask, a.mean + c);
    const V invstd = load(mask, a.invstd + c);
    const V dbias = sum_rows(job.n, [&](std::int64_t r) { return load(mask, dy + r * job.c); });
    const V dweight = hn::Mul(invstd, sum_rows(job.n, [&](std::int64_t r) {
                                return hn::Mul(load(mask, dy + r * job.c),
                                               hn::Sub(load(mask, x + r * job.c), mean));
                              }));
    store(dbias, mask, a.dbias == nullptr ? nullptr : a.dbias + c);
    store(dweight, mask, a.dweight == nullptr ? nullptr : a.dweight + c);
    if (a.dx == nullptr) continue;
    const V scale = hn::Mul(invstd, load_or(mask, a.weight == nullptr ? nullptr : a.weight + c, 1));
    float* dx = a.dx + c;
    const V mean_dy = hn::Mul(dbias, inverse_count);
    const V pull = hn::Mul(hn::Mul(dweight, inverse_count), invstd);
    for (std::int64_t r = 0; r < job.n; ++r) {
      V d = load(mask, dy + r * job.c);
      if (job.batch_statistics)
        d = hn::Sub(hn::Sub(d, mean_dy), hn::Mul(hn::Sub(load(mask, x + r * job.c), mean), pull));
      store(hn::Mul(d, scale), mask, dx + r * job.c);
    }
  }
}

/// Σ f(vector of a plane) over all planes of channel c, as one number.
template <class F>
float sum_planes(const NormJob& job, std::int64_t c, F f) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  V sum = hn::Zero(kTag);
  V other = hn::Zero(kTag);
  for (std::int64_t n = 0; n < job.n; ++n) {
    const std::int64_t base = (n * job.c + c) * job.s;
    std::int64_t i = 0;
    for (; i + 2 * lanes <= job.s; i += 2 * lanes) {
      const M all = hn::FirstN(kTag, static_cast<std::size_t>(lanes));
      sum = hn::Add(sum, f(base + i, all));
      other = hn::Add(other, f(base + i + lanes, all));
    }
    for (; i < job.s; i += lanes) {
      const M mask = hn::FirstN(kTag, static_cast<std::size_t>(std::min(lanes, job.s - i)));
      sum = hn::Add(sum, hn::IfThenElseZero(mask, f(base + i, mask)));
    }
  }
  return hn::GetLane(hn::SumOfLanes(kTag, hn::Add(sum, other)));
}

template <class F>
void each_vector(const NormJob& job, std::int64_t c, F f) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  for (std::int64_t n = 0; n < job.n; ++n)
    for (std::int64_t i = 0; i < job.s; i += lanes)
      f((n * job.c + c) * job.s + i,
        hn::FirstN(kTag, static_cast<std::size_t>(std::min(lanes, job.s - i))));
}

void norm_channel(const NormJob& job, const NormArgs& a, std::int64_t c) {
  const float count = static_cast<float>(job.n * job.s);
  float mean = a.running_mean == nullptr ? 0 : a.running_mean[c];
  float var = a.running_var == nullptr ? 1 : a.running_var[c];
  if (job.batch_statistics) {
    mean =
        sum_planes(job, c, [&](std::int64_t at, M mask) { return load(mask, a.x + at); }) / count;
    const V m = hn::Set(kTag, mean);
    var = sum_planes(job, c,
                     [&](std::int64_t at, M mask) {
                       const V d = hn::Sub(load(mask, a.x + at), m);
                       return hn::Mul(d, d);
                     }) /
          count;
    if (job.track && a.new_mean != nullptr) {
      a.new_mean[c] = (1 - job.momentum) * a.running_mean[c] + job.momentum * mean;
      a.new_var[c] =
          (1 - job.momentum) * a.running_var[c] + job.momentum * (var * count / (count - 1));
    }
  }
  const float invstd = 1.0F / std::sqrt(var + job.eps);
  if (a.mean != nullptr) a.mean[c] = mean;
  if (a.invstd != nullptr) a.invstd[c] = invstd;
  const V m = hn::Set(kTag, mean);
  const V scale = hn::Set(kTag, invstd * (a.weight == nullptr ? 1.0F : a.weight[c]));
  const V shift = hn::Set(kTag, a.bias == nullptr ? 0.0F : a.bias[c]);
  each_vector(job, c, [&](std::int64_t at, M mask) {
    store(hn::MulAdd(hn::Sub(load(mask, a.x + at), m), scale, shift), mask, a.y + at);
  });
}

void norm_grad_channel(const NormJob& job, const NormGradArgs& a, std::int64_t c) {
  const float count = static_cast<float>(job.n * job.s);
  const V mean = hn::Set(kTag, a.mean[c]);
  const float dbias =
      sum_planes(job, c, [&](std::int64_t at, M mask) { return load(mask, a.dy + at); });
  const float dweight =
      a.invstd[c] * sum_planes(job, c, [&](std::int64_t at, M mask) {
        return hn::Mul(load(mask, a.dy + at), hn::Sub(load(mask, a.x + at), mean));
      });
  if (a.dbias != nullptr) a.dbias[c] = dbias;
  if (a.dweight != nullptr) a.dweight[c] = dweight;
  if (a.dx == nullptr) return;
  const V scale = hn::Set(kTag, a.invstd[c] * (a.weight == nullptr ? 1.0F : a.weight[c]));
  const V mean_dy = hn::Set(kTag, dbias / count);
  const V pull = hn::Set(kTag, dweight / count * a.invstd[c]);
  each_vector(job, c, [&](std::int64_t at, M mask) {
    V d = load(mask, a.dy + at);
    if (job.batch_statistics)
      d = hn::Sub(hn::Sub(d, mean_dy), hn::Mul(hn::Sub(load(mask, a.x + at), mean), pull));
    store(hn::Mul(d, scale), mask, a.dx + at);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace chop::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::kernels {
HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_grad_rows);
HWY_EXPORT(norm_channel);
HWY_EXPORT(norm_grad_channel);
namespace {

NormJob job_of(const KernelCall& call, const Shape& x) {
  NormJob job{.n = x[0], .c = x[1], .s = 1, .eps = 0, .momentum = 0};
  for (std::size_t i = 2; i < x.size(); ++i) job.s *= x[i];
  job.batch_statistics = call.flag("training");
  return job;
}

/// One task per channel once the tensor is worth a second thread.
template <class Work>
void each_channel(const NormJob& job, int threads, Work work) {
  const bool worth_it = job.n * job.c * job.s > (std::int64_t{1} << 15);
  parallel_for(worth_it ? threads : 1, job.c, work);
}

Kernel make_norm(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  NormJob job = job_of(call, call.shape(0));
  job.eps = static_cast<float>(call.real("eps"));
  job.momentum = static_cast<float>(call.real("momentum"));
  job.track = call.flag("track_running_stats");
  job.batch_statistics = job.batch_statistics || !job.track;
  const std::int64_t weight = call.find("weight");
  const std::int64_t bias = call.find("bias");
  const std::int64_t mean = call.find("running_mean");
  const std::int64_t var = call.find("running_var");
  const bool updates = call.out.size() > 4;
  return [=](const KernelArgs& args, const RunContext& context) {
    const auto in = [&](std::int64_t at) {
      return at < 0 ? nullptr : args.input(static_cast<std::size_t>(at));
    };
    const NormArgs a{.x = args.input(0),
                     .weight = in(weight),
                     .bias = in(bias),
                     .running_mean = in(mean),
                     .running_var = in(var),
                     .y = args.output(0),
                     .mean = args.output(1),
                     .invstd = args.output(2),
                     .new_mean = updates ? args.output(3) : nullptr,
                     .new_var = updates ? args.output(4) : nullptr};
    if (job.s == 1) {
      HWY_DYNAMIC_DISPATCH(norm_rows)(job, a);
      return;
    }
    each_channel(job, context.threads, [&](std::int64_t c) {
      HWY_DYNAMIC_DISPATCH(norm_channel)(job, a, c);
    });
  };
}

Kernel make_grad(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  const NormJob job = job_of(call, call.shape(1));
  const bool weighted = call.in.size() > 4;
  return [=](const KernelArgs& args, const RunContext& context) {
    const NormGradArgs a{.dy = args.input(0),
                         .x = args.input(1),
                         .mean = args.input(2),
                         .invstd = args.input(3),
                         .weight = weighted ? args.input(4) : nullptr,
                         .dx = args.output(0),
                         .dweight = args.output(1),
                         .dbias = args.output(2)};
    if (job.s == 1) {
      HWY_DYNAMIC_DISPATCH(norm_grad_rows)(job, a);
      return;
    }
    each_channel(job, context.threads, [&](std::int64_t c) {
      HWY_DYNAMIC_DISPATCH(norm_grad_channel)(job, a, c);
    });
  };
}

}  // namespace

std::vector<KernelDef> batch_norm() {
  return {{"batch_norm1d", make_norm}, {"batch_norm2d", make_norm}, {"batch_norm_grad", make_grad}};
}

}  // namespace chop::kernels
#endif
