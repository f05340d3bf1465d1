// Stochastic gradient descent with momentum, as PyTorch has it:
//   g = grad + λ w      u = g at the first step, then μ u + g      w -= lr (g + μ u)  Nesterov
//                                                                  w -= lr u          otherwise
#include "train/optimiser.hpp"

namespace chop::train::optimisers::sgd {
namespace {

void step_all(const OptimiserStep& step) {
  const auto rate = static_cast<float>(step.learning_rate);
  const auto decay = static_cast<float>(step.settings.weight_decay);
  const auto momentum = static_cast<float>(step.settings.momentum);
  const float keep = step.number == 1 ? 0.0F : momentum;
  const bool nesterov = step.settings.nesterov && momentum != 0;
  float* __restrict w = step.values.data();
  const float* __restrict grad = step.gradients.data();
  float* __restrict u = step.slots[0].data();
  step.in_shares([=](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const float g = grad[i] + decay * w[i];
      u[i] = keep * u[i] + g;
      w[i] -= rate * (nesterov ? g + momentum * u[i] : u[i]);
    }
  });
}

}  // namespace

OptimiserDef define() {
  return {.name = "sgd",
          .doc = "gradient descent with momentum and, by default, Nesterov's correction",
          .slots = {"momentum_buffer"},
          .step = step_all};
}

}  // namespace chop::train::optimisers::sgd
