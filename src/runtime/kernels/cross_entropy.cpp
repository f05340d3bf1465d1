// cross_entropy and its gradient over logits [n, c], in SIMD. Up to 16 classes a vector holds the
// same class of several rows (few_classes-inl.hpp). Else one sweep computes the exponentials of all
// rows together, so that short rows do not waste the vectors. Targets of the forward call are
// classes or ignored: the plan has checked them.
#include <numeric>

#include "runtime/kernel.hpp"
#include "runtime/row_blocks.hpp"
#include "runtime/scratch.hpp"
#include "runtime/team.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/cross_entropy.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/kernels/loops/few_classes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

void exp_in_place(float* x, std::int64_t count) {
  map(x, x, count, [](V at) { return exp_of(at); });
}

double sum_row(const float* x, std::int64_t count) {
  return long_sum_of(count, [&](std::int64_t i, M m) { return hn::MaskedLoad(m, kTag, x + i); });
}

std::int64_t vector_rows() {
  return lane_count();
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime::kernels {
HWY_EXPORT(exp_in_place);
HWY_EXPORT(few_classes);
HWY_EXPORT(vector_rows);
HWY_EXPORT(sum_row);
namespace {

struct Job {
  std::int64_t n, c;
  std::int64_t ignored;  ///< rows with this target do not count
  double smoothing;
  bool mean;
  const Turns* turns = nullptr;  ///< only of the forward call, where there are few classes

  bool counts(std::int64_t target) const { return target != ignored; }
  bool knows(std::int64_t target) const { return target >= 0 && target < c; }
  /// What the sum over rows is divided by.
  double divisor(const std::int64_t* target) const {
    return mean ? static_cast<double>(n - std::count(target, target + n, ignored)) : 1.0;
  }
};

std::optional<Job> job_of(const KernelCall& call, const Shape& logits) {
  if (logits.empty() || logits.size() > 2) return {};
  return Job{.n = logits.size() == 1 ? 1 : logits[0],
             .c = logits.back(),
             .ignored = call.integer("ignore_index"),
             .smoothing = call.real("label_smoothing"),
             .mean = call.text("reduction") == "mean"};
}

/// p = x - max x by row; returns -Σ q·p over the rows that count, q the smoothed targets.
double shift_rows(const Job& job, const float* x, const std::int64_t* target, float* p) {
  double total = 0;
  for (std::int64_t row = 0; row < job.n; ++row) {
    const float* in = x + row * job.c;
    float* out = p + row * job.c;
    float top = -std::numeric_limits<float>::infinity();
    for (std::int64_t j = 0; j < job.c; ++j) top = std::max(top, in[j]);
    for (std::int64_t j = 0; j < job.c; ++j) out[j] = in[j] - top;
    if (!job.counts(target[row])) continue;
    total -= (1 - job.smoothing) * static_cast<double>(out[target[row]]);
    if (job.smoothing == 0) continue;
    double all = 0;
    for (std::int64_t j = 0; j < job.c; ++j) all += static_cast<double>(out[j]);
    total -= job.smoothing * all / static_cast<double>(job.c);
  }
  return total;
}

/// The usual case, whole vectors of rows at a time; returns the rows done.
std::int64_t forward_together(const Job& job, const float* x, const std::int64_t* target, float* p,
                              double& total) {
  if (job.turns == nullptr || job.smoothing != 0) return 0;
  for (std::int64_t row = 0; row < job.n; ++row)
    if (!job.counts(target[row])) return 0;
  const std::int64_t rows = job.n / kRowsTogether * kRowsTogether;
  double hits = 0;
  const double logs =
      HWY_DYNAMIC_DISPATCH(few_classes)(x, rows, job.c, *job.turns, target, p, &hits);
  total = logs - hits;
  return rows;
}

/// p, and the sum of all rows' losses.
double forward(const Job& all, const float* x, const std::int64_t* target, float* p) {
  double before = 0;
  const std::int64_t done = forward_together(all, x, target, p, before);
  Job job = all;
  job.n -= done;
  x += done * job.c;
  p += done * job.c;
  target += done;
  double total = before + shift_rows(job, x, target, p);
  HWY_DYNAMIC_DISPATCH(exp_in_place)(p, job.n * job.c);
  // Σ log s_row as the log of products of a few sums: each lies in [1, c], so the product of
  // eight stays far from overflow, and one logarithm serves eight rows.
  double product = 1;
  std::int64_t factors = 0;
  for (std::int64_t row = 0; row < job.n; ++row) {
    float* out = p + row * job.c;
    const double sum = HWY_DYNAMIC_DISPATCH(sum_row)(out, job.c);
    const float inverse = 1.0F / static_cast<float>(sum);
    for (std::int64_t j = 0; j < job.c; ++j) out[j] *= inverse;
    if (!job.counts(target[row])) continue;
    product *= sum;
    if (++factors < 8) continue;
    total += std::log(product);
    product = 1;
    factors = 0;
  }
  return total + std::log(product);
}

/// The losses of some blocks of rows: sums[block].
void forward_blocks(const Job& job, const RowBlocks& blocks, Share some, const float* x,
                    const std::int64_t* target, float* p, double* sums) {
  for (std::int64_t block = some.begin; block < some.end; ++block) {
    const std::int64_t first = blocks.first(block);
    Job part = job;
    part.n = blocks.size(block);
    sums[block] = forward(part, x + first * job.c, target + first, p + first * job.c);
  }
}

/// Blocks that are tasks where there are many rows, else those of a team.
RowBlocks blocks_of(const Job& job) {
  return RowBlocks{job.n}.many() ? RowBlocks{job.n} : RowBlocks{job.n, kTeamRows};
}

/// All rows in blocks, whose sums are added in their order.
double forward_all(const Job& job, const float* x, const std::int64_t* target, float* p,
                   int threads) {
  const RowBlocks blocks = blocks_of(job);
  auto* const sums = reinterpret_cast<double*>(
      thread_scratch(static_cast<std::size_t>(blocks.count()) * sizeof(double), ScratchFor::Call));
  blocks.each(RowBlocks{job.n}.many() ? threads : 1, [&](std::int64_t block) {
    forward_blocks(job, blocks, {block, block + 1}, x, target, p, sums);
  });
  return std::accumulate(sums, sums + blocks.count(), 0.0);
}

/// The forward call by the members of a team: the first adds up when all have done their rows.
struct TeamLoss {
  Job job;
  std::shared_ptr<const Turns> turns;
  float* spare;
  std::vector<double> sums;

  void run(const KernelArgs& args, Member& member) {
    float* const p = args.out[1] != nullptr ? args.output(1) : spare;
    const RowBlocks blocks = blocks_of(job);
    forward_blocks(job, blocks, member.blocks(blocks), args.input(0), args.input<std::int64_t>(1),
                   p, sums.data());
    if (args.out[0] != nullptr && member.is_first())
      member.later([this, &args](const Member&) {
        const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
        *args.output(0) = static_cast<float>(total / job.divisor(args.input<std::int64_t>(1)));
      });
  }
};

bool is_for_team(const Job& job) {
  return !RowBlocks{job.n}.many() && blocks_of(job).count() > 1;
}

Kernel make_forward(const KernelCall& call) {
  auto job = job_of(call, call.shape(0));
  if (!job || call.in[0].dtype != DType::F32 || call.in[1].dtype != DType::I64) return {};
  std::shared_ptr<const Turns> turns;
  if (job->c > 0 && job->c <= kFewClasses)
    turns = std::make_shared<const Turns>(job->c, HWY_DYNAMIC_DISPATCH(vector_rows)());
  job->turns = turns.get();
  // The probabilities may not be asked for; the sweep needs their memory all the same.
  auto spare = std::make_shared<std::vector<float>>();
  if (!call.used[1]) spare->resize(static_cast<std::size_t>(job->n * job->c));
  const auto run = [job = *job, turns, spare](const KernelArgs& args, const RunContext& context) {
    float* p = args.out[1] != nullptr ? args.output(1) : spare->data();
    const auto* target = args.input<std::int64_t>(1);
    const double total = forward_all(job, args.input(0), target, p, context.threads);
    if (args.out[0] != nullptr) *args.output(0) = static_cast<float>(total / job.divisor(target));
  };
  if (!is_for_team(*job)) return run;
  const auto team = std::make_shared<TeamLoss>(
      TeamLoss{*job, turns, spare->data(),
               std::vector<double>(static_cast<std::size_t>(blocks_of(*job).count()))});
  return {run,
          {},
          TeamRun{.rows = job->n,
                  .work = 32 * job->n * job->c,
                  .rows_in = 0b11,
                  .rows_out = 0b10,
                  .late_out = 0b01,
                  .run = [team, spare](const KernelArgs& args, Member& member) {
                    team->run(args, member);
                  }}};
}

/// dx = scale · (p - q)
void backward(const Job& job, float scale, const float* p, const std::int64_t* target, float* dx) {
  const auto everywhere = static_cast<float>(job.smoothing / static_cast<double>(job.c));
  const auto hit = static_cast<float>(1 - job.smoothing);
  for (std::int64_t i = 0; i < job.n * job.c; ++i) dx[i] = (p[i] - everywhere) * scale;
  for (std::int64_t row = 0; row < job.n; ++row) {
    float* out = dx + row * job.c;
    const std::int64_t t = target[row];
    if (!job.counts(t))
      std::fill(out, out + job.c, 0.0F);
    else if (!job.knows(t))
      std::fill(out, out + job.c, std::numeric_limits<float>::quiet_NaN());
    else
      out[t] = (p[row * job.c + t] - hit - everywhere) * scale;
  }
}

Kernel make_grad(const KernelCall& call) {
  const auto job = job_of(call, call.shape(1));
  if (!job || call.in[1].dtype != DType::F32 || call.in[2].dtype != DType::I64) return {};
  const auto rows = [job = *job](const KernelArgs& args, float scale, Share some) {
    Job part = job;
    part.n = some.size();
    backward(part, scale, args.input(1) + some.begin * job.c,
             args.input<std::int64_t>(2) + some.begin, args.output() + some.begin * job.c);
  };
  const auto scale = [job = *job](const KernelArgs& args) {
    return static_cast<float>(static_cast<double>(*args.input(0)) /
                              job.divisor(args.input<std::int64_t>(2)));
  };
  const auto run = [=, all = RowBlocks{job->n}](const KernelArgs& args, const RunContext& context) {
    const float by = scale(args);
    all.each(context.threads, [&](std::int64_t block) {
      rows(args, by, all.rows_of({block, block + 1}));
    });
  };
  if (!is_for_team(*job)) return run;
  return {run,
          {},
          TeamRun{.rows = job->n,
                  .work = 8 * job->n * job->c,
                  .rows_in = 0b010,
                  .rows_out = 0b1,
                  .run = [=, all = blocks_of(*job)](const KernelArgs& args, Member& member) {
                    rows(args, scale(args), member.rows(all));
                  }}};
}

}  // namespace

std::vector<KernelDef> cross_entropy() {
  return {{"cross_entropy", make_forward}, {"cross_entropy_grad", make_grad}};
}

}  // namespace chop::runtime::kernels
#endif
