#include "cli/settings/config_file.hpp"

#include "config/toml.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kTables = {"passes", "search", "model", "transform",
                                                     "cf_args"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<Assignment> read_key(const SettingDef& def, const Tree& value, bool list) {
  Assignment assignment{.dest = def.field.name, .alternatives = {}};
  const auto add = [&](const Tree& item) -> Status {
    if (item.is_list() || item.is_table())
      return Error{.what = cat(def.field.name, " cannot be ", kind_of(item)),
                   .hint = cat(def.field.name, " is ", describe_allowed(def.field))};
    CH_TRY(SettingEntry entry, check_setting(def, def.field.name, item));
    assignment.alternatives.push_back(std::move(entry));
    return {};
  };
  const Tree::List* items = list ? value.as_list() : nullptr;
  if (items == nullptr) {
    CH_CHECK(add(value));
  } else {
    for (const Tree& item : *items) CH_CHECK(add(item));
    if (items->empty()) return Error{.what = cat(def.field.name, " is an empty list")};
  }
  return assignment;
}

Error unknown_key(std::string_view key, std::span<const SettingDef> defs) {
  std::vector<std::string> known(kTables.begin(), kTables.end());
  for (const SettingDef& def : defs)
    if (def.in_toml) known.emplace_back(def.field.name);
  return {.what = cat("unknown key '", key, "'"),
          .hint = cat(did_you_mean(key, known), "`ch settings` lists all")};
}

/// The name under which a [model] table is shown and its project is filed.
SettingEntry model_name(const Tree& model, const fs::path& path) {
  const std::string* name = model["name"].as_text();
  const std::string text = name != nullptr && !name->empty() ? *name : path.stem().string();
  return {.value = text, .shown = text};
}

Status take_key(ConfigFile& config, std::string_view key, const Tree& value,
                std::span<const SettingDef> defs, std::span<const std::string_view> lists) {
  const SettingDef* def = find_setting(defs, key);
  if (contains(kTables, key) && (value.is_table() || def == nullptr)) {
    if (!value.is_table())
      return Error{.what = cat("'", key, "' must be a table"),
                   .hint = cat("write [", key, "] on a line of its own")};
    if (key == "model" && def != nullptr)
      config.values.push_back(
          {.dest = def->field.name, .alternatives = {model_name(value, config.path)}});
    return {};
  }
  if (def == nullptr || !def->in_toml) return unknown_key(key, defs);
  CH_TRY(Assignment assignment, read_key(*def, value, contains(lists, key)));
  config.values.push_back(std::move(assignment));
  return {};
}

}  // namespace

Result<ConfigFile> parse_config(std::string_view text, const fs::path& path,
                                std::span<const SettingDef> defs,
                                std::span<const std::string_view> lists) {
  ConfigFile config{.path = path};
  CH_TRY(config.tree, parse_toml(text, path.string()));
  for (const auto& [key, value] : *config.tree.as_table())
    if (Status status = take_key(config, key, value, defs, lists); !status)
      return std::move(status).error().note(cat(path.string(), ":", value.line));
  return config;
}

Result<ConfigFile> read_config_file(const fs::path& path, std::span<const SettingDef> defs,
                                    std::span<const std::string_view> lists) {
  if (path.extension() != ".toml")
    return Error{.what = cat("'", path.string(), "' is not a .toml file"),
                 .hint = "--config takes a TOML file; `ch settings` lists what may stand in it"};
  CH_TRY(const std::string text, read_file(path));
  return parse_config(text, path, defs, lists);
}

}  // namespace chop::cli
