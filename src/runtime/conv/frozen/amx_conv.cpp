// Sums of convolutions of bytes on the processor's matrix unit (runtime/conv/frozen/amx.hpp).
//
// The rows of a piece are copied between zeros where the window reaches beyond the image. Places
// a fixed step apart are then multiplied as they lie: a step of one goes on over the ends of
// rows, and the sums that are made there of two rows are dropped. Few channels are multiplied
// with their neighbours in the window's row at once.
#include <algorithm>
#include <cstring>

#include "runtime/conv/frozen/amx.hpp"
#include "runtime/conv/frozen/conv_sums.hpp"
#include "support/system/big_memory.hpp"

namespace chop::runtime {
namespace {

static_assert(kPieceChannels % kAmxChannels == 0, "a piece begins with a group of channels");

class AmxSums : public ConvSums {
 public:
  explicit AmxSums(const ConvSumsJob& job)
      : ConvSums(cut_bytes(job.shape)), conv_(job.shape), has_sign_(job.has_sign()) {
    const ops::Window& w = conv_.window;
    width_ = w.in.w + 2 * w.padding.w;
    together_ = w.dilation.w == 1 && w.kernel.w * conv_.in_channels <= kAmxDepth;
    on_ = w.stride.w == 1 && w.stride.h == 1;
    find_offsets();
    pack(job);
  }

  std::size_t scratch_bytes(std::size_t piece) const override {
    return static_cast<std::size_t>(kSumsBytes + copied_bytes(pieces()[piece]));
  }

  void run(std::size_t number, const std::byte* images, std::byte* sums,
           std::byte* scratch) override {
    const ImagePiece& piece = pieces()[number];
    auto* const block = reinterpret_cast<std::int32_t*>(scratch);
    std::byte* const copied = scratch + kSumsBytes;
    const std::int64_t image_sums = piece.rows * conv_.window.out.w * piece.channels;
    const AmxTiles tiles;
    for (std::int64_t n = 0; n < piece.images; ++n) {
      copy_rows(piece, images + (piece.image + n) * conv_.window.in.area() * conv_.in_channels,
                copied);
      run_image(piece, copied, block, reinterpret_cast<std::int32_t*>(sums) + n * image_sums);
    }
  }

 private:
  static constexpr std::int64_t kSumsBytes =
      kAmxPlaces * kAmxChannels * static_cast<std::int64_t>(sizeof(std::int32_t));

  /// Rows of the input that a piece sees, those in the padding included.
  std::int64_t seen_rows(const ImagePiece& piece) const {
    const ops::Window& w = conv_.window;
    return (piece.rows - 1) * w.stride.h + (w.kernel.h - 1) * w.dilation.h + 1;
  }
  std::int64_t row_bytes() const { return width_ * conv_.in_channels; }
  /// Blocks reach beyond the last place: what they read there is not used, but must be there.
  std::int64_t slack_bytes() const {
    return kAmxPlaces * conv_.window.stride.w * conv_.in_channels + 2 * kAmxDepth;
  }
  std::int64_t copied_bytes(const ImagePiece& piece) const {
    return seen_rows(piece) * row_bytes() + slack_bytes();
  }

  void find_offsets() {
    const ops::Window& w = conv_.window;
    const std::int64_t channels = conv_.in_channels;
    for (std::int64_t y = 0; y < w.kernel.h; ++y)
      for (std::int64_t x = 0; x < (together_ ? 1 : w.kernel.w); ++x)
        for (std::int64_t c = 0; c < (together_ ? 1 : channels); c += kAmxDepth)
          offsets_.push_back((y * w.dilation.h * width_ + x * w.dilation.w) * channels + c);
  }

  /// The weight's code that channel o multiplies byte `byte` of step `step` with.
  std::int8_t code(const std::vector<std::int8_t>& codes, std::int64_t o, std::int64_t step,
                   std::int64_t byte) const {
    const ops::Extent& kernel = conv_.window.kernel;
    const std::int64_t channels = conv_.in_channels;
    std::int64_t y = step, x = byte / channels, c = byte % channels;
    if (!together_) {
      const std::int64_t blocks = parts_of(channels, kAmxDepth);
      c = step % blocks * kAmxDepth + byte;
      x = step / blocks % kernel.w;
      y = step / blocks / kernel.w;
    }
    if (o >= conv_.out_channels || c >= channels || x >= kernel.w) return 0;
    return codes[static_cast<std::size_t>(((o * channels + c) * kernel.h + y) * kernel.w + x)];
  }

