// Convolutions with windows of 3 x 3 and steps of one in Winograd's way, F(2 x 2, 3 x 3): a tile of
// 2 x 2 results takes 16 products for each pair of channels instead of 36.
//
// Images and weights go through sums and differences of two or three numbers first, and the
// products through such sums after, so rounding errors are a few times those of adding up
// products one by one; an infinity in an image makes NaN of the tiles that see it. For graphs
// without number formats alone, where no rounding is promised to stay.
#pragma once

#include <memory>
#include <vector>

#include "ops/families/layers/conv.hpp"
#include "runtime/conv/frozen/image_cut.hpp"

namespace chop::runtime {

class Winograd {
 public:
  /// Whether it can do this convolution, and faster than products one by one.
  static bool suits(const ops::ConvShape& conv);

  /// `weights` [out, in, 3, 3] are read now and not kept.
  Winograd(const ops::ConvShape& conv, const float* weights);

  std::size_t scratch_bytes(const ImagePiece& piece) const;
  /// The sums of a piece, plus `bias` (of all channels) unless it is null: places in their order,
  /// the piece's channels of each together. The images have their channels last.
  void run(const ImagePiece& piece, const float* images, const float* bias, float* sums,
           std::byte* scratch) const;

 private:
  ops::ConvShape conv_;
  std::vector<float> zeros_;                ///< a place in the padding
  std::shared_ptr<const float[]> weights_;  ///< by panel of output channels, then by product
};

}  // namespace chop::runtime
