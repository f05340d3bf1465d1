// How the sum over images and positions that makes a weight's gradient is cut. One call of oneDNN
// adds up in floats, so it gets few positions: a sub-batch of small images, or a patch of a large
// one. Sums of parts are added in double, always in the same order.
#pragma once

#include "runtime/conv/train/conv_primitive.hpp"

namespace chop::runtime {

/// A part that one call of oneDNN adds up: images of a batch, or a patch of one image.
struct SumPart {
  std::int64_t image = 0;
  std::int64_t x = 0, y = 0;  ///< first element of the image, of its output
  std::size_t primitive = 0;
};

/// All parts, `by_task` of them to a task, and the primitives they run on.
struct SumParts {
  std::vector<SumPart> parts;
  std::int64_t by_task = 1;
  std::vector<ConvPrimitive> primitives;
  std::size_t part_bytes = 0;  ///< that making one part needs at most

  std::int64_t count() const { return static_cast<std::int64_t>(parts.size()); }
  std::int64_t tasks() const { return (count() + by_task - 1) / by_task; }
};

/// Depends on the shape alone. Null where oneDNN knows no such convolution.
std::shared_ptr<const SumParts> cut_weight_sum(const ops::ConvShape& conv);

}  // namespace chop::runtime
