// batch_norm1d, batch_norm2d and batch_norm_grad; the loops are in batch_norm_loops-inl.hpp.
#include "runtime/elementwise.hpp"
#include "runtime/gemm/gemm.hpp"
#include "runtime/kernel.hpp"
#include "runtime/kernels/loops/batch_norm_job.hpp"
#include "runtime/row_blocks.hpp"
#include "runtime/scratch.hpp"
#include "runtime/team.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/batch_norm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/kernels/loops/batch_norm_blocks-inl.hpp"
#include "runtime/kernels/loops/batch_norm_loops-inl.hpp"

#if HWY_ONCE
namespace chop::runtime::kernels {
HWY_EXPORT(norm_sums);
HWY_EXPORT(norm_finish);
HWY_EXPORT(norm_grad_sums);
HWY_EXPORT(norm_grad_finish);
HWY_EXPORT(norm_channel);
HWY_EXPORT(norm_grad_channel);
HWY_EXPORT(block_sums);
HWY_EXPORT(block_apply);
HWY_EXPORT(block_grad_sums);
HWY_EXPORT(block_grad_apply);
namespace {

/// Working memory of a call.
float* floats_for_call(std::int64_t count) {
  return reinterpret_cast<float*>(
      thread_scratch(static_cast<std::size_t>(count) * sizeof(float), ScratchFor::Call));
}

/// [Σ by block][channel] to one sum by channel.
template <class Sum>
void sum_blocks(const RowBlocks& blocks, std::int64_t length, int threads, float* parts,
                float* total, Sum sum) {
  blocks.each(threads, [&](std::int64_t block) { sum(block, parts + block * length); });
  blocks.add_up(parts, length, total);
}

/// Forward over many rows.
void norm_many(const NormJob& job, const NormArgs& a, int threads) {
  const RowBlocks blocks{job.n};
  const std::int64_t c = job.c;
  float* const memory = floats_for_call((blocks.count() + 3) * c);
  float* const mean = memory;
  float* const var = memory + c;
  float* const scale = memory + 2 * c;
  float* const parts = memory + 3 * c;
  const float count = static_cast<float>(job.n);
  if (job.batch_statistics) {
    for (const float* known :
         {static_cast<const float*>(nullptr), static_cast<const float*>(mean)}) {
      float* const total = known == nullptr ? mean : var;
      sum_blocks(blocks, c, threads, parts, total, [&](std::int64_t block, float* sums) {
        HWY_DYNAMIC_DISPATCH(block_sums)
        (job, blocks.rows_of({block, block + 1}), a.x, known, sums);
      });
      for (std::int64_t i = 0; i < c; ++i) total[i] *= 1.0F / count;
    }
  }
  for (std::int64_t i = 0; i < c; ++i) {
    if (!job.batch_statistics) {
      mean[i] = a.running_mean == nullptr ? 0 : a.running_mean[i];
      var[i] = a.running_var == nullptr ? 1 : a.running_var[i];
    } else {
      if (a.new_mean != nullptr)
        a.new_mean[i] = job.momentum * mean[i] + (1 - job.momentum) * a.running_mean[i];
      if (a.new_var != nullptr)
        a.new_var[i] =
            job.momentum * (var[i] * (count / (count - 1))) + (1 - job.momentum) * a.running_var[i];
    }
    const float invstd = 1.0F / std::sqrt(var[i] + job.eps);
    if (a.mean != nullptr) a.mean[i] = mean[i];
    if (a.invstd != nullptr) a.invstd[i] = invstd;
    scale[i] = invstd * (a.weight == nullptr ? 1.0F : a.weight[i]);
  }
  if (a.y == nullptr) return;
  const NormLine line{mean, scale, a.bias};
  blocks.each(threads, [&](std::int64_t block) {
    HWY_DYNAMIC_DISPATCH(block_apply)(job, blocks.rows_of({block, block + 1}), a.x, line, a.y);
  });
}

/// Backward over many rows.
void norm_grad_many(const NormJob& job, const NormGradArgs& a, int threads) {
  const RowBlocks blocks{job.n};
  const std::int64_t c = job.c;
  float* const memory = floats_for_call((2 * blocks.count() + 5) * c);
  float* const total = memory;  // Σ dy, then Σ dy · (x - mean)
  float* const scale = memory + 2 * c;
  float* const mean_dy = memory + 3 * c;
  float* const pull = memory + 4 * c;
  sum_blocks(blocks, 2 * c, threads, memory + 5 * c, total, [&](std::int64_t block, float* sums) {
    HWY_DYNAMIC_DISPATCH(block_grad_sums)
    (job, blocks.rows_of({block, block + 1}), a, sums);
  });
  const float inverse_count = 1.0F / static_cast<float>(job.n);
  for (std::int64_t i = 0; i < c; ++i) {
    const float dweight = a.invstd[i] * total[c + i];
    if (a.dbias != nullptr) a.dbias[i] = total[i];
    if (a.dweight != nullptr) a.dweight[i] = dweight;
    scale[i] = a.invstd[i] * (a.weight == nullptr ? 1.0F : a.weight[i]);
    mean_dy[i] = total[i] * inverse_count;
    pull[i] = dweight * inverse_count * a.invstd[i];
  }
  if (a.dx == nullptr) return;
  const NormLine line{a.mean, scale, mean_dy, pull};
  blocks.each(threads, [&](std::int64_t block) {
    HWY_DYNAMIC_DISPATCH(block_grad_apply)
    (job, blocks.rows_of({block, block + 1}), a, line);
  });
}

/// Blocks of rows of a batch that is not one of many rows.
RowBlocks short_blocks(const NormJob& job) {
  return {job.n, kTeamRows};
}
/// Numbers for their sums, and for what rows go through.
std::int64_t sum_floats(const NormJob& job) {
  return 2 * short_blocks(job).count() * job.c;
}
std::int64_t line_floats(const NormJob& job) {
  return 3 * job.c;
}

/// Forward, from the sums of all blocks on.
void norm_from_sums(const NormJob& job, const NormArgs& a, const float* sums, Share rows,
                    float* memory) {
  HWY_DYNAMIC_DISPATCH(norm_finish)(job, a, sums, memory);
  if (a.y == nullptr) return;
  const NormLine line{memory, memory + job.c, memory + 2 * job.c};
  HWY_DYNAMIC_DISPATCH(block_apply)(job, rows, a.x, line, a.y);
}

/// Backward, likewise.
void norm_grad_from_sums(const NormJob& job, const NormGradArgs& a, const float* sums, Share rows,
                         float* memory) {
  HWY_DYNAMIC_DISPATCH(norm_grad_finish)(job, a, sums, memory);
  if (a.dx == nullptr) return;
  const NormLine line{a.mean, memory, memory + job.c, memory + 2 * job.c};
  HWY_DYNAMIC_DISPATCH(block_grad_apply)(job, rows, a, line);
}

NormJob job_of(const KernelCall& call, const Shape& x) {
  NormJob job{.n = x[0], .c = x[1], .channels = {0, x[1]}};
  for (std::size_t i = 2; i < x.size(); ++i) job.s *= x[i];
  job.batch_statistics = call.flag("training");
  job.relu = call.flag("relu");
  return job;
}

/// An empty batch has rules of its own; the reference knows them. Statistics may come in doubles.
bool has_loops(const KernelCall& call, const Shape& x) {
  return all_float(call) && numel(x) > 0;
}

/// Calls work(job) with shares of the channels, of two vectors at least: one would wait for its
/// sums.
template <class Work>
void each_share(const NormJob& job, int threads, Work work) {
  constexpr std::int64_t kLeastWork = std::int64_t{1} << 12;
  const std::int64_t unit = 2 * gemm_vector_floats();
  const int most = static_cast<int>(std::min<std::int64_t>(threads, (job.c + unit - 1) / unit));
  const int parts = worthwhile_parts(most, job.n * job.c, kLeastWork);
  parallel_short(parts, [&](std::int64_t part) {
    NormJob share = job;
    share.channels = share_of(job.c, unit, static_cast<int>(part), parts);
    work(share);
  });
}

/// One task per channel once the tensor is worth a second thread.
template <class Work>
void each_channel(const NormJob& job, int threads, Work work) {
  const bool worth_it = job.n * job.c * job.s > kChunk;
  parallel_for(worth_it ? threads : 1, job.c, work);
}

/// Where the operands of a call are.
struct NormOperands {
  std::int64_t weight, bias, mean, var;
  bool updates;

