// The configuration table that opens `ch transform`, others with --settings, and the settings as
// plain values.
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

Cell value_cell(const Tree& value) {
  if (const bool* flag = value.as_flag()) return Cell(*flag);
  if (const std::int64_t* whole = value.as_integer()) return Cell(*whole);
  if (const double* real = value.as_real()) return Cell(*real);
  const std::string* text = value.as_text();
  return text == nullptr ? Cell() : Cell(*text);
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
    const SettingSource source = settings.source(def.field.name);
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(def.field.name);
    row.push_back(cell_of(settings.shown(def.field.name, SettingSource::Default),
                          source != SettingSource::Default));
    if (file)
      row.push_back(cell_of(settings.shown(def.field.name, SettingSource::ConfigFile),
                            source == SettingSource::Manual));
    row.push_back(cell_of(settings.shown(def.field.name, SettingSource::Manual), false));
    row.push_back(cell_of(settings.shown(def.field.name, source), false));
  }
  return table;
}

std::vector<std::pair<std::string, Cell>> settings_values(const Settings& settings) {
  std::vector<std::pair<std::string, Cell>> values;
  for (const SettingDef& def : settings.defs())
    if (def.in_table)
      values.emplace_back(std::string(def.field.name), value_cell(settings.value(def.field.name)));
  return values;
}

}  // namespace chop::cli
