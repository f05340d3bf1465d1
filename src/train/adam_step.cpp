#include "train/adam_step.hpp"

#include <cmath>

namespace chop {

void adam_step(const OptimiserStep& step, bool decoupled) {
  const OptimiserSettings& s = step.settings;
  const auto t = static_cast<double>(step.number);
  const auto beta1 = static_cast<float>(s.beta1);
  const auto beta2 = static_cast<float>(s.beta2);
  const auto rest1 = static_cast<float>(1 - s.beta1);
  const auto rest2 = static_cast<float>(1 - s.beta2);
  const auto rate = static_cast<float>(step.learning_rate / (1 - std::pow(s.beta1, t)));
  const auto scale = static_cast<float>(1 / std::sqrt(1 - std::pow(s.beta2, t)));
  const auto eps = static_cast<float>(s.eps);
  const auto decay = static_cast<float>(decoupled ? 0 : s.weight_decay);
  const auto shrink = static_cast<float>(decoupled ? 1 - step.learning_rate * s.weight_decay : 1);
  float* __restrict w = step.values.data();
  const float* __restrict grad = step.gradients.data();
  float* __restrict m = step.slots[0].data();
  float* __restrict v = step.slots[1].data();
  const std::size_t count = step.values.size();
  for (std::size_t i = 0; i < count; ++i) {
    const float old = w[i] * shrink;
    const float g = grad[i] + decay * old;
    m[i] = beta1 * m[i] + rest1 * g;
    v[i] = beta2 * v[i] + rest2 * g * g;
    w[i] = old - rate * m[i] / (std::sqrt(v[i]) * scale + eps);
  }
}

}  // namespace chop
