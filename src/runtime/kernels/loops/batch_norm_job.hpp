// What the loops of batch normalisation are asked to do, over x [n, c, s].
#pragma once

#include "runtime/row_blocks.hpp"

namespace chop::runtime::kernels {

struct NormJob {
  std::int64_t n = 0, c = 0, s = 1;
  float eps = 0, momentum = 0;
  bool batch_statistics = false;  ///< else the running ones
  bool track = false;             ///< whether there are running ones to move
  bool relu = false;              ///< whether y is clamped at zero; dy then counts where y > 0
  Share channels = {};            ///< those of a call, where s = 1
};

/// Pointers may be null where the call has no such operand or nobody reads the result.
struct NormArgs {
  const float *x, *weight, *bias, *running_mean, *running_var;
  float *y, *mean, *invstd, *new_mean, *new_var;
};

struct NormGradArgs {
  const float *dy, *x, *mean, *invstd, *weight;
  const float* y;  ///< only with relu
  float *dx, *dweight, *dbias;
};

/// What every row of a channel goes through; null where there is none.
struct NormLine {
  const float *mean, *scale;
  const float* shift;           ///< forward: added; backward: mean dy
  const float* pull = nullptr;  ///< backward alone
};

}  // namespace chop::runtime::kernels
