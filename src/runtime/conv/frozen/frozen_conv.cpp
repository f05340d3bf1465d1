// Frozen convolutions: a backend's accumulators and the epilogue behind them, tile by tile.
//
// For conv2d + batch_norm + relu in a graph without number formats, the norm is folded into the
// weights and the bias, the bias becomes part of the accumulators, the accumulators are computed
// where the result lies, and what is left of the epilogue, the clamp, runs over each tile in place.
#include "runtime/conv/frozen/frozen_conv.hpp"

#include "runtime/conv/frozen/apply_epilogue.hpp"
#include "runtime/scratch.hpp"
#include "support/system/threads.hpp"

namespace chop::runtime {
namespace {

/// (x w + b - m) s + t = x (w s) + ((b - m) s + t): one rounding of each weight, no work at run.
void fold_norm(FrozenConvJob& job, std::vector<float>& weights) {
  const ops::ConvShape& conv = job.shape;
  const auto channels = static_cast<std::size_t>(conv.out_channels);
  EpilogueOp bias{.kind = EpilogueKind::Bias, .a = std::vector<float>(channels)};
  std::size_t at = 0;
  if (job.epilogue[0].kind == EpilogueKind::Bias) bias.a = job.epilogue[at++].a;
  if (at >= job.epilogue.size() || job.epilogue[at].kind != EpilogueKind::Norm) return;
  const EpilogueOp norm = job.epilogue[at];
  const std::size_t each = static_cast<std::size_t>(conv.group_in() * conv.window.kernel.area());
  weights.assign(job.weights, job.weights + channels * each);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < each; ++i) weights[c * each + i] *= norm.b[c];
    bias.a[c] =
        static_cast<float>((static_cast<double>(bias.a[c]) - norm.a[c]) * norm.b[c] + norm.c[c]);
  }
  bias.output = norm.output;
  job.weights = weights.data();
  job.epilogue.erase(job.epilogue.begin(), job.epilogue.begin() + static_cast<std::ptrdiff_t>(at));
  job.epilogue[0] = std::move(bias);
}

std::size_t to_cache_lines(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

class FrozenConv {
 public:
  explicit FrozenConv(FrozenConvJob job) : job_(std::move(job)), conv_(job_.shape) {
    if (job_.grid) unscale_ = job_.grid->step * job_.weight_grid->step;
    std::vector<float> folded;
    if (!job_.exact && !job_.grid) fold_norm(job_, folded);
    take_bias();
    epilogue_ = PreparedEpilogue(job_.epilogue);
    made_ = make_conv(job_);
    job_.weights = nullptr;
  }

  /// Null when no backend took the job.
  const ConvBackend* backend() const { return made_.backend; }

  void run(const KernelArgs& args, int threads) {
    parallel_for(threads, static_cast<std::int64_t>(made_.conv->tiles().size()),
                 [&](std::int64_t i) { run_tile(static_cast<std::size_t>(i), args); });
  }

 private:
  /// Makes the bias part of float accumulators. Accumulators that become the only result are
  /// computed in its memory.
  void take_bias() {
    Epilogue& epilogue = job_.epilogue;
    if (!job_.grid && epilogue[0].kind == EpilogueKind::Bias) {
      job_.bias = epilogue[0].a;
      epilogue[0].kind = EpilogueKind::Identity;
    }
    const auto results = std::count_if(epilogue.begin(), epilogue.end(),
                                       [](const EpilogueOp& op) { return op.output >= 0; });
    in_place_ =
        !job_.grid && results == 1 && epilogue.back().output == 0 && !epilogue.back().integers;
    std::erase_if(epilogue, [](const EpilogueOp& op) {
      return op.kind == EpilogueKind::Identity && op.output < 0;
    });
    no_epilogue_ = in_place_ && epilogue.size() == 1 && epilogue[0].kind == EpilogueKind::Identity;
  }

  void apply_epilogue_to(const ConvTile& tile, const std::byte* acc, const KernelArgs& args) {
    const ops::Extent& out = conv_.window.out;
    apply_epilogue(epilogue_,
                   {.data = acc,
                    .integers = job_.grid.has_value(),
                    .unscale = unscale_,
                    .positions = tile.images * tile.rows * out.w,
                    .channels = tile.channels},
                   {.position = (tile.image * out.h + tile.row) * out.w,
                    .channel = tile.channel,
                    .stride = conv_.out_channels},
                   args);
  }

  void run_tile(std::size_t number, const KernelArgs& args) {
    const ConvTile& tile = made_.conv->tiles()[number];
    const ops::Extent& out = conv_.window.out;
    const bool direct = in_place_ && tile.channels == conv_.out_channels;
    const auto count = static_cast<std::size_t>(tile.images * tile.rows * out.w * tile.channels);
    const std::size_t bytes = direct ? 0 : to_cache_lines(count * sizeof(float));
    std::byte* const scratch = thread_scratch(bytes + made_.conv->scratch_bytes(number));
    std::byte* acc = scratch;
    if (direct) {
      const std::int64_t position = (tile.image * out.h + tile.row) * out.w;
      acc = args.out[0] + static_cast<std::size_t>(position * conv_.out_channels) * sizeof(float);
    }
    made_.conv->run(number, args.in[0], acc, scratch + bytes);
    if (!direct || !no_epilogue_) apply_epilogue_to(tile, acc, args);
  }

  FrozenConvJob job_;
  ops::ConvShape conv_;
  float unscale_ = 1;
  PreparedEpilogue epilogue_;
  bool in_place_ = false;
  bool no_epilogue_ = false;
  MadeConv made_;
};

}  // namespace

FrozenConvJob frozen_conv_job(const KernelCall& call, Epilogue epilogue) {
  FrozenConvJob job;
  job.weights = call.fixed[1];
  job.exact = call.exact;
  if (call.in[0].dtype != DType::F32) {
    job.grid = call.grid[0];
    if (call.in[0].dtype == DType::U8) job.grid->low = 0;
    job.weight_grid = call.grid[1];
  }
  if (call.in.size() > 2) {
    const float* bias = call.fixed[2];
    job.epilogue.push_back({.kind = EpilogueKind::Bias, .a = {bias, bias + numel(call.shape(2))}});
  }
  job.epilogue.insert(job.epilogue.end(), epilogue.begin(), epilogue.end());
  return job;
}

Kernel frozen_conv(FrozenConvJob job) {
  const auto conv = std::make_shared<FrozenConv>(std::move(job));
  if (conv->backend() == nullptr) return {};
  return {[conv](const KernelArgs& args, const RunContext& context) {
            conv->run(args, context.threads);
          },
          conv->backend()->name};
}

}  // namespace chop::runtime
