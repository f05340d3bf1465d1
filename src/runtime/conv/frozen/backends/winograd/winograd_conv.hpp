// Convolutions with windows of 3 x 3 and a stride of one by Winograd's F(2 x 2, 3 x 3): 2 x 2
// outputs are computed from a patch of 4 x 4 inputs with 16 products for each pair of channels,
// not 36.
//
// Rounding errors are a few times those of adding up products one by one, because inputs, weights
// and products go through sums and differences; an infinity in an image makes NaN of the outputs
// of all patches that see it.
#pragma once

#include "ops/families/layers/conv.hpp"
#include "runtime/conv/frozen/conv_tiles.hpp"

namespace chop::runtime {

/// Outputs of a patch, each way. Tiles begin with a multiple of it.
constexpr std::int64_t kWinogradOutput = 2;

class WinogradConv {
 public:
  /// Whether channels come in whole vectors, and panels of weights in whole tiles.
  static bool can_run(const ops::ConvShape& conv);

  /// `weights` [out, in, 3, 3] are read now and not kept.
  WinogradConv(const ops::ConvShape& conv, const float* weights);

  std::size_t scratch_bytes(const ConvTile& tile) const;
  /// The accumulators of a tile, [position, channel of the tile], plus `bias` (of all channels)
  /// unless it is null.
  void run(const ConvTile& tile, const float* images, const float* bias, float* accumulators,
           std::byte* scratch) const;

 private:
  ops::ConvShape conv_;
  std::vector<float> zeros_;                ///< a position in the padding
  std::shared_ptr<const float[]> weights_;  ///< by panel of output channels, then by product
};

}  // namespace chop::runtime
