// LUTs as a metric of a search: those of the circuit that the candidate would become.
#include <gtest/gtest.h>

#include "hardware/cost/estimate.hpp"
#include "hardware/lowering/to_integer.hpp"
#include "hardware/netlist/from_integer.hpp"
#include "support/search_problems.hpp"

namespace chop {
namespace {

std::string toml(const std::string& nodes, const std::string& args = "") {
  return cat(R"(
[search.search_space]
name = "graph/quantize/mixed_precision_ptq"
[search.search_space.setup]
by = "type"
[search.search_space.seed.)",
             nodes, R"(.config]
name = ["integer"]
data_in_width = [4, 6]
data_in_frac_width = [2]
weight_width = [3, 6]
weight_frac_width = [2]
bias_width = [6]
bias_frac_width = [3]
[search.strategy]
name = "optuna"
[search.strategy.hw_runner.hardware]
)",
             args, R"(
[search.strategy.setup]
n_trials = 2
[search.strategy.metrics.lut]
scale = 0.01
direction = "minimize"
)");
}

struct Made {
  Graph graph = test::zoo("jsc-tiny");
  Dataset data = test::random_jets();
  std::unique_ptr<SearchProblem> problem;
};

std::unique_ptr<Made> make(const std::string& text) {
  auto made = std::make_unique<Made>();
  made->problem = SearchProblem::make(test::search_config(text).value(), made->graph, made->data,
                                      {.batch_size = 64})
                      .value();
  return made;
}

Evaluation evaluated(Made& made, double choice) {
  return made.problem->evaluate(Point(made.problem->space().dimensions(), choice), {}).value();
}

TEST(HardwareRunner, MetricsAreThoseOfTheCircuitThatWouldBeEmitted) {
  const auto made = make(toml("default"));
  const Point point(made->problem->space().dimensions(), 1.0);
  const Evaluation found = made->problem->evaluate(point, {}).value();
  const Candidate candidate = made->problem->candidate(point).value();
  const IntegerGraph integers = to_integer(candidate.graph).value();
  const hardware::Estimate wanted = hardware::estimate(to_netlist(integers).value());
  EXPECT_EQ(found.hardware.at("lut"), static_cast<double>(wanted.luts));
  EXPECT_EQ(found.hardware.at("ff"), static_cast<double>(wanted.registers));
  EXPECT_EQ(found.hardware.at("dsp"), 0);
  EXPECT_EQ(found.hardware.at("latency_cycles"), static_cast<double>(wanted.latency));
  EXPECT_EQ(found.objectives, std::vector<double>{0.01 * found.hardware.at("lut")});
  EXPECT_GT(wanted.luts, 0);
}

TEST(HardwareRunner, WiderFormatsCostMore) {
  const auto made = make(toml("default"));
  EXPECT_LT(evaluated(*made, 0).hardware.at("lut"), evaluated(*made, 1).hardware.at("lut"));
}

TEST(HardwareRunner, ItsArgumentsAreThoseOfEmit) {
  const auto shared = make(toml("default"));
  const auto plain = make(toml("default", "adders = \"plain\"\ncombinational = true\n"));
  const Evaluation found = evaluated(*plain, 1);
  EXPECT_GT(found.hardware.at("lut"), evaluated(*shared, 1).hardware.at("lut"));
  EXPECT_EQ(found.hardware.at("latency_cycles"), 0);
  EXPECT_EQ(found.hardware.at("ff"), 0);
}

TEST(HardwareRunner, AnOperandWithoutAFormatIsAnErrorThatSaysWhatIsNeeded) {
  const auto made = make(toml("linear"));
  const auto found = made->problem->evaluate(Point(made->problem->space().dimensions(), 0.0), {});
  ASSERT_FALSE(found);
  EXPECT_NE(to_string(found.error()).find("fixed-point format on every operand"),
            std::string::npos);
}

}  // namespace
}  // namespace chop
