#include "cli/run.hpp"

#include <gtest/gtest.h>

#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "cli/output.hpp"
#include "cli/views/help.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "unit/cli/settings_fixture.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

struct Ended {
  int code = 0;
  std::string out;
  std::string err;
};

Ended ch(std::vector<std::string> words) {
  words.insert(words.begin(), "ch");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_cli(static_cast<int>(argv.size()), argv.data(), out, err);
  clear_log_sink();
  set_log_level(LogLevel::Info);
  return {code, out.str(), err.str()};
}

Ended run_as(const ActionDef& action, const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  set_log_sink(err);
  const int code = run_action(action, words, out, err);
  clear_log_sink();
  set_log_level(LogLevel::Info);
  set_log_warnings(true);
  return {code, out.str(), err.str()};
}

Result<Exit> print_model(const Invocation& invocation) {
  invocation.out << invocation.settings.text_or_empty("model") << '\n';
  return Exit::Done;
}

TEST(Run, VersionIsNameAndNumber) {
  const Ended ended = ch({"--version"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "ch " CH_VERSION "\n");
  EXPECT_EQ(ch({"-V"}).out, ended.out);
}

TEST(Run, StylesOfTablesExcludeEachOther) {
  const Ended ended = ch({"models", "--markdown", "--latex"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err,
            "error: --markdown and --latex exclude each other\n  hint: give one of them\n");
  EXPECT_EQ(ch({"models", "--markdown", "--latex=false"}).code, 0);
}

TEST(Run, HelpGoesToTheOutputAndIsNoError) {
  const Ended ended = ch({"--help"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, program_help());
  EXPECT_NE(ended.out.find("  settings "), std::string::npos);
}

TEST(Run, NothingToDoIsAMistakeOfUsage) {
  const Ended ended = ch({});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, program_help());
}

TEST(Run, AnUnknownActionHasANearName) {
  const Ended ended = ch({"setings"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "error: unknown action 'setings'\n"
            "  hint: did you mean 'settings'? `ch --help` lists all\n");
}

TEST(Run, OptionsComeAfterTheAction) {
  EXPECT_EQ(ch({"--seed", "1"}).err,
            "error: unknown option '--seed'\n"
            "  hint: the action comes first: ch ACTION [MODEL] [DATASET] [options]\n");
}

TEST(Run, AFlagOfOtherActionsIsNamedAsSuch) {
  const Ended ended = ch({"settings", "--seed", "1"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "error: `ch settings` does not take --seed\n"
            "  hint: `ch settings --help` lists all options\n");
}

TEST(Run, EveryActionTakesQuiet) {
  for (const ActionDef& action : all_actions()) {
    const std::vector<SettingDef> accepted = accepted_settings(action);
    EXPECT_NE(find_setting(accepted, "quiet"), nullptr) << "ch " << action.name;
  }
  EXPECT_EQ(ch({"models", "-q"}).code, 0);
}

TEST(Run, SettingsExplainsOneOrAll) {
  const Ended one = ch({"settings", "seed"});
  EXPECT_EQ(one.out,
            "Name  Flags   Default  Allowed                       Meaning\n"
            "----  ------  -------  ----------------------------  -------------------------\n"
            "seed  --seed  0        a whole number of at least 0  seed of everything random\n");
  const auto json = nlohmann::json::parse(ch({"settings", "--json", "-"}).out);
  EXPECT_EQ(json.size(), all_settings().size());
  EXPECT_EQ(json[0]["name"], "task");
  const Ended unknown = ch({"settings", "sed"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(unknown.err,
            "error: unknown setting 'sed'\n"
            "  hint: did you mean 'seed'? `ch settings` lists all\n");
}

TEST(Run, MissingModelAndDataSetAreAsMistakeOfUsage) {
  ActionDef action = testing_cli::everything();
  action.required = {"model", "dataset"};
  action.run = print_model;
  const Ended ended = run_as(action, {});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "error: model and dataset are missing\n"
            "  hint: usage: ch try [MODEL] [DATASET] [options]\n");
  EXPECT_EQ(run_as(action, {"jsc-tiny"}).err,
            "error: dataset is missing\n"
            "  hint: usage: ch try [MODEL] [DATASET] [options]\n");
  EXPECT_EQ(run_as(action, {"jsc-tiny", "jsc"}).out, "jsc-tiny\n");
}

TEST(Run, WarnsOfFlagsThatHaveNoEffect) {
  ActionDef action = testing_cli::everything();
  action.groups = {SettingGroup::Task};
  action.run = print_model;
  const Ended ended = run_as(action, {"m", "--max-epochs", "3"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "WARNING  --max-epochs has no effect on `ch try`\n");
  EXPECT_EQ(run_as(action, {"m", "--max-epochs", "3", "--no-warnings"}).err, "");
}

TEST(Run, TheLogLevelOfTheFileIsObeyed) {
  const testing::TempFolder folder;
  const std::string path = (folder / "settings.toml").string();
  ASSERT_TRUE(write_file(path, "log_level = \"error\"\naccelerator = \"gpu\"\nmodel = \"m\"\n"));
  ActionDef action = testing_cli::everything();
  action.run = print_model;
  const Ended ended = run_as(action, {"--config", path});
  EXPECT_EQ(ended.out, "m\n");
  EXPECT_EQ(ended.err, "");
}

TEST(Run, AFaultInTheFileIsTheInputsFault) {
  ActionDef action = testing_cli::everything();
  action.run = print_model;
  EXPECT_EQ(run_as(action, {"--config", "/no/such.toml"}).code, 1);
  EXPECT_EQ(run_as(action, {"--config", "/no/such.yaml"}).code, 1);
}

TEST(Run, ExitCodesTellWhoseFaultItIs) {
  ActionDef action = testing_cli::everything();
  action.run = [](const Invocation&) -> Result<Exit> { return Error{.what = "bad data"}; };
  EXPECT_EQ(run_as(action, {}).code, 1);
  EXPECT_EQ(run_as(action, {}).err, "error: bad data\n");
  action.run = [](const Invocation&) -> Result<Exit> { return Exit::CheckFailed; };
  EXPECT_EQ(run_as(action, {}).code, 3);
  action.run = [](const Invocation&) -> Result<Exit> { throw std::runtime_error("surprise"); };
  EXPECT_EQ(run_as(action, {}).code, 70);
  EXPECT_EQ(run_as(action, {}).err,
            "error: internal error: surprise\n"
            "  hint: this is a bug of ch; please report the command line\n");
  action.run = [](const Invocation&) -> Result<Exit> { throw std::bad_alloc(); };
  EXPECT_EQ(run_as(action, {}).code, 1);
}

TEST(Run, JsonOnStandardOutputStandsAlone) {
  ActionDef action = testing_cli::everything();
  action.run = [](const Invocation& invocation) -> Result<Exit> {
    return print_table(invocation, {.columns = {{"n"}}, .rows = {{1}}});
  };
  EXPECT_EQ(run_as(action, {"--json", "-"}).out, "[\n  {\n    \"n\": 1\n  }\n]\n");
  const testing::TempFolder folder;
  const std::string path = (folder / "table.json").string();
  EXPECT_EQ(run_as(action, {"--json", path}).out, "+---+\n| n |\n+---+\n| 1 |\n+---+\n");
  EXPECT_EQ(read_file(path).value(), "[\n  {\n    \"n\": 1\n  }\n]\n");
}

TEST(Help, OfAnActionIsGroupedAndWrapped) {
  ActionDef action = testing_cli::everything();
  action.groups = {SettingGroup::Checkpoints, SettingGroup::Machine};
  action.lists = {"threads"};
  EXPECT_EQ(action_help(action),
            R"(usage: ch try [MODEL] [DATASET] [options]

for tests

Arguments:
  MODEL                       network from the zoo, or a file with one: TOML,
                              ONNX, a checkpoint
  DATASET                     data set by name, or a file

Task:
  --config TOML               file with settings, passes and search spaces

Data:
  --in DATASET                data set by name, or a file

Model:
  --model MODEL               network from the zoo, or a file with one: TOML,
                              ONNX, a checkpoint

Checkpoints:
  --resume                    go on where the project, or without --project the
                              last one, stopped
  --checkpoint-every-n-steps N
                              save after so many steps; 0: not by steps (default
                              0)
  --checkpoint-every-seconds X
                              save after so much time; 0: not by time (default
                              30)

Machine:
  --cpu, --num-workers N      threads that prepare data; 0: the main thread
                              alone (default all cores)
  --accelerator NAME          device to run on; always the CPU for now: auto,
                              cpu, gpu, mps (default auto)
  --threads N,...             threads that compute (default all cores)
  --simd LEVEL                vector instructions: baseline, avx2, avx512 (else
                              CH_SIMD, or all)
)");
}

}  // namespace
}  // namespace chop
