#include "runtime/conv/frozen/image_conv.hpp"

#include <algorithm>

#include "runtime/conv/frozen/finish.hpp"
#include "runtime/onednn.hpp"
#include "runtime/scratch.hpp"
#include "support/system/threads.hpp"

namespace chop::runtime {
namespace {

/// (x w + b - m) s + t = x (w s) + ((b - m) s + t): one rounding of each weight, no work at run.
void fold_norm(ImageConvJob& job, std::vector<float>& weights) {
  const ops::ConvShape& conv = job.shape;
  const auto channels = static_cast<std::size_t>(conv.out_channels);
  Stage bias{.kind = StageKind::Bias, .a = std::vector<float>(channels)};
  std::size_t at = 0;
  if (job.stages[0].kind == StageKind::Bias) bias.a = job.stages[at++].a;
  if (at >= job.stages.size() || job.stages[at].kind != StageKind::Norm) return;
  const Stage norm = job.stages[at];
  const std::size_t each = static_cast<std::size_t>(conv.group_in() * conv.window.kernel.area());
  weights.assign(job.weights, job.weights + channels * each);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < each; ++i) weights[c * each + i] *= norm.b[c];
    bias.a[c] =
        static_cast<float>((static_cast<double>(bias.a[c]) - norm.a[c]) * norm.b[c] + norm.c[c]);
  }
  bias.output = norm.output;
  job.weights = weights.data();
  job.stages.erase(job.stages.begin(), job.stages.begin() + static_cast<std::ptrdiff_t>(at));
  job.stages[0] = std::move(bias);
}

std::size_t in_lines(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

class ImageConv {
 public:
  explicit ImageConv(ImageConvJob job) : job_(std::move(job)), conv_(job_.shape) {
    if (job_.grid) unscale_ = job_.grid->unscale * job_.weight_grid->unscale;
    std::vector<float> folded;
    if (!job_.exact && !job_.grid) fold_norm(job_, folded);
    take_bias();
    sums_ = winograd_sums(job_);
    if (sums_ == nullptr) sums_ = amx_sums(job_);
    if (sums_ == nullptr) sums_ = primitive_sums(job_);
    job_.weights = nullptr;
  }

  void run(const KernelArgs& args, int threads) {
    parallel_for(threads, static_cast<std::int64_t>(sums_->pieces().size()),
                 [&](std::int64_t i) { run_piece(static_cast<std::size_t>(i), args); });
  }

 private:
  /// The bias that float sums begin with. Sums that are the one result lie where it lies.
  void take_bias() {
    std::vector<Stage>& stages = job_.stages;
    if (!job_.grid && stages[0].kind == StageKind::Bias) {
      job_.bias = stages[0].a;
      stages[0].kind = StageKind::Keep;
    }
    const auto kept = std::count_if(stages.begin(), stages.end(),
                                    [](const Stage& stage) { return stage.output >= 0; });
    in_place_ = !job_.grid && kept == 1 && stages.back().output == 0 && !stages.back().codes;
    std::erase_if(stages, [](const Stage& stage) {
      return stage.kind == StageKind::Keep && stage.output < 0;
    });
    nothing_left_ = in_place_ && stages.size() == 1 && stages[0].kind == StageKind::Keep;
  }

  /// The stages over the sums of a piece.
  void finish_piece(const ImagePiece& piece, const std::byte* sums, const KernelArgs& args) {
    const ops::Extent& out = conv_.window.out;
    finish(job_.stages,
           {.data = sums,
            .whole = job_.grid.has_value(),
            .unscale = unscale_,
            .places = piece.images * piece.rows * out.w,
            .channels = piece.channels},
           {.place = (piece.image * out.h + piece.row) * out.w,
            .channel = piece.channel,
            .row = conv_.out_channels},
           args);
  }

  void run_piece(std::size_t number, const KernelArgs& args) {
    const ImagePiece& piece = sums_->pieces()[number];
    const ops::Extent& out = conv_.window.out;
    const bool direct = in_place_ && piece.channels == conv_.out_channels;
    const auto count = static_cast<std::size_t>(piece.images * piece.rows * out.w * piece.channels);
    const std::size_t bytes = direct ? 0 : in_lines(count * sizeof(float));
    std::byte* const scratch = thread_scratch(bytes + sums_->scratch_bytes(number));
    std::byte* sums = scratch;
    if (direct) {
      const std::int64_t place = (piece.image * out.h + piece.row) * out.w;
      sums = args.out[0] + static_cast<std::size_t>(place * conv_.out_channels) * sizeof(float);
    }
    sums_->run(number, args.in[0], sums, scratch + bytes);
    if (!direct || !nothing_left_) finish_piece(piece, sums, args);
  }

  ImageConvJob job_;
  ops::ConvShape conv_;
  float unscale_ = 1;
  bool in_place_ = false;
  bool nothing_left_ = false;
  std::unique_ptr<ConvSums> sums_;
};

}  // namespace

ImageConvJob image_job(const KernelCall& call, std::vector<Stage> stages) {
  ImageConvJob job;
  job.weights = call.fixed[1];
  job.exact = call.exact;
  if (call.in[0].dtype != DType::F32) {
    job.grid = call.grid[0];
    if (call.in[0].dtype == DType::U8) job.grid->low = 0;
    job.weight_grid = call.grid[1];
  }
  if (call.in.size() > 2) {
    const float* bias = call.fixed[2];
    job.stages.push_back({.kind = StageKind::Bias, .a = {bias, bias + numel(call.shape(2))}});
  }
  job.stages.insert(job.stages.end(), stages.begin(), stages.end());
  return job;
}

Kernel image_conv(ImageConvJob job) {
  try {
    const auto conv = std::make_shared<ImageConv>(std::move(job));
    return [conv](const KernelArgs& args, const RunContext& context) {
      conv->run(args, context.threads);
    };
  } catch (const dnnl::error&) {
    return {};
  }
}

}  // namespace chop::runtime
