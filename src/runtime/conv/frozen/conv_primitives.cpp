// Sums of convolutions by oneDNN: one primitive for each kind of piece, run on one thread.
#include <omp.h>

#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <tuple>

#include "runtime/conv/frozen/conv_sums.hpp"
#include "runtime/onednn.hpp"
#include "support/system/big_memory.hpp"

namespace chop::runtime {
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

/// What running a piece needs; addresses are filled in when it runs.
struct Task {
  const Primitive* primitive = nullptr;
  std::size_t source = 0;  ///< first byte of the images it reads
  memory src, weights, bias, dst, scratchpad;
};

std::int64_t element_bytes(const ConvSumsJob& job) {
  return static_cast<std::int64_t>(job.grid ? 1 : sizeof(float));
}

class PrimitiveSums : public ConvSums {
 public:
  explicit PrimitiveSums(const ConvSumsJob& job)
      : ConvSums(cut_images(job.shape, element_bytes(job))), conv_(job.shape), bias_(job.bias) {
    if (job.grid) {
      source_type_ = job.has_sign() ? Type::s8 : Type::u8;
      weight_type_ = Type::s8;
      sum_type_ = Type::s32;
    }
    for (const ImagePiece& piece : pieces()) add_task(job, piece);
  }

  std::size_t scratch_bytes(std::size_t piece) const override {
    return tasks_[piece].primitive->scratchpad.get_size();
  }

  void run(std::size_t piece, const std::byte* images, std::byte* sums,
           std::byte* scratch) override {
    Task& task = tasks_[piece];
    const auto set = [](const memory& at, const std::byte* data) {
      dnnl_memory_set_data_handle(at.get(), const_cast<std::byte*>(data));
    };
    set(task.src, images + task.source);
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

 private:
  void add_task(const ConvSumsJob& job, const ImagePiece& piece) {
    const Primitive& primitive = primitive_for(piece);
    const Band band = band_of(conv_.window, piece.row, piece.rows);
    const dnnl::engine& engine = onednn_engine();
    tasks_.push_back(
        {.primitive = &primitive,
         .source =
             static_cast<std::size_t>((piece.image * conv_.window.in.h + band.first) *
                                      conv_.window.in.w * conv_.in_channels * element_bytes(job)),
         .src = memory(primitive.src, engine, nullptr),
         .weights = packed_weights(job, piece, primitive.weights),
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
  memory packed_weights(const ConvSumsJob& job, const ImagePiece& piece,
                        const memory::desc& layout) {
    const auto found = weights_.find(piece.channel);
    if (found != weights_.end()) return found->second;
    const std::int64_t each = conv_.group_in() * conv_.window.kernel.area();
    std::vector<std::int8_t> codes;
    const void* plain = job.weights + piece.channel * each;
    if (job.grid) {
      codes = job.weight_codes(piece.channel * each, piece.channels * each);
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

  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                         std::int64_t>;
  ops::ConvShape conv_;
  Type source_type_ = Type::f32, weight_type_ = Type::f32, sum_type_ = Type::f32;
  std::vector<float> bias_;
  std::map<Key, std::unique_ptr<Primitive>> primitives_;
  std::map<std::int64_t, memory::desc> weight_layouts_;  ///< by number of channels
  std::map<std::int64_t, memory> weights_;               ///< by first channel
  std::vector<std::shared_ptr<std::byte[]>> weight_memory_;
  std::vector<Task> tasks_;
};

}  // namespace

std::vector<std::int8_t> ConvSumsJob::weight_codes(std::int64_t first, std::int64_t count) const {
  std::vector<std::int8_t> codes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::int8_t>(
        std::lround(weights[static_cast<std::size_t>(first) + i] * weight_grid->scale));
  return codes;
}

std::unique_ptr<ConvSums> primitive_sums(const ConvSumsJob& job) {
  return std::make_unique<PrimitiveSums>(job);
}

}  // namespace chop::runtime
