#include "training_step.hpp"

#include <cstdlib>

#include "network.hpp"
#include "support/rng.hpp"

namespace chop {

Result<std::shared_ptr<TrainingStep>> TrainingStep::make(const Graph& graph, std::int64_t batch,
                                                         int threads) {
  CH_TRY(ParameterStore store, ParameterStore::from(graph));
  auto step = std::shared_ptr<TrainingStep>(new TrainingStep(std::move(store)));
  CH_TRY(Program program, Program::training(graph, step->store_, batch, threads));
  step->threads_ = threads;
  step->program_ = std::make_unique<Program>(std::move(program));
  CH_TRY(step->adam_, find_optimiser("adam"));
  step->slots_.assign(
      2, Tensor(DType::F32, {static_cast<std::int64_t>(step->store_.values().size())}));
  step->fill();
  return step;
}

void TrainingStep::fill() {
  fill_normal(program_->inputs());
  const Stream noise(1, "targets");
  std::uint64_t n = 0;
  for (std::int64_t& y : program_->targets())
    y = static_cast<std::int64_t>(noise.below(n++, std::uint64_t(program_->classes())));
}

void TrainingStep::run() {
  if (!program_->run()) std::abort();  // no index to be out of range
  update();
}

Numbers TrainingStep::run_timed() {
  Numbers parts;
  const Result<std::vector<double>> seconds = program_->run_timed();
  if (!seconds) std::abort();
  const std::vector<std::string> names = program_->plan().describe();
  for (std::size_t i = 0; i < names.size(); ++i) parts.emplace_back(names[i], seconds.value()[i]);
  parts.emplace_back("adam", seconds_of([this] { update(); }));
  return parts;
}

void TrainingStep::update() {
  ++number_;
  adam_->step({.values = store_.values(),
               .gradients = store_.gradients(),
               .slots = {slots_[0].mutable_data<float>(), slots_[1].mutable_data<float>()},
               .number = number_,
               .learning_rate = settings_.learning_rate,
               .settings = settings_,
               .threads = threads_});
}

}  // namespace chop
