// batch_norm1d, batch_norm2d and batch_norm_grad; the loops are in batch_norm_loops-inl.hpp.
#include <cmath>

#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/kernels/batch_norm_job.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/batch_norm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/kernels/batch_norm_loops-inl.hpp"

#if HWY_ONCE
namespace chop::kernels {
HWY_EXPORT(norm_rows);
HWY_EXPORT(norm_grad_rows);
HWY_EXPORT(norm_channel);
HWY_EXPORT(norm_grad_channel);
namespace {

NormJob job_of(const KernelCall& call, const Shape& x) {
  NormJob job{.n = x[0], .c = x[1]};
  for (std::size_t i = 2; i < x.size(); ++i) job.s *= x[i];
  job.batch_statistics = call.flag("training");
  job.relu = call.flag("relu");
  return job;
}

/// An empty batch has rules of its own; the reference knows them.
bool has_loops(const KernelCall& call, const Shape& x) {
  return call.in[0].dtype == DType::F32 && numel(x) > 0;
}

/// One task per channel once the tensor is worth a second thread.
template <class Work>
void each_channel(const NormJob& job, int threads, Work work) {
  const bool worth_it = job.n * job.c * job.s > kChunk;
  parallel_for(worth_it ? threads : 1, job.c, work);
}

Kernel make_norm(const KernelCall& call) {
  if (!has_loops(call, call.shape(0))) return {};
  NormJob job = job_of(call, call.shape(0));
  if (call.layout == Layout::ChannelsLast) {
    job.n *= job.s;
    job.s = 1;
  }
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

/// With statistics that are known beforehand it is a sum and a product per channel.
std::vector<Stage> norm_stages(const KernelCall& call, std::size_t from) {
  if (from != 0 || call.flag("training") || !call.flag("track_running_stats")) return {};
  Stage norm{.kind = StageKind::Norm};
  const float* mean = call.fixed_parameter("running_mean");
  const float* var = call.fixed_parameter("running_var");
  const float* weight = call.fixed_parameter("weight");
  const float* bias = call.fixed_parameter("bias");
  const auto eps = static_cast<float>(call.real("eps"));
  for (std::int64_t c = 0; mean != nullptr && c < call.shape(0)[1]; ++c) {
    norm.a.push_back(mean[c]);
    norm.b.push_back(1.0F / std::sqrt(var[c] + eps) * (weight == nullptr ? 1.0F : weight[c]));
    norm.c.push_back(bias == nullptr ? 0.0F : bias[c]);
  }
  std::vector<Stage> stages = {std::move(norm)};
  if (call.flag("relu")) stages.push_back(clamp_stage(0));
  return stages;
}

Kernel make_grad(const KernelCall& call) {
  if (!has_loops(call, call.shape(1))) return {};
  const NormJob job = job_of(call, call.shape(1));
  const bool weighted = call.flag("affine");
  return [=](const KernelArgs& args, const RunContext& context) {
    const NormGradArgs a{.dy = args.input(0),
                         .x = args.input(1),
                         .mean = args.input(2),
                         .invstd = args.input(3),
                         .weight = weighted ? args.input(4) : nullptr,
                         .y = job.relu ? args.input(weighted ? 5 : 4) : nullptr,
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
  std::vector<KernelDef> defs = {{"batch_norm_grad", make_grad}};
  for (const char* op : {"batch_norm1d", "batch_norm2d", "batch_norm3d"})
    defs.push_back({.op = op, .make = make_norm, .layouts = both_layouts, .stages = norm_stages});
  return defs;
}

}  // namespace chop::kernels
#endif
