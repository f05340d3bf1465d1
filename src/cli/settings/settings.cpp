#include "cli/settings/settings.hpp"

#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

/// A grid of more combinations is refused: it is hardly what was meant.
constexpr std::size_t kLargestGrid = 100'000;

bool is_path(FieldKind kind) {
  return kind == FieldKind::ExistingFile || kind == FieldKind::ExistingPath ||
         kind == FieldKind::Path;
}

SettingEntry default_of(const SettingDef& def, const Surroundings& surroundings) {
  if (counts_cores(def))
    return {.value = surroundings.threads, .shown = std::to_string(surroundings.threads)};
  Result<SettingEntry> entry = check_setting(def, def.field.name, def.field.initial);
  assert(entry && "a setting's default breaks its own rule");
  return std::move(entry).value();
}

Status check_exists(const SettingDef& def, const fs::path& path) {
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  if (def.field.kind == FieldKind::ExistingFile && folder)
    return Error{.what = cat(def.field.name, ": '", path.string(), "' is a folder, not a file")};
  if (!folder && !fs::exists(path, ignored))
    return Error{.what = cat(def.field.name, ": there is no '", path.string(), "'"),
                 .hint = "check the path; it is taken relative to the current folder"};
  return {};
}

}  // namespace

Surroundings current_surroundings() {
  std::error_code ignored;
  return {.threads = hardware_threads(), .folder = fs::current_path(ignored)};
}

Result<Settings> Settings::merge(std::vector<SettingDef> defs, const Surroundings& surroundings,
                                 std::shared_ptr<const ConfigFile> config,
                                 const std::vector<Assignment>& manual) {
  Settings settings;
  settings.defs_ = std::make_shared<const std::vector<SettingDef>>(std::move(defs));
  settings.config_ = std::move(config);
  for (const SettingDef& def : *settings.defs_)
    settings.layers_.push_back({{{default_of(def, surroundings)}, {}, {}}});
  const auto take = [&settings](const std::vector<Assignment>& values, SettingSource source) {
    for (const Assignment& assignment : values)
      settings.layers_[settings.index_of(assignment.dest)][static_cast<std::size_t>(source)] =
          assignment.alternatives;
  };
  if (settings.config_) take(settings.config_->values, SettingSource::ConfigFile);
  take(manual, SettingSource::Manual);
  CH_CHECK(settings.resolve_paths(surroundings.folder));
  return settings;
}

Status Settings::resolve_paths(const fs::path& folder) {
  for (std::size_t i = 0; i < defs_->size(); ++i) {
    const SettingDef& def = (*defs_)[i];
    if (!is_path(def.field.kind)) continue;
    for (std::vector<SettingEntry>& entries : layers_[i])
      for (SettingEntry& entry : entries)
        if (const std::string* text = entry.value.as_text()) {
          entry.shown = (folder / *text).lexically_normal().string();
          entry.value = entry.shown;
        }
    for (const SettingEntry& entry : effective(i))
      if (const std::string* text = entry.value.as_text())
        if (def.field.kind != FieldKind::Path) CH_CHECK(check_exists(def, *text));
  }
  return {};
}

std::size_t Settings::index_of(std::string_view dest) const {
  const SettingDef* def = find_setting(*defs_, dest);
  assert(def != nullptr && "asked for a setting that does not exist");
  return static_cast<std::size_t>(def - defs_->data());
}

const std::vector<SettingEntry>& Settings::effective(std::size_t index) const {
  const Layers& layers = layers_[index];
  return !layers[2].empty() ? layers[2] : !layers[1].empty() ? layers[1] : layers[0];
}

SettingSource Settings::source(std::string_view dest) const {
  const Layers& layers = layers_[index_of(dest)];
  if (!layers[2].empty()) return SettingSource::Manual;
  return layers[1].empty() ? SettingSource::Default : SettingSource::ConfigFile;
}

const Tree& Settings::value(std::string_view dest) const {
  return effective(index_of(dest)).front().value;
}

std::int64_t Settings::integer(std::string_view dest) const {
  const std::int64_t* whole = value(dest).as_integer();
  assert(whole != nullptr && "asked for a whole number where there is none");
  return *whole;
}

std::optional<std::int64_t> Settings::maybe_integer(std::string_view dest) const {
  return has(dest) ? std::optional(integer(dest)) : std::nullopt;
}

double Settings::real(std::string_view dest) const {
  const double* number = value(dest).as_real();
  assert(number != nullptr && "asked for a number where there is none");
  return *number;
}

bool Settings::flag(std::string_view dest) const {
  const bool* truth = value(dest).as_flag();
  assert(truth != nullptr && "asked for a flag where there is none");
  return *truth;
}

std::optional<std::string> Settings::text(std::string_view dest) const {
  if (!has(dest)) return {};
  const std::string* words = value(dest).as_text();
  assert(words != nullptr && "asked for a text where there is none");
  return *words;
}

bool Settings::model_in_config() const {
  return config_ != nullptr && config_->has_table("model") &&
         source("model") == SettingSource::ConfigFile;
}

std::optional<std::string> Settings::shown(std::string_view dest, SettingSource source) const {
  const auto& entries = layers_[index_of(dest)][static_cast<std::size_t>(source)];
  if (entries.empty()) return {};
  std::vector<std::string> texts;
  for (const SettingEntry& entry : entries) texts.push_back(entry.shown);
  return join(texts, ",");
}

std::vector<std::string> Settings::warnings() const {
  std::vector<std::string> lines;
  const auto has_text = [this](std::string_view dest, std::string_view word) {
    return find_setting(*defs_, dest) != nullptr && text(dest) == word;
  };
  for (const std::string_view precision : {"16-mixed", "bf16", "64"})
    if (has_text("trainer_precision", precision))
      lines.push_back(
          cat("trainer_precision '", precision, "' is not available; training uses float32"));
  for (const std::string_view device : {"gpu", "mps"})
    if (has_text("accelerator", device))
      lines.push_back(cat("accelerator '", device, "' is not available; the CPU is used"));
  for (const std::string_view task : {"translation", "tran", "language_modeling", "lm"})
    if (has_text("task", task))
      lines.push_back(
          cat("task '", task, "' is not available; the network is taken for a classifier"));
  if (has_text("report_to", "wandb"))
    lines.emplace_back("report_to 'wandb' is not available; metrics go to TensorBoard files");
  if (find_setting(*defs_, "max_steps") != nullptr) {
    const std::int64_t* steps = value("max_steps").as_integer();
    if (steps != nullptr && *steps <= 0 && *steps != -1)
      lines.push_back(cat("max_steps ", *steps, " is taken as no limit"));
  }
  return lines;
}

std::vector<std::string_view> Settings::axes() const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < defs_->size(); ++i)
    if (effective(i).size() > 1) names.push_back((*defs_)[i].field.name);
  return names;
}

Result<std::vector<Settings>> Settings::grid() const {
  std::vector<Settings> all = {*this};
  for (const std::string_view axis : axes()) {
    const std::size_t index = index_of(axis);
    const auto layer = static_cast<std::size_t>(source(axis));
    const std::vector<SettingEntry>& choices = effective(index);
    if (all.size() * choices.size() > kLargestGrid)
      return Error{
          .what = cat("the lists make more than ", with_commas(kLargestGrid), " combinations"),
          .hint = "shorten some of them"};
    std::vector<Settings> next;
    for (const Settings& one : all)
      for (const SettingEntry& choice : choices)
        next.emplace_back(one).layers_[index][layer] = {choice};
    all = std::move(next);
  }
  return all;
}

}  // namespace chop::cli
