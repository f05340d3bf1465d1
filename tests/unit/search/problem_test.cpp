// From a [search] table to a space, candidates and objectives; and what is refused.
#include "search/evaluation/problem.hpp"

#include <gtest/gtest.h>

#include <set>

#include "passes/manager.hpp"
#include "support/paths.hpp"
#include "support/search_problems.hpp"
#include "support/system/files.hpp"

namespace chop {
namespace {

using test::kTinySpace;
using test::kTwoMetrics;
using test::random_jets;
using test::search_config;
using test::zoo;

struct Made {
  Graph graph;
  Dataset data = random_jets();
  std::unique_ptr<SearchProblem> problem;
};

/// Kept apart from its error, because a problem refers to its graph and data.
std::unique_ptr<Made> make(const std::string& toml, const std::string& model = "jsc-tiny") {
  auto made = std::make_unique<Made>(Made{.graph = zoo(model)});
  const SearchConfig config = search_config(toml).value();
  made->problem = SearchProblem::make(config, made->graph, made->data, {.batch_size = 64}).value();
  return made;
}

/// What is wrong with a configuration.
std::string refusal(const std::string& toml, const std::string& model = "jsc-tiny") {
  const Result<SearchConfig> config = search_config(toml);
  if (!config) return to_string(config.error());
  const Graph graph = zoo(model);
  const Dataset data = random_jets();
  const auto problem = SearchProblem::make(config.value(), graph, data, {});
  return problem ? "" : to_string(problem.error());
}

std::string with(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

const std::string kTiny = cat(kTinySpace, kTwoMetrics);

TEST(SearchSpace, TheExampleHasEighteenPoints) {
  const std::string path = test::source_path("configs/examples/jsc_toy_by_type.toml");
  const auto made = make(read_file(path).value());
  EXPECT_EQ(made->problem->space().size(), 18);
  EXPECT_EQ(made->problem->space().parameters()[0].name, "seq_blocks_2/config/data_in_width");
  EXPECT_EQ(made->problem->config().objective_names(),
            (std::vector<std::string>{"accuracy", "average_bitwidth"}));
}

TEST(SearchSpace, ByTypeEveryNodeHasParametersOfItsOwn) {
  const auto made = make(cat(R"(
[search.search_space.setup]
by = "type"
[search.search_space.seed.linear.config]
name = "integer"
data_in_width = 8
weight_width = [4, 8]
)",
                             kTwoMetrics),
                         "jsc-s");
  EXPECT_EQ(made->problem->space().size(), 32);  // five linear layers
}

TEST(SearchSpace, PatternsChooseNodesByName) {
  const auto made = make(cat(R"(
[search.search_space.setup]
by = "regex_name"
[search.search_space.seed."module_list_[25]".config]
name = "integer"
data_in_width = 8
weight_width = [4, 6, 8]
)",
                             kTwoMetrics),
                         "jsc-s");
  EXPECT_EQ(made->problem->space().size(), 9);
}

/// A format has the keys it has: 2 widths, or 2 x 2 widths and exponent widths, or nothing.
TEST(SearchSpace, FormatsAreChoicesThemselves) {
  const auto made = make(cat(R"(
[search.search_space.seed.seq_blocks_2.config]
name = ["integer", "minifloat_ieee", "NA"]
data_in_width = [6, 8]
weight_width = 8
data_in_exponent_width = [3, 4]
weight_exponent_width = 4
)",
                             kTwoMetrics));
  const Space& space = made->problem->space();
  EXPECT_EQ(space.size(), 2 + 4 + 1);
  for (std::int64_t i = 0; i < *space.size(); ++i) {
    const Candidate candidate = made->problem->candidate(space.at(i)).value();
    const Node& node = candidate.graph.node(*candidate.graph.find("seq_blocks_2"));
    const Tree* config = candidate.config.find("seq_blocks_2")->find("config");
    const std::string* name = config->find("name")->as_text();
    if (name == nullptr) {
      EXPECT_TRUE(node.formats.empty());
      continue;
    }
    EXPECT_EQ(node.formats.at("data_in_0").name, *name);
    EXPECT_EQ(node.formats.at("weight").name, *name);
    EXPECT_EQ(config->find("data_in_exponent_width") != nullptr, *name == "minifloat_ieee");
  }
}

