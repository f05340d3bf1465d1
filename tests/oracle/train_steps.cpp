// oracle_train_steps MODEL STEPS BATCH LEARNING_RATE FOLDER: trains a model for some Adam steps on
// random batches; writes initial weights and batches for PyTorch to repeat, and prints the losses.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "io/npz.hpp"
#include "models/registry.hpp"
#include "support/rng.hpp"
#include "train/optimiser.hpp"
#include "train/program.hpp"

namespace chop {
namespace {

struct Batches {
  Tensor x;
  Tensor y;
};

/// Classes are shifted copies of one normal distribution, so that there is something to learn;
/// all pixels of a picture's channel are shifted alike.
Batches draw_batches(const ModelDef& def, std::int64_t rows) {
  Shape shape = def.sample_shape;
  shape.insert(shape.begin(), rows);
  Batches batches{Tensor(DType::F32, shape), Tensor(DType::I64, {rows})};
  const std::int64_t width = numel(def.sample_shape);
  const Stream noise(7, "noise");
  const Stream label(7, "label");
  const Stream centre(7, "centre");
  const auto x = batches.x.mutable_data<float>();
  const auto y = batches.y.mutable_data<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto r = static_cast<std::uint64_t>(row);
    const std::uint64_t c = label.below(r, static_cast<std::uint64_t>(def.num_classes));
    y[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(c);
    for (std::int64_t j = 0; j < width; ++j) {
      const auto at = static_cast<std::uint64_t>(row * width + j);
      const auto feature = static_cast<std::uint64_t>(j / (width / def.sample_shape[0]));
      const double mean = centre.normal(c * 64 + feature);
      x[at] = static_cast<float>(noise.normal(at) + mean);
    }
  }
  return batches;
}

Result<std::vector<double>> run(const std::string& name, std::int64_t steps, std::int64_t batch,
                                double learning_rate, const std::filesystem::path& folder) {
  CH_TRY(const ModelDef* def, find_model(name));
  CH_TRY(Graph graph, build_model(name, {.seed = 3}));
  const Batches batches = draw_batches(*def, steps * batch);
  NpzArrays arrays = {{"x", batches.x}, {"y", batches.y}};
  for (const Parameter& parameter : graph.parameters())
    arrays.emplace_back(parameter.name, parameter.value);
  CH_CHECK(write_npz(folder / "start.npz", arrays));

  CH_TRY(ParameterStore store, ParameterStore::from(graph));
  CH_TRY(Program program, Program::training(graph, store, batch, 1));
  CH_TRY(const OptimiserDef* adam, find_optimiser("adam"));
  const OptimiserSettings settings{.learning_rate = learning_rate};
  std::vector<Tensor> slots(2,
                            Tensor(DType::F32, {static_cast<std::int64_t>(store.values().size())}));
  std::vector<double> losses;
  const std::size_t width = program.inputs().size();
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto at = static_cast<std::size_t>(step);
    const auto x = batches.x.data<float>().subspan(at * width, width);
    const auto y = batches.y.data<std::int64_t>().subspan(at * static_cast<std::size_t>(batch),
                                                          static_cast<std::size_t>(batch));
    std::copy(x.begin(), x.end(), program.inputs().begin());
    std::copy(y.begin(), y.end(), program.targets().begin());
    CH_CHECK(program.run({0, static_cast<std::uint64_t>(step)}));
    losses.push_back(program.loss());
    adam->step({.values = store.values(),
                .gradients = store.gradients(),
                .slots = {slots[0].mutable_data<float>(), slots[1].mutable_data<float>()},
                .number = step + 1,
                .learning_rate = settings.learning_rate,
                .settings = settings});
  }
  store.write_to(graph);
  NpzArrays end;
  for (const Parameter& parameter : graph.parameters())
    end.emplace_back(parameter.name, parameter.value);
  CH_CHECK(write_npz(folder / "end.npz", end));
  return losses;
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const auto losses =
      chop::run(argv[1], std::atoll(argv[2]), std::atoll(argv[3]), std::atof(argv[4]), argv[5]);
  if (!losses) {
    std::cerr << chop::to_string(losses.error());
    return 1;
  }
  std::cout << nlohmann::json(losses.value()).dump() << "\n";
  return 0;
}