  explicit NormOperands(const KernelCall& call)
      : weight(call.find("weight")),
        bias(call.find("bias")),
        mean(call.find("running_mean")),
        var(call.find("running_var")),
        updates(call.out.size() > 4) {}

  NormArgs of(const KernelArgs& args) const {
    const auto in = [&](std::int64_t at) {
      return at < 0 ? nullptr : args.input(static_cast<std::size_t>(at));
    };
    return {.x = args.input(0),
            .weight = in(weight),
            .bias = in(bias),
            .running_mean = in(mean),
            .running_var = in(var),
            .y = args.output(0),
            .mean = args.output(1),
            .invstd = args.output(2),
            .new_mean = updates ? args.output(3) : nullptr,
            .new_var = updates ? args.output(4) : nullptr};
  }
};

/// Whether a call is one of rows, and of so few that they are not tasks by themselves.
bool is_for_team(const NormJob& job) {
  return job.s == 1 && job.batch_statistics && !RowBlocks{job.n}.many() &&
         short_blocks(job).count() > 1;
}

/// Each member sums its blocks; once all have, each finds out what rows go through.
std::optional<TeamRun> norm_by_team(const NormJob& job, const NormOperands& operands) {
  if (!is_for_team(job)) return {};
  const auto sums = std::make_shared<std::vector<float>>(static_cast<std::size_t>(sum_floats(job)));
  return TeamRun{.rows = job.n,
                 .work = 4 * job.n * job.c,
                 .rows_in = 0b1,
                 .rows_out = 0b1,
                 .meets = true,
                 .run = [=](const KernelArgs& args, Member& member) {
                   NormArgs a = operands.of(args);
                   const Share blocks = member.blocks(short_blocks(job));
                   HWY_DYNAMIC_DISPATCH(norm_sums)(job, a.x, blocks, sums->data());
                   member.meet();
                   if (!member.is_first()) {
                     a.running_mean = a.running_var = nullptr;
                     a.mean = a.invstd = a.new_mean = a.new_var = nullptr;
                   }
                   norm_from_sums(job, a, sums->data(), short_blocks(job).rows_of(blocks),
                                  floats_for_call(line_floats(job)));
                 }};
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
  const NormOperands operands(call);
  const auto run = [=](const KernelArgs& args, const RunContext& context) {
    const NormArgs a = operands.of(args);
    if (job.s == 1) {
      if (RowBlocks{job.n}.many()) return norm_many(job, a, context.threads);
      float* const memory = floats_for_call(sum_floats(job) + line_floats(job));
      return each_share(job, context.threads, [&](const NormJob& share) {
        float* const sums = memory + line_floats(job);
        if (job.batch_statistics)
          HWY_DYNAMIC_DISPATCH(norm_sums)(share, a.x, {0, short_blocks(job).count()}, sums);
        norm_from_sums(share, a, sums, {0, job.n}, memory);
      });
    }
    each_channel(job, context.threads, [&](std::int64_t c) {
      HWY_DYNAMIC_DISPATCH(norm_channel)(job, a, c);
    });
  };
  return {run, {}, norm_by_team(job, operands)};
}

bool has_statistics(const KernelCall& call) {
  return !call.flag("training") && call.flag("track_running_stats");
}

/// Sums over a batch are added in the order in which it lies, and the reference knows that order
/// alone.
Layouts norm_layouts(const KernelCall& call) {
  return has_statistics(call) && all_float(call) ? Layouts::Both : Layouts::Dense;
}

/// With statistics that are known beforehand it is a sum and a product per channel.
Epilogue norm_epilogue(const KernelCall& call, std::size_t from) {
  if (from != 0 || !has_statistics(call) || !all_float(call)) return {};
  EpilogueOp norm{.kind = EpilogueKind::Norm};
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
  Epilogue epilogue = {std::move(norm)};
  if (call.flag("relu")) epilogue.push_back(clamp_op(0));
  return epilogue;
}

NormGradArgs grad_args(const NormJob& job, bool weighted, const KernelArgs& args) {
  return {.dy = args.input(0),
          .x = args.input(1),
          .mean = args.input(2),
          .invstd = args.input(3),
          .weight = weighted ? args.input(4) : nullptr,
          .y = job.relu ? args.input(weighted ? 5 : 4) : nullptr,
          .dx = args.output(0),
          .dweight = args.output(1),
          .dbias = args.output(2)};
}

std::optional<TeamRun> grad_by_team(const NormJob& job, bool weighted) {
  if (!is_for_team(job)) return {};
  const auto sums = std::make_shared<std::vector<float>>(static_cast<std::size_t>(sum_floats(job)));
  return TeamRun{.rows = job.n,
                 .work = 8 * job.n * job.c,
                 .rows_in = 0b11U | (job.relu ? (weighted ? 0b100000U : 0b10000U) : 0U),
                 .rows_out = 0b1,
                 .meets = true,
                 .run = [=](const KernelArgs& args, Member& member) {
                   NormGradArgs a = grad_args(job, weighted, args);
                   const Share blocks = member.blocks(short_blocks(job));
                   HWY_DYNAMIC_DISPATCH(norm_grad_sums)(job, a, blocks, sums->data());
                   member.meet();
                   if (!member.is_first()) a.dweight = a.dbias = nullptr;
                   norm_grad_from_sums(job, a, sums->data(), short_blocks(job).rows_of(blocks),
                                       floats_for_call(line_floats(job)));
                 }};
}

Kernel make_grad(const KernelCall& call) {
  if (!has_loops(call, call.shape(1))) return {};
  const NormJob job = job_of(call, call.shape(1));
  const bool weighted = call.flag("affine");
  const auto run = [=](const KernelArgs& args, const RunContext& context) {
    const NormGradArgs a = grad_args(job, weighted, args);
    if (job.s == 1) {
      if (RowBlocks{job.n}.many()) return norm_grad_many(job, a, context.threads);
      float* const memory = floats_for_call(sum_floats(job) + line_floats(job));
      return each_share(job, context.threads, [&](const NormJob& share) {
        float* const sums = memory + line_floats(job);
        HWY_DYNAMIC_DISPATCH(norm_grad_sums)(share, a, {0, short_blocks(job).count()}, sums);
        norm_grad_from_sums(share, a, sums, {0, job.n}, memory);
      });
    }
    each_channel(job, context.threads, [&](std::int64_t c) {
      HWY_DYNAMIC_DISPATCH(norm_grad_channel)(job, a, c);
    });
  };
  return {run, {}, grad_by_team(job, weighted)};
}

}  // namespace

std::vector<KernelDef> batch_norm() {
  std::vector<KernelDef> defs = {{"batch_norm_grad", make_grad}};
  for (const char* op : {"batch_norm1d", "batch_norm2d", "batch_norm3d"})
    defs.push_back(
        {.op = op, .make = make_norm, .layouts = norm_layouts, .epilogue = norm_epilogue});
  return defs;
}

}  // namespace chop::runtime::kernels
#endif
