#include "cli/settings/settings.hpp"

#include <gtest/gtest.h>

#include <set>

#include "train/train_options.hpp"
#include "unit/cli/settings_fixture.hpp"

namespace chop {
namespace {

using testing_cli::error_of;
using testing_cli::settings_of;

Settings good(const std::vector<std::string>& words, const char* toml = nullptr) {
  Result<Settings> settings = settings_of(words, toml);
  EXPECT_TRUE(settings) << to_string(settings.error());
  return std::move(settings).value();
}

TEST(SettingDefs, NamesAndFlagsAreUniqueAndDocumented) {
  std::set<std::string, std::less<>> seen;
  for (const SettingDef& def : all_settings()) {
    EXPECT_TRUE(seen.emplace(def.field.name).second) << def.field.name;
    EXPECT_FALSE(def.field.doc.empty()) << def.field.name;
    for (const std::string& flag : flags_of(def)) EXPECT_TRUE(seen.insert(flag).second) << flag;
  }
}

TEST(SettingDefs, EveryOptionOfTrainingIsOneAndMayBeSwept) {
  const std::vector<std::string_view> swept = find_action("sweep").value()->lists;
  for (const TrainField& option : train_fields()) {
    if (option.field.internal) continue;
    const SettingDef* def = find_setting(all_settings(), option.field.name);
    ASSERT_NE(def, nullptr) << option.field.name;
    EXPECT_EQ(describe_allowed(def->field), describe_allowed(option.field)) << option.field.name;
    EXPECT_EQ(std::find(swept.begin(), swept.end(), option.field.name) != swept.end(),
              option.decides != Decides::Nothing)
        << option.field.name;
  }
}

TEST(SettingDefs, EveryDefaultObeysItsOwnRule) {
  for (const SettingDef& def : all_settings()) {
    if (counts_cores(def)) continue;
    EXPECT_TRUE(check_setting(def, def.field.name, def.field.initial)) << def.field.name;
  }
}

TEST(Settings, FileWinsOverDefaultAndCommandLineOverFile) {
  const Settings s = good({"--batch-size", "64"}, "batch_size = 512\nseed = 42\n");
  EXPECT_EQ(s.integer("batch_size"), 64);
  EXPECT_EQ(s.source("batch_size"), SettingSource::Manual);
  EXPECT_EQ(s.integer("seed"), 42);
  EXPECT_EQ(s.source("seed"), SettingSource::ConfigFile);
  EXPECT_EQ(s.integer("max_epochs"), 20);
  EXPECT_EQ(s.source("max_epochs"), SettingSource::Default);
}

TEST(Settings, AnExplicitValueEqualToTheDefaultStillWins) {
  const Settings s = good({"--batch-size", "128", "--debug=false", "--no-nesterov"},
                          "batch_size = 512\nto_debug = true\nnesterov = true\n");
  EXPECT_EQ(s.integer("batch_size"), 128);
  EXPECT_FALSE(s.flag("to_debug"));
  EXPECT_FALSE(s.flag("nesterov"));
}

TEST(Settings, OptionsMayStandBetweenPositionals) {
  const Settings s = good({"--cpu=0", "jsc-tiny", "--max-epochs", "3", "jsc", "--debug"});
  EXPECT_EQ(s.text("model"), "jsc-tiny");
  EXPECT_EQ(s.text("dataset"), "jsc");
  EXPECT_EQ(s.integer("num_workers"), 0);
  EXPECT_EQ(s.integer("max_epochs"), 3);
  EXPECT_TRUE(s.flag("to_debug"));
}

TEST(Settings, AWordIsTheDataSetWhereTheModelHasItsFlag) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--model", "jsc-tiny", "jsc"},
        {"jsc", "--model", "jsc-tiny"},
        {"--seed", "1", "jsc", "--model=jsc-tiny"}}) {
    const Settings settings = settings_of(words).value();
    EXPECT_EQ(settings.text("model"), "jsc-tiny");
    EXPECT_EQ(settings.text("dataset"), "jsc");
  }
}

TEST(Settings, TheLastOfRepeatedFlagsCounts) {
  EXPECT_EQ(good({"--seed", "1", "--seed=2"}).integer("seed"), 2);
  EXPECT_EQ(good({"--num-workers", "1", "--cpu", "3"}).integer("num_workers"), 3);
}

TEST(Settings, NaIsNone) {
  const Settings s = good({}, "project = \"NA\"\nload_name = \"NA\"\nt_max = \"NA\"\n");
  EXPECT_EQ(s.text("project"), std::nullopt);
  EXPECT_EQ(s.text("load_name"), std::nullopt);
  EXPECT_EQ(s.maybe_integer("t_max"), std::nullopt);
  EXPECT_EQ(s.source("project"), SettingSource::ConfigFile);
}

TEST(Settings, ChoicesThatAreNumbersMayBeWrittenSo) {
  EXPECT_EQ(good({}, "trainer_precision = 32\n").text("trainer_precision"), "32");
}

