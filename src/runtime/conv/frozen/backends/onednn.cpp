// oneDNN backend: direct convolution, of floats or of bytes.
//
// A tile is one oneDNN primitive on one thread. Tiles of the same size with the same
// padding (at the top, in the middle, at the bottom of an image) share the primitive: the rows of
// the input that a band sees are a smaller image, whose padding above and below is what the window
// reaches beyond it. With a window of 3 x 3 and padding of one, rows 0 and 1 of the output are a
// convolution of rows 0 to 2 of the input with one row of padding above and none below.
#include <tuple>

#include "runtime/conv/frozen/conv_backend.hpp"
#include "runtime/onednn.hpp"
#include "support/system/big_memory.hpp"

namespace chop::runtime::backends::onednn {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using FormatTag = memory::format_tag;
using Type = memory::data_type;

/// A primitive for tiles of one size and padding.
struct Primitive {
  dnnl::primitive run;
  memory::desc src, weights, bias, dst, scratchpad;
};

/// What running a tile needs; addresses are filled in when it runs.
struct Task {
  const Primitive* primitive = nullptr;
  std::size_t source = 0;  ///< first byte of the images it reads
  memory src, weights, bias, dst, scratchpad;
};

std::vector<ConvTile> tiles_of(const ConvJob& job) {
  return direct_tiles(job.shape, job.element_bytes(), kTileWork);
}

class OnednnConv : public TiledConv {
 public:
  /// Throws dnnl::error where oneDNN knows no such convolution.
  explicit OnednnConv(const ConvJob& job)
      : TiledConv(tiles_of(job)), conv_(job.shape), bias_(job.bias) {
    if (job.grid) {
      source_type_ = job.is_signed() ? Type::s8 : Type::u8;
      weight_type_ = Type::s8;
      accumulator_type_ = Type::s32;
    }
    for (const ConvTile& tile : tiles()) add_task(job, tile);
  }

  std::size_t scratch_bytes(std::size_t tile) const override {
    return tasks_[tile].primitive->scratchpad.get_size();
  }

  void run(std::size_t tile, const std::byte* images, std::byte* accumulators,
           std::byte* scratch) override {
    Task& task = tasks_[tile];
    const auto set = [](const memory& at, const std::byte* data) {
      dnnl_memory_set_data_handle(at.get(), const_cast<std::byte*>(data));
    };
    set(task.src, images + task.source);
    set(task.dst, accumulators);
    set(task.scratchpad, scratch);
    const std::array<dnnl_exec_arg_t, 5> exec = {{{DNNL_ARG_SRC, task.src.get()},
                                                  {DNNL_ARG_WEIGHTS, task.weights.get()},
                                                  {DNNL_ARG_DST, task.dst.get()},
                                                  {DNNL_ARG_SCRATCHPAD, task.scratchpad.get()},
                                                  {DNNL_ARG_BIAS, task.bias.get(true)}}};
    [[maybe_unused]] const dnnl_status_t status = dnnl_primitive_execute(
        task.primitive->run.get(), onednn_stream().get(), bias_.empty() ? 4 : 5, exec.data());
    assert(status == dnnl_success && "oneDNN failed to run what it had agreed to");
  }

 private:
  void add_task(const ConvJob& job, const ConvTile& tile) {
    const Primitive& primitive = primitive_for(tile);
    const InputRows input = input_rows_of(conv_.window, tile.row, tile.rows);
    const dnnl::engine& engine = onednn_engine();
    tasks_.push_back(
        {.primitive = &primitive,
         .source =
             static_cast<std::size_t>((tile.image * conv_.window.in.h + input.first) *
                                      conv_.window.in.w * conv_.in_channels * job.element_bytes()),
         .src = memory(primitive.src, engine, nullptr),
         .weights = packed_weights(job, tile, primitive.weights),
         .bias =
             bias_.empty() ? memory() : memory(primitive.bias, engine, bias_.data() + tile.channel),
         .dst = memory(primitive.dst, engine, nullptr),
         .scratchpad = memory(primitive.scratchpad, engine, nullptr)});
  }

  const Primitive& primitive_for(const ConvTile& tile) {
    const InputRows input = input_rows_of(conv_.window, tile.row, tile.rows);
    const auto key = std::make_tuple(tile.images, tile.channels, tile.rows,
                                     input.last - input.first, input.above, input.below);
    const auto found = primitives_.find(key);
    if (found != primitives_.end()) return *found->second;
    return *primitives_.emplace(key, std::make_unique<Primitive>(make_primitive(tile, input)))
                .first->second;
  }