/// A key is checked by the format of its own operand: ternary weights leave the data's widths
/// alone, and integer weights give no fraction to data that are minifloats.
TEST(SearchSpace, KeysBelongToTheFormatOfTheirOperand) {
  const auto ternary = make(cat(R"(
[search.search_space.seed.seq_blocks_2.config]
name = "integer"
weight_name = "ternary"
data_in_width = [4, 8]
bias_width = 8
)",
                                kTwoMetrics));
  EXPECT_EQ(ternary->problem->space().size(), 2);
  const auto mixed = make(cat(R"(
[search.search_space.seed.seq_blocks_2.config]
name = ["integer", "minifloat_ieee"]
weight_name = "integer"
bias_name = "NA"
width = 8
data_in_frac_width = 4
weight_frac_width = 4
data_in_exponent_width = 3
)",
                              kTwoMetrics));
  ASSERT_EQ(mixed->problem->space().size(), 2);
  for (std::int64_t i = 0; i < 2; ++i) {
    const Candidate one = mixed->problem->candidate(mixed->problem->space().at(i)).value();
    const Tree* config = one.config.find("seq_blocks_2")->find("config");
    EXPECT_EQ(config->find("data_in_frac_width") != nullptr, i == 0);
    EXPECT_EQ(config->find("data_in_exponent_width") != nullptr, i == 1);
    EXPECT_NE(config->find("weight_frac_width"), nullptr);
  }
}

/// As in the pass quantize a table may be for nodes of several kinds: each has the keys that it has
/// operands for. A key that fits none of the nodes is an error.
TEST(SearchSpace, NodesOfATableHaveTheKeysOfTheirOperands) {
  const std::string space = cat(R"(
[search.search_space.setup]
by = "type"
[search.search_space.seed.default.config]
name = "integer"
data_in_width = [4, 8]
weight_width = [2, 4, 8]
bias_width = 8
)",
                                kTwoMetrics);
  const auto made = make(space);
  const Space& found = made->problem->space();
  EXPECT_TRUE(found.find("seq_blocks_2/config/weight_width"));
  EXPECT_TRUE(found.find("seq_blocks_1/config/data_in_width"));
  EXPECT_FALSE(found.find("seq_blocks_1/config/weight_width"));  // relu
  EXPECT_TRUE(made->problem->candidate(found.at(0)));
  const std::string relu = with(space, "seed.default", "seed.relu");
  EXPECT_NE(refusal(relu).find("weight_width, bias_width fit no operand"), std::string::npos);
}

/// The width of ternary is 2 and no matter of choice: it is the integer's alone.
TEST(SearchSpace, FormatsWithOneWidthStandBesideOthers) {
  const auto made = make(cat(R"(
[search.search_space.seed.seq_blocks_2.config]
name = "integer"
data_in_width = 8
weight_name = ["integer", "ternary"]
weight_width = [3, 6]
)",
                             kTwoMetrics));
  const Space& space = made->problem->space();
  EXPECT_EQ(space.size(), 3);
  std::set<std::pair<std::string, std::int64_t>> found;
  for (std::int64_t i = 0; i < *space.size(); ++i) {
    const Candidate candidate = made->problem->candidate(space.at(i)).value();
    const NumberFormat& format =
        candidate.graph.node(*candidate.graph.find("seq_blocks_2")).formats.at("weight");
    found.emplace(format.name, std::get<std::int64_t>(format.config.at("width")));
  }
  EXPECT_EQ(found, (std::set<std::pair<std::string, std::int64_t>>{
                       {"integer", 3}, {"integer", 6}, {"ternary", 2}}));
}

