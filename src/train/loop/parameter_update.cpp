#include "train/loop/parameter_update.hpp"

namespace chop::train {

ParameterUpdate::ParameterUpdate(Training& training, const OptimiserSettings& settings,
                                 std::int64_t accumulate, int threads)
    : optimiser_(training.optimiser),
      accumulate_(accumulate),
      gradients_(training.store.gradients()),
      step_{.values = training.store.values(),
            .gradients = gradients_,
            .slots = {},
            .settings = settings,
            .threads = threads} {
  for (Tensor& slot : training.slots) step_.slots.push_back(slot.mutable_data<float>());
  if (accumulate > 1) sum_ = Tensor(DType::F32, {static_cast<std::int64_t>(gradients_.size())});
}

void ParameterUpdate::add_batch() {
  ++pending_;
  if (accumulate_ <= 1) return;
  const auto sum = sum_.mutable_data<float>();
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] = pending_ == 1 ? gradients_[i] : sum[i] + gradients_[i];
}

void ParameterUpdate::step(std::int64_t number, double learning_rate) {
  if (accumulate_ > 1) {
    // As Lightning: each batch's loss is divided by the whole number asked for, also when the epoch
    // ends before there are as many.
    const float share = 1.0F / static_cast<float>(accumulate_);
    const auto sum = sum_.data<float>();
    for (std::size_t i = 0; i < gradients_.size(); ++i) gradients_[i] = sum[i] * share;
  }
  pending_ = 0;
  step_.number = number;
  step_.learning_rate = learning_rate;
  optimiser_.step(step_);
}

}  // namespace chop::train
