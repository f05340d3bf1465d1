// AdamW (Loshchilov and Hutter 2019): Adam with the weight decay applied to the weights.
#include "train/adam_step.hpp"

namespace chop::train::optimisers::adamw {

OptimiserDef define() {
  return {.name = "adamw",
          .doc = "Adam with decoupled weight decay",
          .slots = {"exp_avg", "exp_avg_sq"},
          .step = [](const OptimiserStep& step) { adam_step(step, /*decoupled=*/true); },
          .least_learning_rate = 1e-6};
}

}  // namespace chop::train::optimisers::adamw