  Dims weight_dims(std::int64_t channels) const {
    const ops::Extent& k = conv_.window.kernel;
    if (conv_.groups == 1) return {channels, conv_.in_channels, k.h, k.w};
    return {conv_.groups, conv_.group_out(), conv_.group_in(), k.h, k.w};
  }

  Primitive make_primitive(const ConvTile& tile, const InputRows& input) {
    const ops::Window& w = conv_.window;
    const memory::desc src({tile.images, conv_.in_channels, input.last - input.first, w.in.w},
                           source_type_, FormatTag::nhwc);
    const memory::desc dst({tile.images, tile.channels, tile.rows, w.out.w}, accumulator_type_,
                           FormatTag::nhwc);
    const auto known = weight_layouts_.find(tile.channels);
    const memory::desc weights =
        known != weight_layouts_.end()
            ? known->second
            : memory::desc(weight_dims(tile.channels), weight_type_, FormatTag::any);
    const memory::desc bias =
        bias_.empty() ? memory::desc() : memory::desc({tile.channels}, Type::f32, FormatTag::a);
    const auto made = describe_primitive<dnnl::convolution_forward>(
        onednn_engine(), onednn_attributes(), dnnl::prop_kind::forward_inference,
        dnnl::algorithm::convolution_direct, src, weights, bias, dst, Dims{w.stride.h, w.stride.w},
        Dims{w.dilation.h - 1, w.dilation.w - 1}, Dims{input.above, w.padding.w},
        Dims{input.below, w.padding.w});
    weight_layouts_.emplace(tile.channels, made.weights_desc());
    return {dnnl::convolution_forward(made), src, made.weights_desc(), bias, dst,
            made.scratchpad_desc()};
  }

  /// The weights of a tile's channels in the layout of its primitive, shared by all such tiles.
  memory packed_weights(const ConvJob& job, const ConvTile& tile, const memory::desc& layout) {
    const auto found = weights_.find(tile.channel);
    if (found != weights_.end()) return found->second;
    const std::int64_t each = conv_.group_in() * conv_.window.kernel.area();
    std::vector<std::int8_t> integers;
    const void* plain = job.weights + tile.channel * each;
    if (job.grid) {
      integers = job.quantised_weights(tile.channel * each, tile.channels * each);
      plain = integers.data();
    }
    const memory::desc dense(weight_dims(tile.channels), weight_type_,
                             conv_.groups == 1 ? FormatTag::oihw : FormatTag::goihw);
    weight_memory_.push_back(allocate_together(layout.get_size()));
    memory packed(layout, onednn_engine(), weight_memory_.back().get());
    memory source(dense, onednn_engine(), const_cast<void*>(plain));
    dnnl::reorder(source, packed).execute(onednn_stream(), source, packed);
    weights_.emplace(tile.channel, packed);
    return packed;
  }

  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                         std::int64_t>;
  ops::ConvShape conv_;
  Type source_type_ = Type::f32, weight_type_ = Type::f32, accumulator_type_ = Type::f32;
  std::vector<float> bias_;
  std::map<Key, std::unique_ptr<Primitive>> primitives_;
  std::map<std::int64_t, memory::desc> weight_layouts_;  ///< by number of channels
  std::map<std::int64_t, memory> weights_;               ///< by first channel
  std::vector<std::shared_ptr<std::byte[]>> weight_memory_;
  std::vector<Task> tasks_;
};

/// oneDNN has no images without rows.
bool has_tile_in_padding(const ConvJob& job) {
  const std::vector<ConvTile> tiles = tiles_of(job);
  return std::any_of(tiles.begin(), tiles.end(), [&](const ConvTile& tile) {
    const InputRows input = input_rows_of(job.shape.window, tile.row, tile.rows);
    return input.first >= input.last;
  });
}

/// Columns of padding beyond which oneDNN's code, unrolled over them, would take megabytes (with a
/// million columns, gigabytes).
constexpr std::int64_t kMostPadding = 1024;

std::string declines(const ConvJob& job) {
  if (job.shape.dims > 2) return "more than two dimensions";
  if (job.grid && !onednn_has_exact_bytes()) return "its sums of bytes would saturate without VNNI";
  if (job.shape.window.padding.w > kMostPadding)
    return cat("more than ", kMostPadding, " columns of padding");
  if (has_tile_in_padding(job)) return "some rows of the output see nothing but padding";
  return {};
}

std::unique_ptr<TiledConv> make(const ConvJob& job) {
  try {
    return std::make_unique<OnednnConv>(job);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace

ConvBackend define() {
  return {.name = "onednn",
          .doc = "direct convolution by oneDNN, of floats or bytes",
          .preference = 0,
          .declines = declines,
          .make = make};
}

}  // namespace chop::runtime::backends::onednn