TEST(Settings, TheFileIsKeptAsOneTreeWithItsTables) {
  const Settings s = good({},
                          "[search.strategy]\nname='optuna'\n[passes.quantize]\nby='type'\n"
                          "[transform]\nstyle='graph'\n");
  ASSERT_NE(s.config(), nullptr);
  EXPECT_EQ(
      to_text(s.config()->tree),
      "{ search = { strategy = { name = \"optuna\" } }, passes = { quantize = { by = \"type\" } }, "
      "transform = { style = \"graph\" } }");
  EXPECT_TRUE(s.config()->has_table("passes"));
  EXPECT_FALSE(s.config()->has_table("model"));
  EXPECT_FALSE(s.model_in_config());
}

TEST(Settings, ANetworkInTheFileIsTheModelUnlessOneIsNamed) {
  const char* named = "[model]\nname = \"mine\"\n";
  EXPECT_TRUE(good({}, named).model_in_config());
  EXPECT_EQ(good({}, named).text("model"), "mine");
  EXPECT_EQ(good({}, "[model]\nlayers = []\n").text("model"), "run");
  EXPECT_FALSE(good({"jsc-tiny"}, named).model_in_config());
  EXPECT_EQ(good({"jsc-tiny"}, named).text("model"), "jsc-tiny");
}

TEST(Settings, PathsBecomeAbsolute) {
  EXPECT_EQ(good({"--project-dir", "out/../runs"}).text("project_dir"),
            "/data/laurie2905/mase/runs");
  EXPECT_EQ(good({"--load", "/tmp"}).text("load_name"), "/tmp");
}

TEST(Settings, AMissingFileMattersOnlyWhenItIsUsed) {
  EXPECT_EQ(good({"--load", "/tmp"}, "load_name = \"/no/such.ckpt\"\n").text("load_name"), "/tmp");
  EXPECT_EQ(error_of({}, "load_name = \"/no/such.ckpt\"\n"),
            "error: load_name: there is no '/no/such.ckpt'\n"
            "  hint: check the path; it is taken relative to the current folder\n");
  EXPECT_EQ(error_of({"--quant-config", "/tmp"}),
            "error: quant_config: '/tmp' is a folder, not a file\n");
}

TEST(Settings, WarnsOfWhatItCannotObey) {
  EXPECT_TRUE(good({}).warnings().empty());
  EXPECT_EQ(
      good({"--trainer-precision=bf16", "--accelerator=gpu", "--report-to=wandb", "--max-steps=0"})
          .warnings(),
      (std::vector<std::string>{
          "trainer_precision 'bf16' is not available; training uses float32",
          "accelerator 'gpu' is not available; the CPU is used",
          "report_to 'wandb' is not available; metrics go to TensorBoard files",
          "max_steps 0 is taken as no limit"}));
}

TEST(Settings, ListsMakeAGrid) {
  const Settings s = good({"--batch-size", "64,128", "--learning-rate=1e-4, 1e-3,1e-2"});
  EXPECT_EQ(s.axes(), (std::vector<std::string_view>{"batch_size", "learning_rate"}));
  EXPECT_EQ(s.shown("batch_size", SettingSource::Manual), "64,128");
  const auto grid = s.grid();
  ASSERT_TRUE(grid);
  ASSERT_EQ(grid.value().size(), 6u);
  std::vector<std::pair<std::int64_t, double>> points;
  for (const Settings& one : grid.value()) {
    points.emplace_back(one.integer("batch_size"), one.real("learning_rate"));
    EXPECT_TRUE(one.axes().empty());
  }
  EXPECT_EQ(points,
            (std::vector<std::pair<std::int64_t, double>>{
                {64, 1e-4}, {64, 1e-3}, {64, 1e-2}, {128, 1e-4}, {128, 1e-3}, {128, 1e-2}}));
}

TEST(Settings, ListsInTheFileToo) {
  const Settings s = good({"--batch-size", "32"},
                          "batch_size = [64, 128]\ntraining_optimizer = "
                          "['adam', 'sgd']\n");
  EXPECT_EQ(s.axes(), (std::vector<std::string_view>{"training_optimizer"}));
  EXPECT_EQ(s.grid().value().size(), 2u);
}

TEST(Settings, WithoutListsTheGridIsOnePoint) {
  const auto grid = good({"--seed", "3"}).grid();
  ASSERT_TRUE(grid);
  ASSERT_EQ(grid.value().size(), 1u);
  EXPECT_EQ(grid.value()[0].integer("seed"), 3);
}

TEST(Settings, AGridOfTooManyCombinationsIsRefused) {
  std::string many = "1";
  for (int i = 2; i <= 500; ++i) many += "," + std::to_string(i);
  const auto grid = good({"--batch-size", many, "--learning-rate", many}).grid();
  ASSERT_FALSE(grid);
  EXPECT_EQ(to_string(grid.error()),
            "error: the lists make more than 100,000 combinations\n  hint: shorten some of them\n");
}

TEST(Settings, ValuesForHparamsKeepTheirTypes) {
  const auto values = settings_values(good({"jsc-tiny"}));
  EXPECT_EQ(values.at(3).first, "batch_size");
  EXPECT_EQ(std::get<std::int64_t>(values.at(3).second.value), 128);
  EXPECT_EQ(values.at(1).second.value.index(), 0u);
}

}  // namespace
}  // namespace chop
