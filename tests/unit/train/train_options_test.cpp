#include "train/train_options.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/json.hpp"

namespace chop {
namespace {

// Another value than the one it has.
void change(bool& value) {
  value = !value;
}
void change(double& value) {
  value = value / 2 + 0.01;
}
void change(std::optional<double>& value) {
  value = 0.25;
}
void change(std::string& value) {
  value += "w";
}
void change(std::filesystem::path& value) {
  value /= "elsewhere";
}
template <std::integral Integer>
void change(Integer& value) {
  value += 3;
}

std::vector<std::string> noticed_by(const TrainOptions& before, const TrainOptions& after) {
  std::vector<std::string> names;
  for (const TrainField& option : train_fields())
    if (option.get(before) != option.get(after)) names.emplace_back(option.field.name);
  return names;
}

TEST(TrainOptions, EveryMemberIsOneLineOfTheTable) {
  TrainOptions options;
  std::set<std::string> seen;
  const auto check = [&](auto& member) {
    const TrainOptions before = options;
    change(member);
    const std::vector<std::string> names = noticed_by(before, options);
    EXPECT_EQ(names.size(), 1U);
    seen.insert(names.begin(), names.end());
  };
  // A new member does not compile here. It needs a line in train_fields(), and a name below.
  auto& [max_epochs, max_steps, batch_size, accumulate, patience, optimiser, settings, t_max,
         eta_min, seed, threads, log_every, most_batches, checkpoints, every_n_steps, every_seconds,
         transformed] = options;
  auto& [learning_rate, weight_decay, beta1, beta2, eps, momentum, nesterov] = settings;
  const auto all = [&](auto&... members) { (check(members), ...); };
  all(max_epochs, max_steps, batch_size, accumulate, patience, optimiser, t_max, eta_min, seed,
      threads, log_every, most_batches, checkpoints, every_n_steps, every_seconds, transformed,
      learning_rate, weight_decay, beta1, beta2, eps, momentum, nesterov);
  EXPECT_EQ(seen.size(), train_fields().size());
}

/// The options with one of them changed by its own setter.
TrainOptions changed(const TrainField& option) {
  TrainOptions options;
  Tree value = option.get(options);
  if (value.as_flag() != nullptr)
    value = !*value.as_flag();
  else if (value.as_integer() != nullptr)
    value = *value.as_integer() + 3;
  else if (value.is_text())
    value = *value.as_text() + "w";
  else
    value = value.number() / 2 + 0.01;
  option.set(options, value);
  EXPECT_EQ(option.get(options), value) << option.field.name;
  return options;
}

TEST(TrainOptions, WhatDecidesResultsMakesAnotherStudyAndAnotherRun) {
  const TrainOptions usual;
  std::set<std::string_view> without_effect;
  for (const TrainField& option : train_fields()) {
    const TrainOptions other = changed(option);
    EXPECT_EQ(study_identity(usual) != study_identity(other), option.decides != Decides::Nothing)
        << option.field.name;
    EXPECT_EQ(fingerprint(usual) != fingerprint(other),
              option.decides == Decides::Steps || option.field.name == "max_epochs")
        << option.field.name;  // the period of the cosine is max_epochs unless it is given
    if (option.decides == Decides::Nothing) without_effect.insert(option.field.name);
  }
  // A new option belongs here only when no bit of a result depends on it.
  EXPECT_EQ(without_effect, (std::set<std::string_view>{
                                "threads", "log_every_n_steps", "checkpoints", "transformed",
                                "checkpoint_every_n_steps", "checkpoint_every_seconds"}));
}

// Stored in checkpoints and studies: another text, and none of those that exist can be continued.
TEST(TrainOptions, FingerprintsAndIdentitiesStayAsTheyAreStored) {
  EXPECT_EQ(to_json(study_identity({})),
            R"({"optimizer":"adam","learning_rate":0.001,"weight_decay":0.0,"momentum":0.9,)"
            R"("nesterov":true,"eta_min":null,"t_max":0,"patience":0,"max_steps":-1,)"
            R"("accumulate_grad_batches":1,"batch_size":128,"max_epochs":20,"seed":0})");
  EXPECT_EQ(study_identity({.most_batches = 5})["most_batches"], Tree(5));
  const std::map<std::string, std::string> expected = {{"accumulate_grad_batches", "1"},
                                                       {"batch_size", "128"},
                                                       {"batches per epoch", "all"},
                                                       {"beta1", "0.9"},
                                                       {"beta2", "0.999"},
                                                       {"eps", "1e-08"},
                                                       {"eta_min", "default"},
                                                       {"learning_rate", "0.001"},
                                                       {"max_steps", "no limit"},
                                                       {"momentum", "0.9"},
                                                       {"nesterov", "true"},
                                                       {"seed", "0"},
                                                       {"t_max", "20"},
                                                       {"training_optimizer", "adam"},
                                                       {"weight_decay", "0.0"}};
  EXPECT_EQ(fingerprint({}), expected);
}

TEST(TrainOptions, DefaultsObeyTheirFields) {
  for (const TrainField& option : train_fields()) {
    EXPECT_FALSE(option.field.doc.empty()) << option.field.name;
    if (option.field.initial.is_null()) continue;
    EXPECT_TRUE(conform(option.field, option.field.initial)) << option.field.name;
    EXPECT_EQ(conform(option.field, option.field.initial), option.get({})) << option.field.name;
  }
}

}  // namespace
}  // namespace chop
