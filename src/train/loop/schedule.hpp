// The learning rate of each epoch: cosine annealing (Loshchilov and Hutter, 2017), as PyTorch's
// CosineAnnealingLR. From 0.1 down to 0 within 4 epochs: 0.1, 0.0854, 0.05, 0.0146, 0.
#pragma once

#include <numbers>

#include "support/layers.hpp"

namespace chop::train {

struct CosineSchedule {
  double start = 0;
  double end = 0;           ///< not below `start`: the rate stays as it is
  std::int64_t period = 0;  ///< epochs from start to end, and as many back up; 0: it stays too

  double at(std::int64_t epoch) const {
    if (period <= 0 || start <= end) return start;
    const double angle =
        std::numbers::pi * static_cast<double>(epoch) / static_cast<double>(period);
    return end + (start - end) * (1 + std::cos(angle)) / 2;
  }
};

}  // namespace chop::train
