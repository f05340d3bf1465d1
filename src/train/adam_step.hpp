// The update adam and adamw share.
#pragma once

#include "train/optimiser.hpp"

namespace chop::train {

/// m = β1 m + (1-β1) g,  v = β2 v + (1-β2) g²,  w -= lr/(1-β1ᵗ) · m / (√v/√(1-β2ᵗ) + ε),
/// where g has λw added (adam) or w was scaled by 1 - lr·λ before (adamw, decoupled).
void adam_step(const OptimiserStep& step, bool decoupled);

}  // namespace chop::train
