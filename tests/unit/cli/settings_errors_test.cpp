// What a user reads after a slip on the command line or in a configuration file.
#include <gtest/gtest.h>

#include "support/text.hpp"
#include "train/optimiser.hpp"
#include "unit/cli/settings_fixture.hpp"

namespace chop {
namespace {

using testing_cli::error_of;

struct Slip {
  std::vector<std::string> words;
  const char* toml;
  std::string message;
};

/// "adam, adamw, sgd"
std::string optimiser_names() {
  std::vector<std::string> names;
  for (const OptimiserDef& def : all_optimisers()) names.emplace_back(def.name);
  return join(names, ", ");
}

TEST(SettingsErrors, OfTheCommandLineSayWhatWouldWork) {
  const std::vector<Slip> slips = {
      {{"--batch-size", "-5"},
       nullptr,
       "error: --batch-size cannot be '-5'\n"
       "  hint: batch_size is a whole number of at least 1\n"},
      {{"--batch-size=0"},
       nullptr,
       "error: --batch-size cannot be '0'\n"
       "  hint: batch_size is a whole number of at least 1\n"},
      {{"--batch-size", "1.5"},
       nullptr,
       "error: --batch-size cannot be '1.5'\n"
       "  hint: batch_size is a whole number of at least 1\n"},
      {{"--num-workers", "two"},
       nullptr,
       "error: --num-workers cannot be 'two'\n"
       "  hint: num_workers is a whole number of at least 0\n"},
      {{"--learning-rate", "0"},
       nullptr,
       "error: --learning-rate cannot be '0'\n"
       "  hint: learning_rate is a number above 0\n"},
      {{"--learning-rate", "nan"},
       nullptr,
       "error: --learning-rate cannot be 'nan'\n"
       "  hint: learning_rate is a number above 0\n"},
      {{"--learning-rate", "1e-3,x"},
       nullptr,
       "error: --learning-rate cannot be 'x'\n"
       "  hint: learning_rate is a number above 0\n"},
      {{"--max-epochs", "-1"},
       nullptr,
       "error: --max-epochs cannot be '-1'\n"
       "  hint: max_epochs is a whole number of at least 0\n"},
      {{"--validation-fraction", "1"},
       nullptr,
       "error: --validation-fraction cannot be '1'\n"
       "  hint: validation_fraction is a number above 0 and below 1\n"},
      {{"--seed", "99999999999999999999"},
       nullptr,
       "error: --seed cannot be '99999999999999999999'\n"
       "  hint: seed is a whole number of at least 0\n"},
      {{"--training-optimizer", "adan"},
       nullptr,
       cat("error: --training-optimizer cannot be 'adan'\n"
           "  hint: did you mean 'adam'? training_optimizer is one of ",
           optimiser_names(), "\n")},
      {{"--btach-size", "64"},
       nullptr,
       "error: unknown option '--btach-size'\n"
       "  hint: did you mean '--batch-size'? `ch try --help` lists all options\n"},
      {{"--batch=64"},
       nullptr,
       "error: unknown option '--batch'\n"
       "  hint: did you mean '--batch-size'? `ch try --help` lists all options\n"},
      {{"jsc-tiny", "jsc", "more"},
       nullptr,
       "error: unexpected argument 'more'\n"
       "  hint: usage: ch try [MODEL] [DATASET] [options]\n"},
      {{"jsc-tiny", "jsc", "--model", "jsc-s"},
       nullptr,
       "error: the model is given twice: jsc-tiny and jsc-s\n"
       "  hint: usage: ch try [MODEL] [DATASET] [options]\n"},
      {{"jsc-tiny", "--dataset", "jsc"},
       nullptr,
       "error: unknown option '--dataset'\n"
       "  hint: give it as a word, or with --in; usage: ch try [MODEL] [DATASET] [options]\n"},
      {{"jsc-tiny", "--seed"},
       nullptr,
       "error: --seed needs a value\n"
       "  hint: --seed takes a whole number of at least 0: seed of everything random\n"},
      {{"jsc-tiny", "--gpu"},
       nullptr,
       "error: --gpu needs a value\n"
       "  hint: --gpu takes a whole number of at least 1: devices per machine\n"},
      {{"--project", ""},
       nullptr,
       "error: --project cannot be ''\n"
       "  hint: project is a text\n"},
  };
  for (const Slip& slip : slips) EXPECT_EQ(error_of(slip.words, slip.toml), slip.message);
}

TEST(SettingsErrors, OfTheFileNameKeyValueAndLine) {
  const std::vector<Slip> slips = {
      {{},
       "seed = 1\n\nbtach_size = 4\n",
       "error: unknown key 'btach_size'\n"
       "  note: run.toml:3\n"
       "  hint: did you mean 'batch_size'? `ch settings` lists all\n"},
      {{},
       "[pases.quantize]\nby = 'type'\n",
       "error: unknown key 'pases'\n"
       "  note: run.toml:1\n"
       "  hint: did you mean 'passes'? `ch settings` lists all\n"},
      {{},
       "batch_size = 'many'\n",
       "error: batch_size cannot be 'many'\n"
       "  note: run.toml:1\n"
       "  hint: batch_size is a whole number of at least 1\n"},
      {{},
       "batch_size = 64.0\n",
       "error: batch_size cannot be '64.0'\n"
       "  note: run.toml:1\n"
       "  hint: batch_size is a whole number of at least 1\n"},
      {{},
       "batch_size = 'NA'\n",
       "error: batch_size cannot be 'NA'\n"
       "  note: run.toml:1\n"
       "  hint: batch_size is a whole number of at least 1\n"},
      {{},
       "batch_size = [64, 0]\n",
       "error: batch_size cannot be '0'\n"
       "  note: run.toml:1\n"
       "  hint: batch_size is a whole number of at least 1\n"},
      {{},
       "batch_size = []\n",
       "error: batch_size is an empty list\n"
       "  note: run.toml:1\n"},
      {{},
       "seed = [1, 2]\n",
       "error: seed cannot be a list\n"
       "  note: run.toml:1\n"
       "  hint: seed is a whole number of at least 0\n"},
      {{},
       "seed = 1979-05-27\n",
       "error: seed cannot be '1979-05-27'\n"
       "  note: run.toml:1\n"
       "  hint: seed is a whole number of at least 0\n"},
      {{},
       "learning_rate = inf\n",
       "error: learning_rate cannot be 'inf'\n"
       "  note: run.toml:1\n"
       "  hint: learning_rate is a number above 0\n"},
      {{},
       "to_debug = 1\n",
       "error: to_debug cannot be '1'\n"
       "  note: run.toml:1\n"
       "  hint: to_debug is true or false\n"},
      {{},
       "model = 7\n",
       "error: model cannot be '7'\n"
       "  note: run.toml:1\n"
       "  hint: model is a text\n"},
      {{},
       "passes = 3\n",
       "error: 'passes' must be a table\n"
       "  note: run.toml:1\n"
       "  hint: write [passes] on a line of its own\n"},
      {{},
       "config = 'other.toml'\n",
       "error: unknown key 'config'\n"
       "  note: run.toml:1\n"
       "  hint: did you mean 'quant_config'? `ch settings` lists all\n"},
  };
  for (const Slip& slip : slips) EXPECT_EQ(error_of(slip.words, slip.toml), slip.message);
}

TEST(SettingsErrors, BrokenTomlGivesThePlace) {
  const std::string message = error_of({}, "seed = 1\nbatch_size = = 2\n");
  EXPECT_TRUE(message.starts_with("error: 'run.toml' is not valid TOML: ")) << message;
  EXPECT_NE(message.find("note: run.toml:2:"), std::string::npos) << message;
}

TEST(SettingsErrors, TheFirstSlipInTheFileIsReported) {
  const std::string message = error_of({}, "zzz_unheard = 1\naaa_unheard = 2\n");
  EXPECT_TRUE(message.starts_with("error: unknown key 'zzz_unheard'\n")) << message;
}

TEST(SettingsErrors, AConfigurationMustBeToml) {
  EXPECT_EQ(to_string(read_config_file("/tmp/run.yaml", all_settings(), {}).error()),
            "error: '/tmp/run.yaml' is not a .toml file\n"
            "  hint: --config takes a TOML file; `ch settings` lists what may stand in it\n");
}

}  // namespace
}  // namespace chop
