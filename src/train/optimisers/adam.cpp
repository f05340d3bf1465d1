// Adam (Kingma and Ba 2015) as PyTorch has it; weight decay is added to the gradient.
#include "train/adam_step.hpp"

namespace chop::train::optimisers::adam {

OptimiserDef define() {
  return {.name = "adam",
          .doc = "Adam; weight decay as an L2 term in the gradient",
          .slots = {"exp_avg", "exp_avg_sq"},
          .step = [](const OptimiserStep& step) { adam_step(step, /*decoupled=*/false); },
          .least_learning_rate = 1e-6};
}

}  // namespace chop::train::optimisers::adam