/// A candidate is what `ch transform` makes of the same choices, calibrated widths included.
TEST(SearchSpace, CandidatesAreWhatTheQuantizePassMakes) {
  const auto made = make(cat(R"(
[search.search_space.setup]
by = "type"
[search.search_space.seed.linear.config]
name = "integer"
data_in_width = [4, 8]
data_in_frac_width = "auto"
weight_width = [3, 8]
weight_frac_width = "auto"
[search.search_space.seed.relu.config]
name = "integer"
data_in_width = [4, 6]
data_in_frac_width = "NA"
)",
                             kTwoMetrics),
                         "jsc-s");
  const Stream stream(3, "points");
  for (std::uint64_t i = 0; i < 5; ++i) {
    const Point point = made->problem->space().draw(stream, i * 100);
    const Candidate candidate = made->problem->candidate(point).value();
    Tree tables = candidate.config;
    const PassCall call = make_call("quantize", tables).value();
    Graph passed = made->graph;
    const PassContext context{.samples = &made->data.train, .batch_size = 64};
    run_passes(passed, {&call, 1}, context).value();
    for (const NodeId id : passed.order())
      EXPECT_EQ(passed.node(id).formats, candidate.graph.node(id).formats) << passed.node(id).name;
  }
}

TEST(SearchSpace, TrainingIsSearchedAloneAndWithFormats) {
  const std::string training = R"(
[search.search_space.train]
learning_rate = { low = 1e-4, high = 1e-1, log = true }
batch_size = [32, 64]
optimizer = ["adam", "sgd"]
max_epochs = 1
)";
  const std::string runner = "[search.strategy.sw_runner.basic_train]\n";
  const auto alone = make(cat("[search.search_space]\nname = \"train/hyper_parameters\"\n",
                              training, runner, kTwoMetrics));
  EXPECT_EQ(alone->problem->space().dimensions(), 3U);
  EXPECT_EQ(alone->problem->space().size(), std::nullopt);
  const auto both = make(cat(kTinySpace, training, runner, kTwoMetrics));
  EXPECT_EQ(both->problem->space().dimensions(), 6U);
  const Point point = {0, 1, 2, 0.01, 1, 1};
  const Candidate candidate = both->problem->candidate(point).value();
  EXPECT_EQ(candidate.training.settings.learning_rate, 0.01);
  EXPECT_EQ(candidate.training.batch_size, 64);
  EXPECT_EQ(candidate.training.optimiser, "sgd");
  EXPECT_EQ(candidate.training.max_epochs, 1);
  EXPECT_EQ(candidate.graph.node(*candidate.graph.find("seq_blocks_2")).formats.size(), 3U);
  const Evaluation once = both->problem->evaluate(point, {}).value();
  const Evaluation again = both->problem->evaluate(point, {}).value();
  EXPECT_EQ(once.objectives, again.objectives);  // from the same weights
  const Candidate rebuilt = both->problem->rebuild(point).value();
  const Metrics measured = evaluate(rebuilt.graph, both->data.validation, {.batch = 64}).value();
  EXPECT_EQ(measured.accuracy(), once.software.at("accuracy"));
}

TEST(SearchObjectives, AreScaledMetricsOrTheirSum) {
  const auto front = make(kTiny);
  const Point point = {1, 1, 2};
  const Evaluation apart = front->problem->evaluate(point, {}).value();
  EXPECT_EQ(apart.hardware.at("average_bitwidth"), 4);
  EXPECT_EQ(apart.hardware.at("memory_density"), 8);
  ASSERT_EQ(apart.objectives.size(), 2U);
  EXPECT_EQ(apart.objectives[0], apart.software.at("accuracy"));
  EXPECT_DOUBLE_EQ(apart.objectives[1], 0.8);
  const auto summed = make(cat(kTiny,
                               "[search.strategy.setup]\nsum_scaled_metrics = true\n"
                               "direction = \"maximize\"\n"));
  const Evaluation sum = summed->problem->evaluate(point, {}).value();
  ASSERT_EQ(sum.objectives.size(), 1U);  // what is to be small counts against what is to be large
  EXPECT_DOUBLE_EQ(sum.objectives[0], apart.objectives[0] - apart.objectives[1]);
}

