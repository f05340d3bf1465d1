// Golden tests of the compiler and the passes: text before, command, text after, and where the step
// or the pass promises so, the same numbers before and after.
//
//   ./test golden             all of them
//   ./test golden --bless     writes what the commands say now into the files: read the diff!
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>

#include "cli/run.hpp"
#include "compile/compile.hpp"
#include "config/toml.hpp"
#include "golden/golden_file.hpp"
#include "ir/text/text.hpp"
#include "passes/manager.hpp"
#include "runtime/reference.hpp"
#include "support/rng.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"

namespace chop {
namespace {

namespace fs = std::filesystem;
using test::GoldenFile;

struct Said {
  int code = 0;
  std::string out;
  std::string err;
};

std::string without(std::string text, const std::string& name, const std::string& shown) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
    text.replace(at, name.size(), shown);
  return text;
}

/// Messages count what is registered; a new op must not change what they are compared with.
std::string without_counts(const std::string& text) {
  static const std::regex kCount("lists all [0-9]+");
  return std::regex_replace(text, kCount, "lists all N");
}

/// Runs the command in a folder of its own, with the graph as a file there.
Said run(const GoldenFile& file) {
  const fs::path folder =
      fs::path(testing::TempDir()) / cat("golden_", ::getpid(), "_", file.path.stem().string());
  fs::create_directories(folder);
  const std::string graph = (folder / "graph.chir").string();
  EXPECT_TRUE(write_file(graph, file.input));
  std::vector<std::string> words = {"ch"};
  for (const std::string& word : file.command) words.push_back(word == "-" ? graph : word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  std::ostringstream out;
  std::ostringstream err;
  const fs::path here = fs::current_path();
  fs::current_path(folder);
  const int code = run_cli(static_cast<int>(argv.size()), argv.data(), out, err);
  fs::current_path(here);
  fs::remove_all(folder);
  clear_log_sink();
  set_log_level(LogLevel::Info);
  return {code, without(without(out.str(), graph, "-"), "graph.chir", "-"),
          without_counts(without(without(err.str(), graph, "-"), "graph.chir", "-"))};
}

/// Parameters that are neither zero nor alike; variances are positive.
void randomise(Graph& graph) {
  for (Parameter& parameter : graph.parameters()) {
    if (parameter.value.dtype() != DType::F32) continue;
    const Stream noise(3, parameter.name);
    std::uint64_t n = 0;
    for (float& value : parameter.value.mutable_data<float>())
      value = static_cast<float>(parameter.name.ends_with("_var") ? 0.5 + noise.uniform(n++)
                                                                  : noise.normal(n++));
  }
}

NamedTensors inputs_of(const Graph& graph, std::int64_t batch) {
  const Types types = infer_types(graph, batch).value();
  NamedTensors inputs;
  for (const NodeId id : graph.placeholders()) {
    Tensor tensor(types[index(id)][0]);
    const Stream noise(4, graph.node(id).name);
    std::uint64_t n = 0;
    if (tensor.dtype() == DType::F32)
      for (float& value : tensor.mutable_data<float>())
        value = static_cast<float>(noise.normal(n++));
    inputs.emplace(graph.node(id).name, std::move(tensor));
  }
  return inputs;
}

/// The last output: of a graph with a loss, the logits.
Tensor last_output(const Graph& lowered, const NamedTensors& inputs) {
  const Result<Values> values = run_reference(lowered, inputs);
  EXPECT_TRUE(values) << to_string(values.error());
  const Value result = lowered.outputs().back();
  return values ? values.value()[index(result.node)][result.index] : Tensor();
}

Tensor last_output(Plan& plan, const NamedTensors& inputs) {
  for (const auto& [name, tensor] : inputs)
    if (const std::span<char> memory = plan.input<char>(name); memory.data() != nullptr)
      std::memcpy(memory.data(), tensor.bytes(), tensor.size_in_bytes());
  EXPECT_TRUE(plan.run());
  Tensor result(plan.output_type(plan.output_count() - 1));
  std::memcpy(result.mutable_bytes(), plan.output<char>(plan.output_count() - 1).data(),
              result.size_in_bytes());
  return result;
}

void expect_close(const Tensor& after, const Tensor& before, double tolerance) {
  ASSERT_EQ(after.shape(), before.shape());
  for (std::int64_t i = 0; i < after.size(); ++i)
    EXPECT_NEAR(after.at(i), before.at(i), tolerance * std::max(1.0, std::abs(before.at(i))))
        << "element " << i << ": the numbers changed";
}

/// The value behind a word such as --after.
std::string option(const GoldenFile& file, const std::string& name, const std::string& otherwise) {
  const auto at = std::find(file.command.begin(), file.command.end(), name);
  return at == file.command.end() || at + 1 == file.command.end() ? otherwise : at[1];
}

bool has_option(const GoldenFile& file, const std::string& name) {
  return std::find(file.command.begin(), file.command.end(), name) != file.command.end();
}

/// What the network computes after the step is what it computed before.
void expect_same_numbers_after_step(const GoldenFile& file) {
  Graph graph = read_text(file.input).value();
  randomise(graph);
  const bool trains = option(file, "--mode", "eval") == "train";
  compile::Target target{.batch = std::stoll(option(file, "--batch-size", trains ? "2" : "1")),
                         .frozen = has_option(file, "--frozen"),
                         .verify = true};
  if (trains) {
    target.mode = Mode::Training;
    target.loss = true;
    for (const Parameter& parameter : graph.parameters())
      if (parameter.trainable) target.gradients.push_back(parameter.name);
  }
  target.refuse = {option(file, "--refuse", "")};
  const compile::StepDef* last = compile::find_step(option(file, "--after", "plan")).value();
  Result<compile::State> state = compile::compile_until(graph, target, *last);
  ASSERT_TRUE(state) << to_string(state.error());
  NamedTensors inputs = inputs_of(graph, target.batch);
  const Tensor before = last_output(lower(graph, target.mode).graph, inputs);
  if (!state.value().labels.empty())
    inputs.emplace(state.value().labels, Tensor(DType::I64, {target.batch}));
  if (state.value().plan)
    expect_close(last_output(*state.value().plan, inputs), before, 1e-4);
  else if (state.value().schedule.slices == 1)
    expect_close(last_output(state.value().graph, inputs), before, 1e-12);
}

/// The pass keeps its promise.
void expect_promise_kept(const GoldenFile& file) {
  Graph graph = read_text(file.input).value();
  std::vector<std::string> settings;
  for (const std::string& word : file.command)
    if (word.find('=') != std::string::npos && !word.starts_with("-")) settings.push_back(word);
  const PassCall call = make_call(file.command[1], config::read_words(settings).value()).value();
  if (call.def->promise == Promise::NewNumbers || call.def->needs_samples) return;
  randomise(graph);
  const NamedTensors inputs = inputs_of(graph, 2);
  const Tensor before = last_output(lower(graph, Mode::Evaluation).graph, inputs);
  const fs::path folder = testing::TempDir();
  const PassContext context{.folder = folder, .hardware = folder / "hardware"};
  ASSERT_TRUE(add_metadata(graph, context));
  ASSERT_TRUE(run_passes(graph, {&call, 1}, context));
  expect_close(last_output(lower(graph, Mode::Evaluation).graph, inputs), before,
               call.def->promise == Promise::Close ? 1e-5 : 0);
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, File) {
  const Result<GoldenFile> read = GoldenFile::read(GetParam());
  ASSERT_TRUE(read) << to_string(read.error());
  const GoldenFile& file = read.value();
  const Said said = run(file);
  const bool failed = said.code != 0;
  const std::string& text = failed ? said.err : said.out;
  if (std::getenv("CH_BLESS") != nullptr) {
    ASSERT_TRUE(write_file(file.path, file.text_with(failed, text)));
  } else {
    const std::string diff = test::unified_diff(file.expected, text);
    ASSERT_TRUE(diff.empty() && failed == file.is_error)
        << diff << "it ended with " << said.code << "\n"
        << said.err << "to see it: " << file.repeat() << "\nif it is right: ./test "
        << file.path.stem().string() << " --bless\n";
  }
  if (failed) return;
  if (file.command[0] == "lower" && !has_option(file, "--list"))
    expect_same_numbers_after_step(file);
  if (file.command[0] == "pass") expect_promise_kept(file);
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(test::golden_files()),
                         [](const auto& each) { return each.param.stem().string(); });

bool has_golden(const std::string& folder, std::string_view name) {
  const std::vector<fs::path> files = test::golden_files();
  return std::any_of(files.begin(), files.end(), [&](const fs::path& path) {
    return path.parent_path().filename() == folder && path.stem().string().starts_with(name);
  });
}

TEST(GoldenFiles, ShowEveryStepOfTheCompiler) {
  for (const compile::StepDef& step : compile::all_steps())
    EXPECT_TRUE(has_golden("compile", step.name))
        << "write tests/golden/compile/" << step.name << "_....golden";
}

TEST(GoldenFiles, ShowEveryPass) {
  for (const PassDef& pass : all_passes())
    EXPECT_TRUE(has_golden("passes", pass.name))
        << "write tests/golden/passes/" << pass.name << "_....golden";
}

TEST(GoldenFiles, OpenWithWhatTheyShow) {
  for (const fs::path& path : test::golden_files()) {
    const std::string text = read_file(path).value();
    EXPECT_TRUE(text.starts_with("# ") && !text.starts_with("# command")) << path;
  }
}

TEST(UnifiedDiff, ShowsLinesThatCameAndWent) {
  EXPECT_EQ(test::unified_diff("a\nb\nc\n", "a\nc\nd\n"),
            "--- expected\n+++ now\n  a\n- b\n  c\n+ d\n");
  EXPECT_EQ(test::unified_diff("a\n", "a\n"), "");
}

}  // namespace
}  // namespace chop
