// The configuration table that opens every run, and the settings as plain values.
#include "cli/settings/settings.hpp"

namespace chop::cli {
namespace {

constexpr int kWrap = 24;
const std::string kGrey = "38;5;8";

Cell cell_of(const std::optional<std::string>& shown, bool overridden) {
  Cell cell(shown.value_or(""));
  if (overridden) cell.style = kGrey;
  return cell;
}

Cell value_cell(const SettingValue& value) {
  return std::visit(
      [](const auto& content) -> Cell {
        if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::monostate>)
          return Cell();
        else
          return Cell(content);
      },
      value);
}

}  // namespace

Table settings_table(const Settings& settings) {
  const bool file = settings.config() != nullptr;
  Table table;
  table.columns.push_back({"Name", Align::Left, kWrap, "name"});
  table.columns.push_back({"Default", Align::Centre, kWrap, "default"});
  if (file) table.columns.push_back({"Config. File", Align::Centre, kWrap, "config_file"});
  table.columns.push_back({"Manual Override", Align::Centre, kWrap, "manual_override"});
  table.columns.push_back({"Effective", Align::Centre, kWrap, "effective"});
  for (const SettingDef& def : settings.defs()) {
    if (!def.in_table) continue;
    const SettingSource source = settings.source(def.dest);
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(def.dest);
    row.push_back(cell_of(settings.shown(def.dest, SettingSource::Default),
                          source != SettingSource::Default));
    if (file)
      row.push_back(cell_of(settings.shown(def.dest, SettingSource::ConfigFile),
                            source == SettingSource::Manual));
    row.push_back(cell_of(settings.shown(def.dest, SettingSource::Manual), false));
    row.push_back(cell_of(settings.shown(def.dest, source), false));
  }
  return table;
}

std::vector<std::pair<std::string, Cell>> settings_values(const Settings& settings) {
  std::vector<std::pair<std::string, Cell>> values;
  for (const SettingDef& def : settings.defs())
    if (def.in_table)
      values.emplace_back(std::string(def.dest), value_cell(settings.value(def.dest)));
  return values;
}

}  // namespace chop::cli
