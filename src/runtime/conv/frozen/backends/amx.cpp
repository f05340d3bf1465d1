// AMX backend: convolutions of bytes on the processor's matrix unit (amx/amx_unit.hpp).
//
// The algorithm is an implicit im2col: the matrix of all windows is not written out, its rows are
// read where they lie. The rows of the input that a tile sees are copied once, with zeros around
// them where the window reaches beyond the image. In the copy, the inputs of neighbouring output
// positions lie a fixed stride apart, so a register tile of 16 positions by 64 bytes is one strided
// load, and a convolution is one multiplication for each offset of the window:
//
//   window 3 x 3, 128 channels    18 steps: 9 offsets, 64 channels at a time
//   window 3 x 3, 16 channels      3 steps: the three neighbours of a row of the window are
//                                  48 bytes in a row, so a step takes the whole row
//
// With a stride of one, the copied rows are treated as one long row: blocks of 32 positions run
// over the ends of rows, and the accumulators of windows that straddle two rows are discarded. With
// 7 outputs to a row, copied 9 wide, that wastes 2 of 9; blocks of single rows would waste 9 of 16.
#include "runtime/conv/frozen/backends/amx/amx_unit.hpp"
#include "runtime/conv/frozen/conv_backend.hpp"
#include "runtime/conv/frozen/padded_rows.hpp"
#include "support/system/big_memory.hpp"

namespace chop::runtime::backends::amx {
namespace {

static_assert(kTileChannels % kAmxChannels == 0, "a tile begins with a group of channels");

/// The unit is several times as fast as vectors of floats, so tiles have more work each.
std::vector<ConvTile> tiles_of(const ConvJob& job) {
  return direct_tiles(job.shape, job.element_bytes(), 4 * kTileWork);
}

class AmxConv : public TiledConv {
 public:
  explicit AmxConv(const ConvJob& job)
      : TiledConv(tiles_of(job)), conv_(job.shape), rows_{job.shape}, is_signed_(job.is_signed()) {
    const ops::Window& w = conv_.window;
    window_row_is_step_ = w.dilation.w == 1 && w.kernel.w * conv_.in_channels <= kAmxDepth;
    rows_are_joined_ = w.stride.w == 1 && w.stride.h == 1;
    find_offsets();
    pack(job);
  }

  std::size_t scratch_bytes(std::size_t tile) const override {
    return static_cast<std::size_t>(kBlockBytes + copied_bytes(tiles()[tile]));
  }

  void run(std::size_t number, const std::byte* images, std::byte* accumulators,
           std::byte* scratch) override {
    const ConvTile& tile = tiles()[number];
    auto* const block = reinterpret_cast<std::int32_t*>(scratch);
    std::byte* const copied = scratch + kBlockBytes;
    const std::int64_t per_image = tile.rows * conv_.window.out.w * tile.channels;
    const AmxTiles registers;
    for (std::int64_t n = 0; n < tile.images; ++n) {
      copy_rows(tile, images + (tile.image + n) * conv_.window.in.area() * conv_.in_channels,
                copied);
      run_image(tile, copied, block, reinterpret_cast<std::int32_t*>(accumulators) + n * per_image);
    }
  }

 private:
  static constexpr std::int64_t kBlockBytes =
      kAmxPositions * kAmxChannels * static_cast<std::int64_t>(sizeof(std::int32_t));

  /// Blocks read beyond the last position: what lies there is not used, but must be there.
  std::int64_t slack_bytes() const {
    return kAmxPositions * conv_.window.stride.w * conv_.in_channels + 2 * kAmxDepth;
  }
  std::int64_t copied_bytes(const ConvTile& tile) const {
    return rows_.rows(tile) * rows_.row_bytes() + slack_bytes();
  }

  void find_offsets() {
    const ops::Window& w = conv_.window;
    const std::int64_t channels = conv_.in_channels;
    for (std::int64_t y = 0; y < w.kernel.h; ++y)
      for (std::int64_t x = 0; x < (window_row_is_step_ ? 1 : w.kernel.w); ++x)
        for (std::int64_t c = 0; c < (window_row_is_step_ ? 1 : channels); c += kAmxDepth)
          offsets_.push_back((y * w.dilation.h * rows_.width() + x * w.dilation.w) * channels + c);
  }

  /// The weight that output channel o multiplies byte `byte` of step `step` with.
  std::int8_t weight_at(const std::vector<std::int8_t>& weights, std::int64_t o, std::int64_t step,
                        std::int64_t byte) const {
    const ops::Extent& kernel = conv_.window.kernel;
    const std::int64_t channels = conv_.in_channels;
    std::int64_t y = step, x = byte / channels, c = byte % channels;
    if (!window_row_is_step_) {
      const std::int64_t blocks = ceil_div(channels, kAmxDepth);
      c = step % blocks * kAmxDepth + byte;
      x = step / blocks % kernel.w;
      y = step / blocks / kernel.w;
    }
    return runtime::weight_at(conv_, weights, o, c, y, x);
  }

