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
  memory::desc src, weights, dst, scratchpad;
};

/// One piece with the memory descriptions that running it needs; their addresses are filled in
/// when it runs.
struct Task {
  ImagePiece piece;
  const Primitive* primitive = nullptr;
  std::size_t source = 0;  ///< first byte of the images it reads
  memory src, weights, dst, scratchpad;
};

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
    const auto element = static_cast<std::int64_t>(job_.grid ? 1 : sizeof(float));
    const std::vector<ImagePiece> pieces = cut_images(conv_, element);
    tasks_.reserve(pieces.size());
    for (const ImagePiece& piece : pieces) add_task(piece, element);
    job_.weights = nullptr;
  }

  void run(const KernelArgs& args, int threads) {
    const std::byte* x = args.in[0];
    parallel_for(threads, static_cast<std::int64_t>(tasks_.size()),
                 [&](std::int64_t i) { run_task(tasks_[static_cast<std::size_t>(i)], x, args); });
  }

 private:
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
    const dnnl::convolution_forward::primitive_desc made(
        {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src, weights, dst,
         Dims{w.stride.h, w.stride.w}, Dims{w.dilation.h - 1, w.dilation.w - 1},
         Dims{band.above, w.padding.w}, Dims{band.below, w.padding.w}},
        onednn_attributes(), onednn_engine());
    weight_layouts_.emplace(piece.channels, made.weights_desc());
    return {dnnl::convolution_forward(made), src, made.weights_desc(), dst, made.scratchpad_desc()};
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
    memory packed(layout, onednn_engine());
    memory source(dense, onednn_engine(), const_cast<void*>(plain));
    omp_set_num_threads(1);
    dnnl::stream stream(onednn_engine());
    dnnl::reorder(source, packed).execute(stream, source, packed);
    weights_.emplace(piece.channel, packed);
    return packed;
  }

  void run_task(Task& task, const std::byte* x, const KernelArgs& args) {
    const Primitive& primitive = *task.primitive;
    const std::size_t sums_bytes = in_lines(primitive.dst.get_size());
    std::byte* const memory_here = thread_scratch(sums_bytes + primitive.scratchpad.get_size());
    const auto set = [](const memory& at, const std::byte* data) {
      dnnl_memory_set_data_handle(at.get(), const_cast<std::byte*>(data));
    };
    set(task.src, x + task.source);
    set(task.dst, memory_here);
    set(task.scratchpad, memory_here + sums_bytes);
    const std::array<dnnl_exec_arg_t, 4> exec = {{{DNNL_ARG_SRC, task.src.get()},
                                                  {DNNL_ARG_WEIGHTS, task.weights.get()},
                                                  {DNNL_ARG_DST, task.dst.get()},
                                                  {DNNL_ARG_SCRATCHPAD, task.scratchpad.get()}}};
    omp_set_num_threads(1);
    thread_local dnnl::stream stream(onednn_engine());
    [[maybe_unused]] const dnnl_status_t status = dnnl_primitive_execute(
        primitive.run.get(), stream.get(), static_cast<int>(exec.size()), exec.data());
    assert(status == dnnl_success && "oneDNN failed to run what it had agreed to");
    const ImagePiece& piece = task.piece;
    const ops::Extent& out = conv_.window.out;
    finish(job_.stages,
           {.data = memory_here,
            .whole = job_.grid.has_value(),
            .unscale = unscale_,
            .places = piece.images * piece.rows * out.w,
            .channels = piece.channels},
           {.place = (piece.image * out.h + piece.row) * out.w,
            .channel = piece.channel,
            .row = conv_.out_channels},
           args);
  }

  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                         std::int64_t>;
  ImageConvJob job_;
  ops::ConvShape conv_;
  Type source_type_ = Type::f32, weight_type_ = Type::f32, sum_type_ = Type::f32;
  float unscale_ = 1;
  std::map<Key, std::unique_ptr<Primitive>> primitives_;
  std::map<std::int64_t, memory::desc> weight_layouts_;  ///< by number of channels
  std::map<std::int64_t, memory> weights_;               ///< by first channel
  std::vector<Task> tasks_;
};

}  // namespace

ImageConvJob image_job(const KernelCall& call, std::vector<Stage> stages) {
  ImageConvJob job{.shape = {}, .weights = call.fixed[1]};
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
