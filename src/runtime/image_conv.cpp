#include "runtime/image_conv.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "runtime/finish.hpp"
#include "runtime/image_cut.hpp"
#include "runtime/onednn.hpp"
#include "runtime/scratch.hpp"
#include "runtime/winograd.hpp"
#include "support/big_memory.hpp"
#include "support/threads.hpp"

namespace chop {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;
using Type = memory::data_type;

/// A primitive for pieces of one size at one kind of place.
struct Primitive {
  dnnl::primitive run;
  memory::desc src, weights, bias, dst, scratchpad;
};

/// One piece with the memory descriptions that running it needs; their addresses are filled in
/// when it runs.
struct Task {
  ImagePiece piece;
  const Primitive* primitive = nullptr;
  std::size_t source = 0;  ///< first byte of the images it reads
  memory src, weights, bias, dst, scratchpad;
};

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
    if (job_.grid) {
      source_type_ = job_.grid->low < 0 ? Type::s8 : Type::u8;
      weight_type_ = Type::s8;
      sum_type_ = Type::s32;
      unscale_ = job_.grid->unscale * job_.weight_grid->unscale;
    }
    std::vector<float> folded;
    if (!job_.exact && !job_.grid) fold_norm(job_, folded);
    take_bias();
    if (!job_.exact && !job_.grid && Winograd::suits(conv_))
      add_tiles();
    else
      add_primitives();
    job_.weights = nullptr;
  }

  void run(const KernelArgs& args, int threads) {
    const std::byte* x = args.in[0];
    parallel_for(threads, static_cast<std::int64_t>(tasks_.size()),
                 [&](std::int64_t i) { run_task(tasks_[static_cast<std::size_t>(i)], x, args); });
  }

 private:
  /// The primitive adds a bias to float sums. Sums that are the one result lie where it lies.
  void take_bias() {
    std::vector<Stage>& stages = job_.stages;
    if (!job_.grid && stages[0].kind == StageKind::Bias) {
      bias_ = stages[0].a;
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

  void add_tiles() {
    winograd_.emplace(conv_, job_.weights);
    for (const ImagePiece& piece : cut_tiles(conv_)) tasks_.push_back({.piece = piece});
  }

  void add_primitives() {
    const auto element = static_cast<std::int64_t>(job_.grid ? 1 : sizeof(float));
    for (const ImagePiece& piece : cut_images(conv_, element)) add_task(piece, element);
  }

  void add_task(const ImagePiece& piece, std::int64_t element) {
    const Primitive& primitive = primitive_for(piece);
    const Band band = band_of(conv_.window, piece.row, piece.rows);
    const dnnl::engine& engine = onednn_engine();
    tasks_.push_back(
        {.piece = piece,
         .primitive = &primitive,
         .source = static_cast<std::size_t>((piece.image * conv_.window.in.h + band.first) *
                                            conv_.window.in.w * conv_.in_channels * element),
         .src = memory(primitive.src, engine, nullptr),
         .weights = packed_weights(piece, primitive.weights),
         .bias = bias_.empty() ? memory()
                               : memory(primitive.bias, engine, bias_.data() + piece.channel),
         .dst = memory(primitive.dst, engine, nullptr),
         .scratchpad = memory(primitive.scratchpad, engine, nullptr)});
  }

  const Primitive& primitive_for(const ImagePiece& piece) {
    const Band band = band_of(conv_.window, piece.row, piece.rows);
    const auto key = std::make_tuple(piece.images, piece.channels, piece.rows,
                                     band.last - band.first, band.above, band.below);
    const auto found = primitives_.find(key);
    if (found != primitives_.end()) return *found->second;
    return *primitives_.emplace(key, std::make_unique<Primitive>(make_primitive(piece, band)))
                .first->second;
  }

  Dims weight_dims(std::int64_t channels) const {
    const ops::Extent& k = conv_.window.kernel;
    if (conv_.groups == 1) return {channels, conv_.in_channels, k.h, k.w};
    return {conv_.groups, conv_.group_out(), conv_.group_in(), k.h, k.w};
  }

  Primitive make_primitive(const ImagePiece& piece, const Band& band) {
    const ops::Window& w = conv_.window;
    const memory::desc src({piece.images, conv_.in_channels, band.last - band.first, w.in.w},
                           source_type_, Tag::nhwc);
    const memory::desc dst({piece.images, piece.channels, piece.rows, w.out.w}, sum_type_,
                           Tag::nhwc);
    const auto known = weight_layouts_.find(piece.channels);
    const memory::desc weights =
        known != weight_layouts_.end()
            ? known->second
            : memory::desc(weight_dims(piece.channels), weight_type_, Tag::any);
    const memory::desc bias =
        bias_.empty() ? memory::desc() : memory::desc({piece.channels}, Type::f32, Tag::a);
    const dnnl::convolution_forward::primitive_desc made(
        {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src, weights,
         bias, dst, Dims{w.stride.h, w.stride.w}, Dims{w.dilation.h - 1, w.dilation.w - 1},
         Dims{band.above, w.padding.w}, Dims{band.below, w.padding.w}},
        onednn_attributes(), onednn_engine());
    weight_layouts_.emplace(piece.channels, made.weights_desc());
    return {dnnl::convolution_forward(made), src, made.weights_desc(), bias, dst,
            made.scratchpad_desc()};
  }

  /// The weights of a piece's channels as the primitive likes them, shared by all such pieces.
  memory packed_weights(const ImagePiece& piece, const memory::desc& layout) {
    const auto found = weights_.find(piece.channel);
    if (found != weights_.end()) return found->second;
    const std::int64_t each = conv_.group_in() * conv_.window.kernel.area();
    const std::int64_t count = piece.channels * each;
    const float* from = job_.weights + piece.channel * each;
    std::vector<std::int8_t> codes;
    const void* plain = from;
    if (job_.grid) {
      for (std::int64_t i = 0; i < count; ++i)
        codes.push_back(static_cast<std::int8_t>(std::lround(from[i] * job_.weight_grid->scale)));
      plain = codes.data();
    }
    const memory::desc dense(weight_dims(piece.channels), weight_type_,
                             conv_.groups == 1 ? Tag::oihw : Tag::goihw);
    weight_memory_.push_back(allocate_together(layout.get_size()));
    memory packed(layout, onednn_engine(), weight_memory_.back().get());
    memory source(dense, onednn_engine(), const_cast<void*>(plain));
    omp_set_num_threads(1);
    dnnl::stream stream(onednn_engine());
    dnnl::reorder(source, packed).execute(stream, source, packed);
    weights_.emplace(piece.channel, packed);
    return packed;
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

  void run_task(Task& task, const std::byte* x, const KernelArgs& args) {
    const ImagePiece& piece = task.piece;
    const ops::Extent& out = conv_.window.out;
    const bool direct = in_place_ && piece.channels == conv_.out_channels;
    const auto count = static_cast<std::size_t>(piece.images * piece.rows * out.w * piece.channels);
    const std::size_t sums_bytes = direct ? 0 : in_lines(count * sizeof(float));
    const std::size_t scratch_bytes =
        winograd_ ? winograd_->scratch_bytes(piece) : task.primitive->scratchpad.get_size();
    std::byte* const memory_here = thread_scratch(sums_bytes + scratch_bytes);
    std::byte* sums = memory_here;
    if (direct)
      sums = args.out[0] + static_cast<std::size_t>((piece.image * out.h + piece.row) * out.w *
                                                    conv_.out_channels) *
                               sizeof(float);
    if (winograd_)
      winograd_->run(piece, reinterpret_cast<const float*>(x),
                     bias_.empty() ? nullptr : bias_.data(), reinterpret_cast<float*>(sums),
                     memory_here + sums_bytes);
    else
      run_primitive(task, x, sums, memory_here + sums_bytes);
    if (!direct || !nothing_left_) finish_piece(piece, sums, args);
  }

  void run_primitive(Task& task, const std::byte* x, std::byte* sums, std::byte* scratch) const {
    const auto set = [](const memory& at, const std::byte* data) {
      dnnl_memory_set_data_handle(at.get(), const_cast<std::byte*>(data));
    };
    set(task.src, x + task.source);
    set(task.dst, sums);
    set(task.scratchpad, scratch);
    const std::array<dnnl_exec_arg_t, 5> exec = {{{DNNL_ARG_SRC, task.src.get()},
                                                  {DNNL_ARG_WEIGHTS, task.weights.get()},
                                                  {DNNL_ARG_DST, task.dst.get()},
                                                  {DNNL_ARG_SCRATCHPAD, task.scratchpad.get()},
                                                  {DNNL_ARG_BIAS, task.bias.get(true)}}};
    omp_set_num_threads(1);
    thread_local dnnl::stream stream(onednn_engine());
    [[maybe_unused]] const dnnl_status_t status = dnnl_primitive_execute(
        task.primitive->run.get(), stream.get(), bias_.empty() ? 4 : 5, exec.data());
    assert(status == dnnl_success && "oneDNN failed to run what it had agreed to");
  }

  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                         std::int64_t>;
  ImageConvJob job_;
  ops::ConvShape conv_;
  Type source_type_ = Type::f32, weight_type_ = Type::f32, sum_type_ = Type::f32;
  float unscale_ = 1;
  std::vector<float> bias_;
  bool in_place_ = false;
  bool nothing_left_ = false;
  std::map<Key, std::unique_ptr<Primitive>> primitives_;
  std::map<std::int64_t, memory::desc> weight_layouts_;  ///< by number of channels
  std::map<std::int64_t, memory> weights_;               ///< by first channel
  std::vector<std::shared_ptr<std::byte[]>> weight_memory_;
  std::optional<Winograd> winograd_;  ///< instead of primitives
  std::vector<Task> tasks_;
};

}  // namespace

ImageConvJob image_job(const KernelCall& call, std::vector<Stage> stages) {
  ImageConvJob job{.shape = {}, .weights = call.fixed[1], .exact = call.exact};
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

}  // namespace chop
