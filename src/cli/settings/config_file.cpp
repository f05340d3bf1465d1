#include "cli/settings/config_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>

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

std::string place(const fs::path& path, const toml::source_position& at) {
  return cat(path.string(), ":", at.line);
}

/// A scalar with the type TOML gave it; the text "NA" is no value. Dates are kept as text.
Tree scalar_of(const toml::node& node) {
  if (const auto* truth = node.as_boolean()) return truth->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* text = node.as_string()) return text->get() == "NA" ? Tree() : Tree(text->get());
  return {};
}

bool is_scalar(const toml::node& node) {
  return node.is_boolean() || node.is_integer() || node.is_floating_point() || node.is_string();
}

std::string kind_of(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  return "a date or time";
}

Result<Assignment> read_key(const SettingDef& def, const toml::node& node, bool list) {
  Assignment assignment{.dest = def.field.name, .alternatives = {}};
  const auto add = [&](const toml::node& item) -> Status {
    if (!is_scalar(item))
      return Error{.what = cat(def.field.name, " cannot be ", kind_of(item)),
                   .hint = cat(def.field.name, " is ", describe_allowed(def.field))};
    CH_TRY(SettingEntry entry, check_setting(def, def.field.name, scalar_of(item)));
    assignment.alternatives.push_back(std::move(entry));
    return {};
  };
  const toml::array* items = list ? node.as_array() : nullptr;
  if (items == nullptr) {
    CH_CHECK(add(node));
  } else {
    for (const toml::node& item : *items) CH_CHECK(add(item));
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
SettingEntry model_name(const toml::table& model, const fs::path& path) {
  const auto name = model["name"].value<std::string>();
  const std::string text = name && !name->empty() ? *name : path.stem().string();
  return {.value = text, .shown = text};
}

Status take_key(ConfigFile& config, std::string_view key, const toml::node& node,
                std::span<const SettingDef> defs, std::span<const std::string_view> lists) {
  const SettingDef* def = find_setting(defs, key);
  if (contains(kTables, key) && (node.is_table() || def == nullptr)) {
    if (!node.is_table())
      return Error{.what = cat("'", key, "' must be a table"),
                   .hint = cat("write [", key, "] on a line of its own")};
    config.tables.emplace_back(key);
    if (key == "model" && def != nullptr)
      config.values.push_back(
          {.dest = def->field.name, .alternatives = {model_name(*node.as_table(), config.path)}});
    return {};
  }
  if (def == nullptr || !def->in_toml) return unknown_key(key, defs);
  CH_TRY(Assignment assignment, read_key(*def, node, contains(lists, key)));
  config.values.push_back(std::move(assignment));
  return {};
}

}  // namespace

bool ConfigFile::has_table(std::string_view name) const {
  return std::find(tables.begin(), tables.end(), name) != tables.end();
}

Result<ConfigFile> parse_config(std::string text, const fs::path& path,
                                std::span<const SettingDef> defs,
                                std::span<const std::string_view> lists) {
  ConfigFile config{.path = path, .text = std::move(text), .values = {}, .tables = {}};
  toml::table root;
  try {
    root = toml::parse(config.text, path.string());
  } catch (const toml::parse_error& failure) {
    const toml::source_position at = failure.source().begin;
    return Error{.what = cat("'", path.string(), "' is not valid TOML: ", failure.description()),
                 .notes = {cat(path.string(), ":", at.line, ":", at.column)}};
  }
  struct Key {
    std::string_view name;
    const toml::node* node;
    toml::source_position at;
  };
  std::vector<Key> keys;  // toml++ sorts by name; people read from the top
  for (const auto& [key, node] : root) keys.push_back({key.str(), &node, key.source().begin});
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.at < b.at; });
  for (const Key& key : keys)
    if (Status status = take_key(config, key.name, *key.node, defs, lists); !status)
      return std::move(status).error().note(place(path, key.at));
  return config;
}

Result<ConfigFile> read_config_file(const fs::path& path, std::span<const SettingDef> defs,
                                    std::span<const std::string_view> lists) {
  if (path.extension() != ".toml")
    return Error{.what = cat("'", path.string(), "' is not a .toml file"),
                 .hint = "--config takes a TOML file, such as configs/jsc.toml"};
  CH_TRY(std::string text, read_file(path));
  return parse_config(std::move(text), path, defs, lists);
}

}  // namespace chop::cli
