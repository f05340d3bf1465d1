#include "train/train_options.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

#include "support/text.hpp"

namespace chop::train {
namespace {

template <class Member>
Tree as_tree(const Member& member) {
  if constexpr (std::is_same_v<Member, std::filesystem::path>)
    return member.string();
  else
    return member;
}

template <class Member>
void assign(Member& member, const Tree& value) {
  if constexpr (std::is_same_v<Member, bool>)
    member = *value.as_flag();
  else if constexpr (std::is_integral_v<Member>)
    member = static_cast<Member>(*value.as_integer());
  else if constexpr (std::is_assignable_v<Member&, double> && !std::is_same_v<Member, std::string>)
    member = value.number();
  else
    member = *value.as_text();
}

/// The default of a field as people write it: 30, not 30.0.
Tree as_written(const Tree& value) {
  const double* real = value.as_real();
  const bool whole = real != nullptr && *real == std::floor(*real) && std::fabs(*real) < 1e15;
  return whole ? Tree(static_cast<std::int64_t>(*real)) : value;
}

/// A line of the table. `Member` is a lambda without captures: the member of the options it gets.
template <class Member>
TrainField option(Decides decides, Field field, Member /*member*/, TrainField notes = {}) {
  notes.decides = decides;
  notes.get = [](const TrainOptions& options) { return as_tree(Member{}(options)); };
  notes.set = [](TrainOptions& options, const Tree& value) { assign(Member{}(options), value); };
  field.initial = notes.get({});
  field.kind = kind_of(field);
  // What the field would not take (an empty period) stands for a value that is not given.
  field.initial = conform(field, field.initial) ? as_written(field.initial) : Tree();
  notes.field = std::move(field);
  return notes;
}

std::vector<std::string_view> optimiser_names() {
  std::vector<std::string_view> names;
  for (const OptimiserDef& def : all_optimisers()) names.push_back(def.name);
  return names;
}

/// In the order in which studies record them.
std::vector<TrainField> make_fields() {
  using enum Decides;
  return {
      option(Steps,
             {.name = "training_optimizer", .doc = "optimiser", .choices = optimiser_names()},
             [](auto& o) -> auto& { return o.optimiser; }, {.in_study = "optimizer"}),
      option(
          Steps, {.name = "learning_rate", .doc = "step size at the start", .bounds = kAboveZero},
          [](auto& o) -> auto& { return o.settings.learning_rate; }),
      option(
          Steps,
          {.name = "weight_decay",
           .doc = "pull of the weights towards zero",
           .bounds = kAtLeastZero},
          [](auto& o) -> auto& { return o.settings.weight_decay; }),
      option(
          Steps, {.name = "momentum", .doc = "momentum of sgd", .bounds = {.least = 0, .below = 1}},
          [](auto& o) -> auto& { return o.settings.momentum; }),
      option(
          Steps, {.name = "nesterov", .doc = "Nesterov's momentum for sgd"},
          [](auto& o) -> auto& { return o.settings.nesterov; }),
      option(Steps,
             {.name = "eta_min",
              .doc = "learning rate the cosine ends at; None: 1e-6 for adam and adamw, 0 for sgd",
              .kind = FieldKind::Real,
              .bounds = kAtLeastZero},
             [](auto& o) -> auto& { return o.eta_min; }, {.default_word = "default"}),
      option(
          Steps,
          {.name = "t_max",
           .doc = "epochs of the cosine schedule; max_epochs when not given",
           .bounds = kAtLeastOne},
          [](auto& o) -> auto& { return o.t_max; }),
      option(
          Length,
          {.name = "patience",
           .doc = "stop after so many epochs without a better validation loss; 0: never",
           .bounds = kAtLeastZero},
          [](auto& o) -> auto& { return o.patience; }),
      option(Steps,
             {.name = "max_steps", .doc = "stop after so many optimiser steps; -1: no limit"},
             [](auto& o) -> auto& { return o.max_steps; }, {.default_word = "no limit"}),
      option(
          Steps,
          {.name = "accumulate_grad_batches",
           .doc = "batches whose gradients make one step",
           .bounds = kAtLeastOne},
          [](auto& o) -> auto& { return o.accumulate_grad_batches; }),
      option(
          Steps, {.name = "batch_size", .doc = "samples per step", .bounds = kAtLeastOne},
          [](auto& o) -> auto& { return o.batch_size; }),
      option(
          Length,
          {.name = "max_epochs", .doc = "passes over the training data", .bounds = kAtLeastZero},
          [](auto& o) -> auto& { return o.max_epochs; }),
      option(
          Steps, {.name = "seed", .doc = "seed of everything random", .bounds = kAtLeastZero},
          [](auto& o) -> auto& { return o.seed; }),
      option(Steps,
             {.name = "most_batches",
              .doc = "batches of each split that are used; 0: all",
              .bounds = kAtLeastZero},
             [](auto& o) -> auto& { return o.most_batches; },
             {.in_checkpoint = "batches per epoch", .default_word = "all", .recorded_later = true}),
      option(Steps,
             {.name = "beta1",
              .doc = "share of the mean gradient that adam and adamw keep",
              .bounds = {.least = 0, .below = 1}},
             [](auto& o) -> auto& { return o.settings.beta1; }, {.recorded_later = true}),
      option(Steps,
             {.name = "beta2",
              .doc = "share of the mean squared gradient that adam and adamw keep",
              .bounds = {.least = 0, .below = 1}},
             [](auto& o) -> auto& { return o.settings.beta2; }, {.recorded_later = true}),
      option(Steps,
             {.name = "eps",
              .doc = "what adam and adamw add to the denominator",
              .bounds = kAboveZero},
             [](auto& o) -> auto& { return o.settings.eps; }, {.recorded_later = true}),
      option(
          Nothing, {.name = "threads", .doc = "threads that compute", .bounds = kAtLeastOne},
          [](auto& o) -> auto& { return o.threads; }),
      option(
          Nothing,
          {.name = "log_every_n_steps",
           .doc = "steps between recorded metrics",
           .bounds = kAtLeastOne},
          [](auto& o) -> auto& { return o.log_every_n_steps; }),
      option(
          Nothing,
          {.name = "checkpoints",
           .doc = "folder of best.ckpt and last.ckpt",
           .kind = FieldKind::Path},
          [](auto& o) -> auto& { return o.checkpoints; }),
      option(
          Nothing,
          {.name = "checkpoint_every_n_steps",
           .doc = "save after so many steps; 0: not by steps",
           .bounds = kAtLeastZero},
          [](auto& o) -> auto& { return o.checkpoint_every_n_steps; }),
      option(
          Nothing,
          {.name = "checkpoint_every_seconds",
           .doc = "save after so much time; 0: not by time",
           .bounds = kAtLeastZero},
          [](auto& o) -> auto& { return o.checkpoint_every_seconds; }),
      option(
          Nothing, {.name = "transformed", .doc = "whether passes made the graph"},
          [](auto& o) -> auto& { return o.transformed; }),
  };
}

std::string fingerprint_text(const TrainField& option, const Tree& value) {
  if (!option.default_word.empty() && value == option.field.initial)
    return std::string(option.default_word);
  const std::string* text = value.as_text();
  return text == nullptr ? to_text(value) : *text;
}

}  // namespace

std::span<const TrainField> train_fields() {
  static const std::vector<TrainField> table = make_fields();
  return table;
}

const TrainField& train_field(std::string_view name) {
  const std::span<const TrainField> all = train_fields();
  const auto found = std::find_if(all.begin(), all.end(), [name](const TrainField& option) {
    return option.field.name == name;
  });
  assert(found != all.end() && "asked for an option of training that does not exist");
  return *found;
}

std::map<std::string, std::string> fingerprint(const TrainOptions& options) {
  TrainOptions settled = options;
  if (settled.t_max <= 0) settled.t_max = settled.max_epochs;
  std::map<std::string, std::string> print;
  for (const TrainField& option : train_fields())
    if (option.decides == Decides::Steps)
      print.emplace(option.in_checkpoint.empty() ? option.field.name : option.in_checkpoint,
                    fingerprint_text(option, option.get(settled)));
  return print;
}

Tree study_identity(const TrainOptions& options) {
  Tree tree = Tree::table();
  for (const TrainField& option : train_fields()) {
    const Tree value = option.get(options);
    if (option.decides == Decides::Nothing) continue;
    if (option.recorded_later && value == option.get({})) continue;
    tree.set(option.in_study.empty() ? option.field.name : option.in_study, value);
  }
  return tree;
}

}  // namespace chop::train
