#include "search/space/format_keys.hpp"

#include "formats/registry.hpp"
#include "passes/quantise_config.hpp"

namespace chop::search {

std::string_view group_of(std::string_view key) {
  for (const std::string_view group : kOperandGroups)
    if (key.starts_with(group) && key.size() > group.size() && key[group.size()] == '_')
      return group;
  return {};
}

std::string_view without_group(std::string_view key) {
  const std::string_view group = group_of(key);
  return group.empty() ? key : key.substr(group.size() + 1);
}

bool is_format_key(std::string_view key) {
  return without_group(key) == "name";
}

const Field* key_of_format(const Tree& format, std::string_view key) {
  if (format.as_text() == nullptr) return nullptr;
  const Result<const FormatDef*> def = find_format(*format.as_text());
  if (!def) return nullptr;
  return find_field(def.value()->keys, without_group(key));
}

bool takes_choices(const Tree& format, std::string_view key, const std::vector<Tree>& choices) {
  const Field* def = key_of_format(format, key);
  if (def == nullptr) return false;
  const bool one_value = def->bounds.least && def->bounds.least == def->bounds.most;
  return !one_value || std::all_of(choices.begin(), choices.end(), [def](const Tree& choice) {
    return choice.as_integer() == nullptr || in_bounds(def->bounds, choice.number());
  });
}

bool fits_formats(const Tree& config, std::string_view key, const std::vector<Tree>& choices) {
  if (is_format_key(key) || key == "bypass") return true;
  const std::string_view wanted = group_of(key);
  return std::any_of(kOperandGroups.begin(), kOperandGroups.end(), [&](std::string_view group) {
    if (!wanted.empty() && wanted != group) return false;
    const Tree* own = config.find(cat(group, "_name"));
    const Tree* format = own != nullptr ? own : config.find("name");
    return format != nullptr && takes_choices(*format, key, choices);
  });
}

}  // namespace chop::search
