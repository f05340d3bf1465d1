// w -= lr · sign(grad)
#include "train/optimiser.hpp"

namespace chop::train::optimisers::sign_descent {
namespace {

void step_all(const OptimiserStep& step) {
  const auto rate = static_cast<float>(step.learning_rate);
  for (std::size_t i = 0; i < step.values.size(); ++i) {
    const float g = step.gradients[i];
    step.values[i] -= g > 0 ? rate : g < 0 ? -rate : 0.0F;
  }
}

}  // namespace

OptimiserDef define() {
  return {.name = "sign_descent",
          .doc = "steps of one size along the sign of the gradient",
          .slots = {},
          .step = step_all};
}

}  // namespace chop::train::optimisers::sign_descent