  /// [group of 32 channels, step, half of the group, 16 rows, 16 channels, 4 bytes].
  void pack(const ConvJob& job) {
    const ops::Extent& kernel = conv_.window.kernel;
    const std::vector<std::int8_t> weights =
        job.quantised_weights(0, conv_.out_channels * conv_.in_channels * kernel.area());
    const auto steps = static_cast<std::int64_t>(offsets_.size());
    const std::int64_t groups = ceil_div(conv_.out_channels, kAmxChannels);
    weights_ = allocate_together(static_cast<std::size_t>(groups * steps * kAmxWeights));
    std::byte* to = weights_.get();
    for (std::int64_t group = 0; group < groups; ++group)
      for (std::int64_t step = 0; step < steps; ++step)
        for (std::int64_t half = 0; half < kAmxChannels; half += kAmxChannels / 2)
          for (std::int64_t four = 0; four < kAmxDepth; four += 4)
            for (std::int64_t o = 0; o < kAmxChannels / 2; ++o)
              for (std::int64_t i = 0; i < 4; ++i)
                *to++ = static_cast<std::byte>(
                    weight_at(weights, group * kAmxChannels + half + o, step, four + i));
  }

  void copy_rows(const ConvTile& tile, const std::byte* image, std::byte* to) const {
    const auto copy_values = [](const std::byte* from, std::int64_t count, std::byte* into) {
      std::memcpy(into, from, static_cast<std::size_t>(count));
    };
    std::byte* const end = rows_.copy(tile, image, 0, to, copy_values);
    std::memset(end, 0, static_cast<std::size_t>(slack_bytes()));
  }

  void run_image(const ConvTile& tile, const std::byte* copied, std::int32_t* block,
                 std::int32_t* accumulators) const {
    const ops::Window& w = conv_.window;
    const std::int64_t lines = rows_are_joined_ ? 1 : tile.rows;
    const std::int64_t length =
        rows_are_joined_ ? (tile.rows - 1) * rows_.width() + w.out.w : w.out.w;
    const auto group_bytes = static_cast<std::int64_t>(offsets_.size()) * kAmxWeights;
    for (std::int64_t c = 0; c < tile.channels; c += kAmxChannels) {
      const std::byte* const weights =
          weights_.get() + (tile.channel + c) / kAmxChannels * group_bytes;
      for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t i = 0; i < length; i += kAmxPositions) {
          amx_multiply({.positions = copied + line * w.stride.h * rows_.row_bytes() +
                                     i * w.stride.w * conv_.in_channels,
                        .stride = w.stride.w * conv_.in_channels,
                        .offsets = offsets_,
                        .weights = weights,
                        .is_signed = is_signed_,
                        .half = length - i <= kAmxPositions / 2},
                       block);
          store(tile, {line, i, std::min(length - i, kAmxPositions), c}, block, accumulators);
        }
    }
  }

  /// Where the accumulators of a block belong.
  struct BlockOrigin {
    std::int64_t line;      ///< row of the tile; 0 where rows are joined
    std::int64_t position;  ///< of its first, in the line
    std::int64_t count;     ///< positions
    std::int64_t channel;   ///< of its first, in the tile
  };

  /// Copies the accumulators of a block that belong to positions of the output.
  void store(const ConvTile& tile, const BlockOrigin& at, const std::int32_t* block,
             std::int32_t* accumulators) const {
    const std::int64_t out_w = conv_.window.out.w;
    const std::int64_t width = rows_.width();
    const std::int64_t channels = std::min(kAmxChannels, tile.channels - at.channel);
    std::int64_t row = rows_are_joined_ ? at.position / width : at.line;
    std::int64_t column = rows_are_joined_ ? at.position % width : at.position;
    for (std::int64_t i = 0; i < at.count; ++i, ++column, block += kAmxChannels) {
      if (rows_are_joined_ && column == width) {
        ++row;
        column = 0;
      }
      if (column >= out_w) continue;
      std::int32_t* const to = accumulators + (row * out_w + column) * tile.channels + at.channel;
      if (channels == kAmxChannels)
        std::memcpy(to, block, kAmxChannels * sizeof(std::int32_t));
      else
        std::copy_n(block, channels, to);
    }
  }

  ops::ConvShape conv_;
  PaddedRows rows_;
  bool is_signed_ = false;
  bool window_row_is_step_ = false;  ///< a row of the window fits one step
  bool rows_are_joined_ = false;     ///< stride 1: the copied rows are one long row
  std::vector<std::int64_t> offsets_;
  std::shared_ptr<std::byte[]> weights_;
};

std::string declines(const ConvJob& job) {
  if (!job.grid) return "floats";
  if (job.shape.groups != 1) return "several groups";
  if (job.shape.dims > 2) return "more than two dimensions";
  // They would leave most of a step empty; vectors are faster then (benchmarks/bytes).
  if (job.shape.in_channels * job.shape.window.kernel.area() < kAmxDepth)
    return "few inputs to a sum";
  if (!has_amx()) return "the processor has no AMX, or it is not allowed";
  return {};
}

std::unique_ptr<TiledConv> make(const ConvJob& job) {
  return std::make_unique<AmxConv>(job);
}

}  // namespace

ConvBackend define() {
  return {.name = "amx",
          .doc = "implicit im2col on the AMX unit of the processor, of bytes",
          .preference = 1,
          .declines = declines,
          .make = make};
}

}  // namespace chop::runtime::backends::amx