/// Trials see neither each other's graphs nor each other's sums.
TEST(SearchObjectives, DoNotDependOnEarlierTrials) {
  const auto made = make(kTiny);
  std::vector<std::vector<double>> first;
  for (std::int64_t i = 0; i < 18; ++i)
    first.push_back(made->problem->evaluate(made->problem->space().at(i), {}).value().objectives);
  for (std::int64_t i = 17; i >= 0; --i) {
    const auto fresh = make(kTiny);
    const Point point = fresh->problem->space().at(i);
    const std::vector<double>& before = first[static_cast<std::size_t>(i)];
    EXPECT_EQ(fresh->problem->evaluate(point, {}).value().objectives, before);
    EXPECT_EQ(made->problem->evaluate(point, {}).value().objectives, before);
  }
}

TEST(SearchMetrics, CountCostsAndMemory) {
  const auto made = make(cat(kTinySpace, R"(
[search.strategy.metrics.bitops]
direction = "minimize"
[search.strategy.metrics.model_size]
direction = "minimize"
[search.strategy.metrics.flops]
direction = "minimize"
[search.strategy.metrics.parameter_bits]
direction = "minimize"
[search.strategy.metrics.latency]
direction = "minimize"
)"));
  const Evaluation found = made->problem->evaluate({1, 2, 2}, {}).value();
  EXPECT_EQ(found.hardware.at("parameter_bits"), 8 * found.hardware.at("model_size"));
  EXPECT_GT(found.hardware.at("latency"), 0);
  const Evaluation narrow = made->problem->evaluate({0, 0, 0}, {}).value();
  EXPECT_LT(narrow.hardware.at("bitops"), found.hardware.at("bitops"));
  EXPECT_LT(narrow.hardware.at("model_size"), found.hardware.at("model_size"));
  EXPECT_TRUE(found.software.empty());
}

struct Refused {
  const char* what;
  const char* by;
  const char* key;  ///< that the message must name
};

TEST(SearchRefusals, NameTheKey) {
  const std::string base = cat(kTiny, "[search.strategy.setup]\nn_trials = 3\n");
  const std::vector<Refused> cases = {
      {"weight_width = [2, 4, 8]", "weight_width = []",
       "search.search_space.seed.seq_blocks_2.config.weight_width"},
      {"weight_width = [2, 4, 8]", "weight_width = [0, 4]",
       "search.search_space.seed.seq_blocks_2.config.weight_width = 0"},
      {"weight_width = [2, 4, 8]", "weight_width = 0",
       "search.search_space.seed.seq_blocks_2.config.weight_width = 0"},
      {"weight_width = [2, 4, 8]", "weight_width = [4, 4]",
       "search.search_space.seed.seq_blocks_2.config.weight_width"},
      {"weight_width = [2, 4, 8]", "weight_widht = [2, 4]",
       "search.search_space.seed.seq_blocks_2.config.weight_widht"},
      {"weight_width = [2, 4, 8]", "weight_width = [\"wide\", 4]", "seq_blocks_2.config"},
      {"seed.seq_blocks_2", "seed.seq_blocks_7", "search.search_space.seed.seq_blocks_7"},
      {"seed.seq_blocks_2.config", "seed.seq_blocks_2.confg",
       "search.search_space.seed.seq_blocks_2"},
      {"name = [\"integer\"]", "name = [\"integr\"]",
       "search.search_space.seed.seq_blocks_2.config.name"},
      {"name = [\"integer\"]\n", "\n", "search.search_space.seed.seq_blocks_2.config"},
      {"direction = \"maximize\"", "scale = 1.0", "search.strategy.metrics.accuracy"},
      {"direction = \"maximize\"", "direction = \"up\"",
       "search.strategy.metrics.accuracy.direction"},
      {"metrics.accuracy", "metrics.acuracy", "search.strategy.metrics.acuracy"},
      {"scale = 0.2", "scale = 0", "search.strategy.metrics.average_bitwidth.scale"},
      {"scale = 0.2", "scale = nan", "search.strategy.metrics.average_bitwidth.scale"},
      {"scale = 0.2", "scale = inf", "search.strategy.metrics.average_bitwidth.scale"},
      {"by = \"name\"", "by = \"nam\"", "search.search_space.setup.by"},
      {"mixed_precision_ptq", "mixed_precision", "search.search_space.name"},
      {"n_trials = 3", "n_trials = 0", "search.strategy.setup.n_trials"},
      {"n_trials = 3", "n_jobs = 0", "search.strategy.setup.n_jobs"},
      {"n_trials = 3", "n_jobs = 4294967296", "search.strategy.setup.n_jobs"},
      {"n_trials = 3", "sampler = \"rl\"", "search.strategy.setup.sampler"},
      {"n_trials = 3", "pruner = \"median\"", "search.strategy.setup.pruner"},
      {"n_trials = 3", "sum_scaled_metrics = true", "search.strategy.setup.direction"},
      {"n_trials = 3", "trials = 3", "search.strategy.setup.trials"},
      {"[search.strategy.setup]", "[search.strategy.hw_runner.verilator]\n[search.strategy.setup]",
       "search.strategy.hw_runner.verilator"},
      {"[search.strategy.setup]",
       "[search.search_space.train]\nbatch_size=[1,2]\n"
       "[search.strategy.setup]",
       "search.search_space.train"},
      {"[search.strategy.setup]", "[search.strateg]\n[search.strategy.setup]", "search.strateg"}};
  EXPECT_EQ(refusal(base), "");
  for (const Refused& one : cases) {
    const std::string message = refusal(with(base, one.what, one.by));
    EXPECT_NE(message.find(one.key), std::string::npos) << one.by << "\n" << message;
    EXPECT_NE(message.find("search.toml"), std::string::npos) << one.by << "\n" << message;
  }
}

TEST(SearchRefusals, OfTrainingNameTheKey) {
  const std::string base = cat(R"(
[search.search_space]
name = "train/hyper_parameters"
[search.search_space.train]
learning_rate = { low = 1e-4, high = 1e-1, log = true }
[search.strategy.sw_runner.basic_train]
)",
                               kTwoMetrics);
  EXPECT_EQ(refusal(base), "");
  const std::string key = "search.search_space.train.";
  const std::vector<Refused> cases = {
      {"learning_rate", "learning_rat", "learning_rat"},
      {"{ low = 1e-4, high = 1e-1, log = true }", "[0.1, -1.0]", "learning_rate"},
      {"{ low = 1e-4, high = 1e-1, log = true }", "[]", "learning_rate"},
      {"{ low = 1e-4, high = 1e-1, log = true }", "{ low = 1.0, high = 0.1 }",
       "learning_rate.high"},
      {"{ low = 1e-4, high = 1e-1, log = true }", "{ low = 1.0 }", "learning_rate"},
      {"learning_rate = { low = 1e-4, high = 1e-1, log = true }", "optimizer = [\"adm\"]",
       "optimizer"},
      {"learning_rate = { low = 1e-4, high = 1e-1, log = true }",
       "optimizer = { low = 1, high = 2 }", "optimizer"},
      {"learning_rate = { low = 1e-4, high = 1e-1, log = true }", "batch_size = [0, 4]",
       "batch_size"},
      {"learning_rate = { low = 1e-4, high = 1e-1, log = true }",
       "seed = { low = 0, high = 9223372036854775807 }", "seed.high"}};
  for (const Refused& one : cases) {
    const std::string message = refusal(with(base, one.what, one.by));
    EXPECT_NE(message.find(key + one.key), std::string::npos) << one.by << "\n" << message;
  }
}

TEST(SearchRefusals, OfASpaceWithNothingToChoose) {
  const std::string message =
      refusal(cat("[search.search_space.seed.seq_blocks_2.config]\nname = \"integer\"\n"
                  "data_in_width = 8\nweight_width = 8\n",
                  kTwoMetrics));
  EXPECT_NE(message.find("search.search_space"), std::string::npos) << message;
}

}  // namespace
}  // namespace chop