  /// By 32 channels, by step, by 16 channels, by 4 bytes, by channel.
  void pack(const ConvSumsJob& job) {
    const ops::Extent& kernel = conv_.window.kernel;
    const std::vector<std::int8_t> codes =
        job.weight_codes(0, conv_.out_channels * conv_.in_channels * kernel.area());
    const auto steps = static_cast<std::int64_t>(offsets_.size());
    const std::int64_t groups = parts_of(conv_.out_channels, kAmxChannels);
    weights_ = allocate_together(static_cast<std::size_t>(groups * steps * kAmxWeights));
    std::byte* to = weights_.get();
    for (std::int64_t group = 0; group < groups; ++group)
      for (std::int64_t step = 0; step < steps; ++step)
        for (std::int64_t first = 0; first < kAmxChannels; first += kAmxChannels / 2)
          for (std::int64_t four = 0; four < kAmxDepth; four += 4)
            for (std::int64_t o = 0; o < kAmxChannels / 2; ++o)
              for (std::int64_t i = 0; i < 4; ++i)
                *to++ = static_cast<std::byte>(
                    code(codes, group * kAmxChannels + first + o, step, four + i));
  }

  /// The rows a piece sees, with zeros for what lies beyond the image.
  void copy_rows(const ImagePiece& piece, const std::byte* image, std::byte* to) const {
    const ops::Window& w = conv_.window;
    const auto side = static_cast<std::size_t>(w.padding.w * conv_.in_channels);
    const auto inner = static_cast<std::size_t>(w.in.w * conv_.in_channels);
    const std::int64_t first = w.row(piece.row, 0);
    for (std::int64_t y = first; y < first + seen_rows(piece); ++y, to += row_bytes()) {
      if (y < 0 || y >= w.in.h) {
        std::memset(to, 0, static_cast<std::size_t>(row_bytes()));
        continue;
      }
      std::memset(to, 0, side);
      std::memcpy(to + side, image + y * static_cast<std::int64_t>(inner), inner);
      std::memset(to + side + inner, 0, side);
    }
    std::memset(to, 0, static_cast<std::size_t>(slack_bytes()));
  }

  void run_image(const ImagePiece& piece, const std::byte* copied, std::int32_t* block,
                 std::int32_t* sums) const {
    const ops::Window& w = conv_.window;
    const std::int64_t runs = on_ ? 1 : piece.rows;
    const std::int64_t length = on_ ? (piece.rows - 1) * width_ + w.out.w : w.out.w;
    const auto group_bytes = static_cast<std::int64_t>(offsets_.size()) * kAmxWeights;
    for (std::int64_t c = 0; c < piece.channels; c += kAmxChannels) {
      const std::byte* const weights =
          weights_.get() + (piece.channel + c) / kAmxChannels * group_bytes;
      for (std::int64_t run = 0; run < runs; ++run)
        for (std::int64_t i = 0; i < length; i += kAmxPlaces) {
          amx_sums_of({.places = copied + run * w.stride.h * row_bytes() +
                                 i * w.stride.w * conv_.in_channels,
                       .step = w.stride.w * conv_.in_channels,
                       .offsets = offsets_,
                       .weights = weights,
                       .has_sign = has_sign_,
                       .half = length - i <= kAmxPlaces / 2},
                      block);
          keep(piece, run, i, std::min(length - i, kAmxPlaces), c, block, sums);
        }
    }
  }

  /// Those of a block's sums that are of places of the output, to where they belong.
  void keep(const ImagePiece& piece, std::int64_t run, std::int64_t first, std::int64_t count,
            std::int64_t channel, const std::int32_t* block, std::int32_t* sums) const {
    const std::int64_t out_w = conv_.window.out.w;
    const std::int64_t channels = std::min(kAmxChannels, piece.channels - channel);
    std::int64_t row = on_ ? first / width_ : run, column = on_ ? first % width_ : first;
    for (std::int64_t i = 0; i < count; ++i, ++column, block += kAmxChannels) {
      if (on_ && column == width_) {
        ++row;
        column = 0;
      }
      if (column >= out_w) continue;
      std::int32_t* const to = sums + (row * out_w + column) * piece.channels + channel;
      if (channels == kAmxChannels)
        std::memcpy(to, block, kAmxChannels * sizeof(std::int32_t));
      else
        std::copy_n(block, channels, to);
    }
  }

  ops::ConvShape conv_;
  bool has_sign_ = false;
  std::int64_t width_ = 0;  ///< of a copied row, in places
  bool together_ = false;   ///< a row of the window is one step
  bool on_ = false;         ///< blocks go on over the ends of rows
  std::vector<std::int64_t> offsets_;
  std::shared_ptr<std::byte[]> weights_;
};

}  // namespace

std::unique_ptr<ConvSums> amx_sums(const ConvSumsJob& job) {
  if (!job.grid || job.shape.groups != 1 || job.shape.dims > 2 || !has_amx()) return nullptr;
  return std::make_unique<AmxSums>(job);
}

}  // namespace chop::runtime
