// Epilogues: what is done to the accumulators of a convolution or product on their way to memory.
//
// A chain is one step of a plan: a call that makes accumulators and the epilogue fused behind it.
// For `quantize(relu(batch_norm(conv2d(x))))` the call is conv2d and the epilogue is
// {Norm, Clamp, Quantise}; each tile of accumulators goes through all three while it is in the
// cache.
//
// Every epilogue op computes what the kernel of the op it stands for computes, with the same
// operations in the same order, so from equal accumulators come equal bits.
#pragma once

#include "formats/grid.hpp"

namespace chop::runtime {

enum class EpilogueKind : std::uint8_t {
  Identity,  ///< y = x
  Bias,      ///< y = x + a[c]
  Norm,      ///< y = (x - a[c]) · b[c] + c[c], multiplied and added at once
  Add,       ///< y = x + another tensor
  Clamp,     ///< y = min(max(x, low), high); NaN stays
  Quantise   ///< y = x on a fixed-point grid
};

struct EpilogueOp {
  EpilogueKind kind = EpilogueKind::Identity;
  std::vector<float> a = {}, b = {}, c = {};  ///< by channel
  float low = 0, high = 0;
  Grid grid = {};           ///< Quantise
  std::size_t operand = 0;  ///< Add: which operand of the call, later of the step, is added
  int output = -1;          ///< which result of the step this op's y is; -1: none
  bool integers = false;    ///< that result holds quantised integers, one byte each
};

using Epilogue = std::vector<EpilogueOp>;

inline EpilogueOp clamp_op(float low, float high = std::numeric_limits<float>::infinity()) {
  return {.kind = EpilogueKind::Clamp, .low = low, .high = high};
}

}  // namespace chop::runtime
