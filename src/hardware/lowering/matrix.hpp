// What layers with a constant matrix share: linear layers and convolutions.
#pragma once

#include "hardware/lowering/lowering_def.hpp"

namespace chop::hardware {

/// A matrix that is applied to windows of the input (hardware/ops/linear.cpp).
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Codes window = {};
  Shape positions = {};        ///< of the windows, if they are more than one
  std::int64_t first_row = 0;  ///< of the layer's weight, where it is cut into groups
  std::string suffix = {};     ///< of the node's name, likewise
};

/// A `linear` node with the operands `weight` and, if it has one, `bias` of the call. A bias
/// without a format is added as a real number by the format behind the layer, and so are scales of
/// `x` and of the weight multiplied that are no powers of two.
Result<Traced> lower_matrix(LoweringCall& call, LoweringCall::Scaled x, Matrix matrix);

/// Its elements in another order, pending functions included.
Result<Traced> reordered(LoweringCall& call, Traced traced, Codes index);

/// y = scale · x + shift per channel, as a function. `magnitude` bounds the terms that float32
/// adds.
PendingFunction pending_affine(std::string what, std::vector<double> scale,
                               std::vector<double> shift, std::vector<double> magnitude);

}  // namespace chop::hardware
