#include "train/train_options.hpp"

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

/// A line of the table, for the member of the options or of their settings.
template <auto member>
TrainField option(Decides decides, Field field, TrainField notes = {}) {
  static constexpr auto at = [](auto& options) -> auto& {
    if constexpr (requires { options.*member; })
      return options.*member;
    else
      return options.settings.*member;
  };
  notes.decides = decides;
  notes.get = [](const TrainOptions& options) { return as_tree(at(options)); };
  notes.set = [](TrainOptions& options, const Tree& value) { assign(at(options), value); };
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
  using All = TrainOptions;
  using Own = OptimiserSettings;
  return {
      option<&All::optimiser>(
          Steps, {.name = "training_optimizer", .doc = "optimiser", .choices = optimiser_names()},
          {.in_study = "optimizer"}),
      option<&Own::learning_rate>(
          Steps, {.name = "learning_rate", .doc = "step size at the start", .bounds = kAboveZero}),
      option<&Own::weight_decay>(Steps, {.name = "weight_decay",
                                         .doc = "pull of the weights towards zero",
                                         .bounds = kAtLeastZero}),
      option<&Own::momentum>(
          Steps,
          {.name = "momentum", .doc = "momentum of sgd", .bounds = {.least = 0, .below = 1}}),
      option<&Own::nesterov>(Steps, {.name = "nesterov", .doc = "Nesterov's momentum for sgd"}),
      option<&All::eta_min>(
          Steps,
          {.name = "eta_min",
           .doc = "learning rate the cosine ends at; None: 1e-6 for adam and adamw, 0 for sgd",
           .kind = FieldKind::Real,
           .bounds = kAtLeastZero},
          {.default_word = "default"}),
      option<&All::t_max>(Steps,
                          {.name = "t_max",
                           .doc = "epochs of the cosine schedule; max_epochs when not given",
                           .bounds = kAtLeastOne},
                          {.follows = "max_epochs"}),
      option<&All::patience>(
          Length, {.name = "patience",
                   .doc = "stop after so many epochs without a better validation loss; 0: never",
                   .bounds = kAtLeastZero}),
      option<&All::max_steps>(
          Steps, {.name = "max_steps", .doc = "stop after so many optimiser steps; -1: no limit"},
          {.default_word = "no limit"}),
      option<&All::accumulate_grad_batches>(Steps, {.name = "accumulate_grad_batches",
                                                    .doc = "batches whose gradients make one step",
                                                    .bounds = kAtLeastOne}),
      option<&All::batch_size>(
          Steps, {.name = "batch_size", .doc = "samples per step", .bounds = kAtLeastOne}),
      option<&All::max_epochs>(
          Length,
          {.name = "max_epochs", .doc = "passes over the training data", .bounds = kAtLeastZero},
          {.in_trial = kAtLeastOne}),
      option<&All::seed>(
          Steps, {.name = "seed", .doc = "seed of everything random", .bounds = kAtLeastZero}),
      option<&All::most_batches>(
          Steps,
          {.name = "most_batches",
           .doc = "batches of each split that are used; 0: all",
           .internal = true,
           .bounds = kAtLeastZero},
          {.in_checkpoint = "batches per epoch", .default_word = "all", .recorded_later = true}),
      option<&Own::beta1>(Steps,
                          {.name = "beta1",
                           .doc = "share of the mean gradient that adam and adamw keep",
                           .bounds = {.least = 0, .below = 1}},
                          {.recorded_later = true}),
      option<&Own::beta2>(Steps,
                          {.name = "beta2",
                           .doc = "share of the mean squared gradient that adam and adamw keep",
                           .bounds = {.least = 0, .below = 1}},
                          {.recorded_later = true}),
      option<&Own::eps>(Steps,
                        {.name = "eps",
                         .doc = "what adam and adamw add to the denominator",
                         .bounds = kAboveZero},
                        {.recorded_later = true}),
      option<&All::threads>(Nothing, {.name = "threads",
                                      .doc = "threads that compute",
                                      .internal = true,
                                      .bounds = kAtLeastOne}),
      option<&All::log_every_n_steps>(Nothing, {.name = "log_every_n_steps",
                                                .doc = "steps between recorded metrics",
                                                .bounds = kAtLeastOne}),
      option<&All::checkpoints>(Nothing, {.name = "checkpoints",
                                          .doc = "folder of best.ckpt and last.ckpt",
                                          .internal = true,
                                          .kind = FieldKind::Path}),
      option<&All::checkpoint_every_n_steps>(Nothing,
                                             {.name = "checkpoint_every_n_steps",
                                              .doc = "save after so many steps; 0: not by steps",
                                              .bounds = kAtLeastZero}),
      option<&All::checkpoint_every_seconds>(Nothing,
                                             {.name = "checkpoint_every_seconds",
                                              .doc = "save after so much time; 0: not by time",
                                              .bounds = kAtLeastZero}),
      option<&All::transformed>(
          Nothing,
          {.name = "transformed", .doc = "whether passes made the graph", .internal = true}),
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
