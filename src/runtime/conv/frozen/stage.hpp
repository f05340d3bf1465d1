// A stage: one thing done to a sum on its way to memory. A chain is a call that makes sums
// (a convolution, a product) with the stages that finish them while they are in the cache.
//
// Every stage computes what the kernel of the op it stands for computes, with the same
// operations in the same order, so from equal sums come equal bits.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "formats/element.hpp"

namespace chop::runtime {

enum class StageKind : std::uint8_t {
  Keep,     ///< y = x
  Bias,     ///< y = x + a[c]
  Norm,     ///< y = (x - a[c]) · b[c] + c[c], multiplied and added at once
  Add,      ///< y = x + another tensor
  Clamp,    ///< y = min(max(x, low), high); NaN stays
  Quantise  ///< y = x on a fixed-point grid
};

struct Stage {
  StageKind kind = StageKind::Keep;
  std::vector<float> a = {}, b = {}, c = {};  ///< by channel
  float low = 0, high = 0;
  Element element = {};     ///< Quantise
  std::size_t operand = 0;  ///< Add: which operand of the call, later of the step, is added
  int output = -1;          ///< which result of the step this stage's y is; -1: none
  bool codes = false;       ///< that result holds the grid's whole numbers, one byte each
};

inline Stage clamp_stage(float low, float high = std::numeric_limits<float>::infinity()) {
  return {.kind = StageKind::Clamp, .low = low, .high = high};
}

}  // namespace chop::runtime
