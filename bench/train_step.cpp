// bench_train_step [MODEL...]: one training step (forward, backward, Adam) at batch 256,
// ours beside PyTorch eager's, in turns within one run; prints medians, spread and ratio.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models.hpp"
#include "models/registry.hpp"
#include "peer.hpp"
#include "report/table.hpp"
#include "support/rng.hpp"
#include "train/optimiser.hpp"
#include "train/program.hpp"

namespace chop {
namespace {

constexpr std::int64_t kBatch = 256;
constexpr int kRounds = 9;
constexpr int kOurSteps = 3000;
constexpr int kTheirSteps = 150;

class OurStep {
 public:
  static Result<std::unique_ptr<OurStep>> make(const std::string& model) {
    CH_TRY(Graph graph, build_model(model, {.seed = 1}));
    CH_TRY(ParameterStore store, ParameterStore::from(graph));
    auto step = std::unique_ptr<OurStep>(new OurStep(std::move(store)));
    CH_TRY(Program program, Program::training(graph, step->store_, kBatch, 1));
    step->program_ = std::make_unique<Program>(std::move(program));
    CH_TRY(step->adam_, find_optimiser("adam"));
    step->slots_.assign(
        2, Tensor(DType::F32, {static_cast<std::int64_t>(step->store_.values().size())}));
    step->fill();
    return step;
  }

  double microseconds() {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kOurSteps; ++i) once();
    const std::chrono::duration<double, std::micro> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count() / kOurSteps;
  }

 private:
  explicit OurStep(ParameterStore store) : store_(std::move(store)) {}

  void fill() {
    const Stream noise(1, "bench");
    std::uint64_t n = 0;
    for (float& x : program_->inputs()) x = static_cast<float>(noise.normal(n++));
    for (std::int64_t& y : program_->targets())
      y = static_cast<std::int64_t>(
          noise.below(n++, static_cast<std::uint64_t>(program_->classes())));
  }

  void once() {
    program_->run();
    ++number_;
    adam_->step({.values = store_.values(),
                 .gradients = store_.gradients(),
                 .slots = {slots_[0].mutable_data<float>(), slots_[1].mutable_data<float>()},
                 .number = number_,
                 .learning_rate = settings_.learning_rate,
                 .settings = settings_});
  }

  ParameterStore store_;
  std::unique_ptr<Program> program_;
  const OptimiserDef* adam_ = nullptr;
  OptimiserSettings settings_;
  std::vector<Tensor> slots_;
  std::int64_t number_ = 0;
};

struct Summary {
  double median, least, most;
};

Summary summarise(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

std::string show(const Summary& s) {
  return cat(Cell(s.median, 1).text, " (", Cell(s.least, 1).text, " to ", Cell(s.most, 1).text,
             ")");
}

Status measure(const std::string& model, Table& table) {
  CH_TRY(auto ours, OurStep::make(model));
  Peer peer("train_step_torch.py", {model, std::to_string(kBatch), std::to_string(kTheirSteps)});
  ours->microseconds();  // warm
  if (peer.measure() < 0)
    return Error{.what = "PyTorch did not answer", .hint = "apt-get install python3-torch"};
  std::vector<double> our_times;
  std::vector<double> their_times;
  for (int round = 0; round < kRounds; ++round) {
    their_times.push_back(peer.measure());
    our_times.push_back(ours->microseconds());
  }
  const Summary mine = summarise(our_times);
  const Summary theirs = summarise(their_times);
  table.rows.push_back({model, show(mine), show(theirs), Cell(theirs.median / mine.median, 1)});
  return {};
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  chop::Table table{.columns = {{"training step, batch 256, one thread", chop::Align::Left},
                                {"ours, us", chop::Align::Right},
                                {"PyTorch eager, us", chop::Align::Right},
                                {"ratio", chop::Align::Right}},
                    .rows = {}};
  return chop::measure_models(argc, argv, std::move(table), chop::measure);
}
