// The settings of one run: defaults, overridden by a configuration file, overridden by the
// command line. What was said explicitly wins, whatever its value.
#pragma once

#include <filesystem>

#include "cli/settings/config_file.hpp"
#include "cli/settings/setting_def.hpp"
#include "report/table.hpp"

namespace chop::cli {

enum class SettingSource { Default, ConfigFile, Manual };

/// What defaults take from the place the program runs at.
struct Surroundings {
  int threads = 1;               ///< default of num_workers and threads
  std::filesystem::path folder;  ///< what relative paths are relative to
};
Surroundings current_surroundings();

class Settings {
 public:
  /// `config` may be null. Paths become absolute; files that must exist are looked for.
  static Result<Settings> merge(std::vector<SettingDef> defs, const Surroundings& surroundings,
                                std::shared_ptr<const ConfigFile> config,
                                const std::vector<Assignment>& manual);

  /// The effective value. Asking for an unknown name or the wrong type, or for a number that
  /// is None, is a bug of the caller.
  std::int64_t integer(std::string_view dest) const;
  std::uint64_t seed() const { return static_cast<std::uint64_t>(integer("seed")); }
  double real(std::string_view dest) const;
  bool flag(std::string_view dest) const;
  std::optional<std::int64_t> maybe_integer(std::string_view dest) const;
  std::optional<std::string> text(std::string_view dest) const;
  /// The text, or "" for None.
  std::string text_or_empty(std::string_view dest) const { return text(dest).value_or(""); }

  SettingSource source(std::string_view dest) const;
  const Tree& value(std::string_view dest) const;
  bool has(std::string_view dest) const { return !value(dest).is_null(); }

  /// The configuration file, or null.
  const ConfigFile* config() const { return config_.get(); }
  /// True when the network is the [model] table of the configuration file.
  bool model_in_config() const;

  /// What the user should know about settings that are accepted but not obeyed.
  std::vector<std::string> warnings() const;

  /// Settings given as lists, in table order, and every combination of their values, the
  /// last one changing fastest. Without lists: none, and these settings alone.
  std::vector<std::string_view> axes() const;
  Result<std::vector<Settings>> grid() const;

  std::span<const SettingDef> defs() const { return *defs_; }
  /// The text a source gave, with lists joined by commas; nothing when it does not set it.
  std::optional<std::string> shown(std::string_view dest, SettingSource source) const;

 private:
  /// Per setting: what each source said; empty when it does not set it.
  using Layers = std::array<std::vector<SettingEntry>, 3>;

  std::size_t index_of(std::string_view dest) const;
  const std::vector<SettingEntry>& effective(std::size_t index) const;
  Status resolve_paths(const std::filesystem::path& folder);

  std::shared_ptr<const std::vector<SettingDef>> defs_;
  std::shared_ptr<const ConfigFile> config_;
  std::vector<Layers> layers_;
};

/// Name | Default | Config. File | Manual Override | Effective, as the reference system prints
/// it; overridden cells are grey when drawn in colour. Without a file its column is left out.
Table settings_table(const Settings& settings);
/// Effective values by name, as hparams.yaml and JSON hold them.
std::vector<std::pair<std::string, Cell>> settings_values(const Settings& settings);

}  // namespace chop::cli
