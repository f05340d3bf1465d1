// Winograd backend: 3 x 3 windows of floats with a stride of one (winograd/winograd_conv.hpp says
// how). For graphs without number formats only, because it rounds in other ways.
#include "runtime/conv/frozen/backends/winograd/winograd_conv.hpp"
#include "runtime/conv/frozen/conv_backend.hpp"
#include "runtime/gemm/gemm.hpp"

namespace chop::runtime::backends::winograd {
namespace {

/// Bytes of transformed patches that a tile may have, to stay in the second cache; a patch is 16
/// floats to a channel.
constexpr std::int64_t kTilePatchBytes = std::int64_t{1} << 20;
constexpr std::int64_t kPatchBytes = 64;
/// Tiles that leave no thread without work.
constexpr std::int64_t kFewestTiles = 4;

/// Bands of whole rows of patches, so tiles begin with an even row of the output; groups of
/// channels where there are few bands.
std::vector<ConvTile> tiles_of(const ops::ConvShape& conv) {
  const std::int64_t down = ceil_div(conv.window.out.h, kWinogradOutput);
  const std::int64_t across = ceil_div(conv.window.out.w, kWinogradOutput);
  const std::int64_t most =
      std::max<std::int64_t>(1, kTilePatchBytes / (kPatchBytes * conv.in_channels));
  const std::int64_t images = std::clamp<std::int64_t>(most / (down * across), 1, conv.batch);
  std::int64_t bands = std::min(down, ceil_div(down * across, most));
  if (conv.batch < kFewestTiles && bands > 1)
    bands = std::min(down, ceil_div(bands, kFewestTiles) * kFewestTiles);
  std::vector<ConvTile> tiles;
  for (std::int64_t n = 0; n < conv.batch; n += images)
    for (std::int64_t band = 0; band < bands; ++band) {
      const std::int64_t row = kWinogradOutput * (band * down / bands);
      const std::int64_t end =
          std::min(conv.window.out.h, kWinogradOutput * ((band + 1) * down / bands));
      tiles.push_back(
          {.image = n, .images = std::min(images, conv.batch - n), .row = row, .rows = end - row});
    }
  const bool few = static_cast<std::int64_t>(tiles.size()) < kFewestTiles;
  return split_channels(conv, few ? kTileChannels : conv.out_channels, tiles);
}

class WinogradTiles : public TiledConv {
 public:
  explicit WinogradTiles(const ConvJob& job)
      : TiledConv(tiles_of(job.shape)), conv_(job.shape, job.weights), bias_(job.bias) {}

  std::size_t scratch_bytes(std::size_t tile) const override {
    return conv_.scratch_bytes(tiles()[tile]);
  }
  void run(std::size_t tile, const std::byte* images, std::byte* accumulators,
           std::byte* scratch) override {
    conv_.run(tiles()[tile], reinterpret_cast<const float*>(images),
              bias_.empty() ? nullptr : bias_.data(), reinterpret_cast<float*>(accumulators),
              scratch);
  }

 private:
  WinogradConv conv_;
  std::vector<float> bias_;
};

std::string declines(const ConvJob& job) {
  const ops::ConvShape& conv = job.shape;
  const ops::Window& w = conv.window;
  constexpr ops::Extent kOnes{1, 1, 1};
  constexpr std::int64_t kFewChannels = 32;  // below, the transforms cost too much
  constexpr std::int64_t kFewPatches = 32;   // below, reading more weights costs too much
  if (job.grid) return "bytes";
  if (job.exact) return "the graph has number formats, which would show other roundings";
  if (w.kernel != ops::Extent{3, 3, 1}) return "the window is not 3 x 3";
  if (w.stride != kOnes || w.dilation != kOnes) return "stride or dilation is not one";
  if (conv.groups != 1) return "several groups";
  if (!WinogradConv::can_run(conv)) return "channels are no multiple of 16";
  if (std::min(conv.in_channels, conv.out_channels) < kFewChannels) return "few channels";
  if (conv.batch * ceil_div(w.out.h, kWinogradOutput) * ceil_div(w.out.w, kWinogradOutput) <
      kFewPatches)
    return "few positions";
  return {};
}

std::unique_ptr<TiledConv> make(const ConvJob& job) {
  return std::make_unique<WinogradTiles>(job);
}

}  // namespace

ConvBackend define() {
  return {.name = "winograd",
          .doc = "Winograd's F(2 x 2, 3 x 3): 16 products for 4 outputs instead of 36, of floats",
          .preference = 1,
          .declines = declines,
          .make = make};
}

}  // namespace chop::runtime::backends::winograd
