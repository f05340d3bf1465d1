// Settings the reference system does not have.
#include "cli/settings/setting_defs.hpp"
#include "data/dataset.hpp"
#include "support/system/simd_level.hpp"
#include "train/train_options.hpp"

namespace chop::cli {

namespace {

std::vector<SettingDef> data_settings() {
  return {
      {.field = {.name = "validation",
                 .initial = "split",
                 .doc = "validate on a part of the training data kept apart, or on all of it",
                 .choices = validation_names()},
       .group = SettingGroup::Data},
      {.field = {.name = "validation_fraction",
                 .initial = 0.1,
                 .doc = "share of the training data kept apart",
                 .bounds = {.above = 0, .below = 1}},
       .group = SettingGroup::Data},
      {.field = {.name = "data",
                 .doc = "file or folder that holds the data set",
                 .kind = FieldKind::ExistingPath},
       .placeholder = "PATH",
       .group = SettingGroup::Data},
      {.field = {.name = "rows",
                 .initial = 0,
                 .doc = "use only so many samples; 0: all",
                 .bounds = kAtLeastZero},
       .group = SettingGroup::Data},
      {.field = {.name = "standardise",
                 .initial = false,
                 .doc = "bring the features of a data file to mean 0 and deviation 1"},
       .group = SettingGroup::Data},
      {.field = {.name = "input_scale",
                 .initial = 1.0,
                 .doc = "every input number becomes (x * input_scale - input_mean) / input_std"},
       .placeholder = "X",
       .group = SettingGroup::Data,
       .in_table = false},
      {.field = {.name = "input_mean",
                 .initial = 0.0,
                 .doc = "subtracted from the scaled inputs, as torchvision's `Normalize` does"},
       .placeholder = "X",
       .group = SettingGroup::Data,
       .in_table = false},
      {.field = {.name = "input_std",
                 .initial = 1.0,
                 .doc = "what the inputs are divided by after that",
                 .bounds = {.above = 0}},
       .placeholder = "X",
       .group = SettingGroup::Data,
       .in_table = false},
  };
}

std::vector<SettingDef> model_settings() {
  return {
      {.field = {.name = "load_partial",
                 .initial = false,
                 .doc = "of --load take the tensors that fit and say which do not"},
       .group = SettingGroup::Model},
      {.field = {.name = "shape",
                 .doc = "the shape of an input, where a file leaves it open: x=1,3,224,224, or the "
                        "numbers alone of the only input; N as the first is any batch"},
       .placeholder = "[NAME=]DIM,DIM,...",
       .group = SettingGroup::Model,
       .in_table = false,
       .repeats = true},
      {.field = {.name = "resume",
                 .initial = false,
                 .doc = "go on where the project, or without --project the last one, stopped"},
       .group = SettingGroup::Checkpoints},
  };
}

std::vector<SettingDef> machine_settings() {
  return {
      {.field = {.name = "threads",
                 .initial = "auto",
                 .doc = "threads that compute",
                 .kind = FieldKind::Integer,
                 .bounds = {.least = 1, .below = 1025}},
       .group = SettingGroup::Machine},
      {.field = {.name = "simd",
                 .doc = "vector instructions: baseline, avx2, avx512 (else CH_SIMD, or all)",
                 .kind = FieldKind::Text},
       .placeholder = "LEVEL",
       .group = SettingGroup::Machine,
       .accepted_with = "threads",
       .names = simd_level_names},
  };
}

std::vector<SettingDef> output_settings() {
  return {
      {.field = {.name = "json", .doc = "write the result as JSON; - is standard output"},
       .placeholder = "FILE",
       .group = SettingGroup::Output},
      {.field = {.name = "show_settings",
                 .initial = false,
                 .doc = "print the table of settings first, with what comes from where"},
       .flags = {"--settings"},
       .group = SettingGroup::Output,
       .in_table = false,
       .in_toml = false},
      {.field = {.name = "markdown",
                 .initial = false,
                 .doc = "print tables of results as Markdown"},
       .group = SettingGroup::Output,
       .in_table = false,
       .accepted_with = "json"},
      {.field = {.name = "latex",
                 .initial = false,
                 .doc = "print tables of results as LaTeX, for the package booktabs"},
       .group = SettingGroup::Output,
       .in_table = false,
       .accepted_with = "json",
       .excludes = "markdown"},
      {.field = {.name = "quiet",
                 .initial = false,
                 .doc = "print only results, warnings and errors"},
       .flags = {"--quiet", "-q"},
       .group = SettingGroup::Output},
  };
}

/// Options of training that the reference system has no setting for: all that are not internal.
std::vector<SettingDef> training_settings(bool decide_results) {
  const std::vector<SettingDef> reference = reference_settings();
  std::vector<SettingDef> settings;
  for (const TrainField& option : train_fields())
    if (!option.field.internal && find_setting(reference, option.field.name) == nullptr &&
        (option.decides != Decides::Nothing) == decide_results)
      settings.push_back(
          {.field = option.field,
           .group = decide_results ? SettingGroup::Training : SettingGroup::Checkpoints});
  return settings;
}

}  // namespace

std::vector<SettingDef> own_settings() {
  std::vector<SettingDef> all;
  for (const auto& part :
       {data_settings(), training_settings(/*decide_results=*/true), model_settings(),
        training_settings(/*decide_results=*/false), machine_settings(), output_settings()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace chop::cli
