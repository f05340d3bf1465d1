// oracle_optimiser_dump START.npz END.npz OPTIMISER RATE ETA_MIN T_MAX WEIGHT_DECAY MOMENTUM
// NESTEROV: takes one step per row of `gradients` from the weights `start`, an epoch of the cosine
// each, and writes the weights after every step as `weights` and the learning rates as `rates`.
#include <cstdlib>
#include <iostream>
#include <string>

#include "io/npz.hpp"
#include "train/loop/schedule.hpp"
#include "train/optimiser.hpp"

namespace chop {
namespace {

struct Task {
  std::string optimiser;
  OptimiserSettings settings;
  double eta_min = 0;
  std::int64_t t_max = 0;
};

const Tensor* find(const NpzArrays& arrays, std::string_view name) {
  for (const auto& [key, tensor] : arrays)
    if (key == name) return &tensor;
  return nullptr;
}

Status run(const std::string& from, const std::string& to, const Task& task) {
  CH_TRY(const NpzArrays arrays, read_npz(from));
  const Tensor* start = find(arrays, "start");
  const Tensor* gradients = find(arrays, "gradients");
  if (start == nullptr || gradients == nullptr || start->dtype() != DType::F32 ||
      gradients->dtype() != DType::F32 || gradients->shape().back() != start->size())
    return Error{.what = "needs f32 arrays start [n] and gradients [steps, n]"};
  CH_TRY(const OptimiserDef* def, find_optimiser(task.optimiser));
  const std::int64_t steps = gradients->dim(0);
  const auto width = static_cast<std::size_t>(start->size());
  Tensor weights = *start;
  std::vector<Tensor> slots(def->slots.size(), Tensor(DType::F32, start->shape()));
  Tensor trace(DType::F32, gradients->shape());
  Tensor rates(DType::F64, {steps});
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double rate = CosineSchedule{task.settings.learning_rate, task.eta_min, task.t_max}.at(i);
    rates.mutable_data<double>()[at] = rate;
    OptimiserStep step{.values = weights.mutable_data<float>(),
                       .gradients = gradients->data<float>().subspan(at * width, width),
                       .slots = {},
                       .number = i + 1,
                       .learning_rate = rate,
                       .settings = task.settings};
    for (Tensor& slot : slots) step.slots.push_back(slot.mutable_data<float>());
    def->step(step);
    const auto now = weights.data<float>();
    std::copy(now.begin(), now.end(),
              trace.mutable_data<float>().begin() + static_cast<std::ptrdiff_t>(at * width));
  }
  return write_npz(to, {{"weights", trace}, {"rates", rates}});
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  if (argc != 10) return 2;
  const chop::Task task{.optimiser = argv[3],
                        .settings = {.learning_rate = std::atof(argv[4]),
                                     .weight_decay = std::atof(argv[7]),
                                     .momentum = std::atof(argv[8]),
                                     .nesterov = std::string(argv[9]) == "true"},
                        .eta_min = std::atof(argv[5]),
                        .t_max = std::atoll(argv[6])};
  const chop::Status status = chop::run(argv[1], argv[2], task);
  if (status) return 0;
  std::cerr << chop::to_string(status.error());
  return 1;
}
