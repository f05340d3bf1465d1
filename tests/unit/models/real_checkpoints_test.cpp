// Checkpoints that others trained, run here: the logits PyTorch computed and the jets they got
// right. Skipped where the files are not (CH_SHARED_DATA, or shared/data beside the sources).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "compile/lower.hpp"
#include "io/load_weights.hpp"
#include "io/npy.hpp"
#include "models/registry.hpp"
#include "runtime/reference.hpp"
#include "support/paths.hpp"

namespace chop {
namespace {

namespace fs = std::filesystem;

fs::path shared_data() {
  if (const char* given = std::getenv("CH_SHARED_DATA")) return given;
  return test::source_path("../shared/data");
}

/// The outputs of `model` with the weights of `file` for all 1,000 jets.
Result<Tensor> run_on_jets(const std::string& model, const std::string& file) {
  CH_TRY(const Tensor jets, read_npy(shared_data() / "jsc" / "jets1000_standardised.npy"));
  CH_TRY(const Graph graph, build_model(model, {.sample_shape = {16}, .num_classes = 5}));
  CH_TRY(const LoadedWeights loaded, load_weights(graph, shared_data() / "checkpoints" / file));
  const Graph lowered = lower(loaded.graph, Mode::Evaluation).graph;
  const std::string input = lowered.node(lowered.placeholders()[0]).name;
  CH_TRY(const Values values, run_reference(lowered, {{input, jets}}));
  const Value output = lowered.outputs()[0];
  return values[index(output.node)][output.index];
}

void expect_jets(const std::string& model, const std::string& file,
                 const std::vector<double>& first, int correct) {
  if (!fs::exists(shared_data() / "checkpoints" / file))
    GTEST_SKIP() << file << " is not here (CH_SHARED_DATA)";
  const Result<Tensor> logits = run_on_jets(model, file);
  ASSERT_TRUE(logits) << to_string(logits.error());
  const auto labels = read_npy(shared_data() / "jsc" / "jets1000_labels.npy");
  ASSERT_TRUE(labels);
  const std::span<const double> y = logits.value().data<double>();
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(y[i], first[i], 1e-5) << i;
  int right = 0;
  for (std::size_t row = 0; row < 1000; ++row) {
    const auto of_row = y.subspan(row * 5, 5);
    right += std::max_element(of_row.begin(), of_row.end()) - of_row.begin() ==
             labels.value().data<std::int64_t>()[row];
  }
  EXPECT_EQ(right, correct);
}

TEST(RealCheckpoints, LightningsJscTiny) {
  expect_jets("jsc-tiny", "jsc-tiny-lightning.ckpt", {1.48598, 3.83299, 2.87502, 2.53119, 0}, 723);
}

TEST(RealCheckpoints, LightningsDeeperNetworkThroughToml) {
  expect_jets(test::source_path("configs/examples/jsc_mlp.toml"), "jsc-mlp-lightning.ckpt",
              {1.85997, 3.97022, 2.85969, 2.68964, 0}, 759);
}

}  // namespace
}  // namespace chop
