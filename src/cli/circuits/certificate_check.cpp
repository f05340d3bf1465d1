// Repeating a certificate: hashes first, which are cheap; then everything is measured once more.
#include "cli/circuits/certificate.hpp"
#include "cli/open_model.hpp"
#include "cli/session.hpp"
#include "io/checkpoint.hpp"
#include "support/json.hpp"
#include "support/sha256.hpp"
#include "support/system/files.hpp"
#include "support/system/temporary_folder.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

Error damaged(const fs::path& file, std::string_view why) {
  return Error{.what = cat("'", file.string(), "' is no certificate: ", why),
               .hint = "`ch certify MODEL DATASET` writes one"};
}

/// What the rest relies on.
Result<Tree> read_certificate(const fs::path& file) {
  CH_TRY(const std::string text, read_file(file));
  CH_TRY(Tree tree, parse_json(text, file.string()));
  if (!tree.is_table() || tree["certificate"].as_integer() == nullptr)
    return damaged(file, "it has no entry 'certificate'");
  if (*tree["certificate"].as_integer() != 1)
    return Error{.what = cat("'", file.string(), "' was made by another version of ch")};
  for (const std::string_view key : {"model", "data", "options", "files", "agreement", "proofs"})
    if (!tree[key].is_table()) return damaged(file, cat("it has no table '", key, "'"));
  for (const auto& [name, sum] : *tree["files"].as_table()) {
    const fs::path path(name);
    if (path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end())
      return damaged(file, cat("it names '", name, "', which is not beside it"));
    if (!sum.is_text()) return damaged(file, cat("the sum of '", name, "' is no text"));
  }
  for (const auto& [name, value] : *tree["options"].as_table())
    if (!value.is_text()) return damaged(file, cat("its option '", name, "' is no text"));
  if (!tree["data"]["name"].is_text()) return damaged(file, "its data have no name");
  return tree;
}

/// A text without quotes; anything else as TOML writes it.
std::string plain(const Tree& tree) {
  return tree.is_text() ? *tree.as_text() : to_text(tree);
}

class Check {
 public:
  Check(const Tree& wanted, fs::path folder, const Invocation& invocation)
      : wanted_(wanted), folder_(std::move(folder)), invocation_(invocation) {}

  Result<CertificateCheck> run() {
    files();
    CH_TRY(const TemporaryFolder scratch, TemporaryFolder::make());
    CH_TRY(const Settings settings, same_settings());
    CH_CHECK(inputs(settings));
    if (!made_.differences.empty()) return made_;
    const fs::path again = scratch.path() / "hardware";
    CH_TRY(const CircuitFolder held, CircuitFolder::take(again, "`ch certify`"));
    CH_TRY(const Tree found, measure_certificate(settings, held, again));
    compare(found);
    return made_;
  }

 private:
  void differs(std::string sentence) { made_.differences.push_back(std::move(sentence)); }

  void files() {
    for (const auto& [name, sum] : *wanted_["files"].as_table()) {
      if (name == "model.mz" && !invocation_.settings.text_or_empty("model").empty()) continue;
      const Result<std::string> text = read_file(folder_ / name);
      if (!text)
        differs(cat(name, " is missing"));
      else if (name != "model.mz" &&
               sha256(std::as_bytes(std::span(text.value().data(), text.value().size()))) !=
                   *sum.as_text())
        differs(cat(name, " is not the file that was certified"));
    }
  }

  std::string model() const {
    const std::string given = invocation_.settings.text_or_empty("model");
    return given.empty() ? (folder_ / "model.mz").string() : given;
  }

  /// A file that is named relatively is looked for here and beside the certificate.
  std::string dataset() const {
    const std::string given = invocation_.settings.text_or_empty("dataset");
    if (!given.empty()) return given;
    const std::string& name = *wanted_["data"]["name"].as_text();
    std::error_code error;
    if (!fs::exists(name, error) && fs::exists(folder_ / name, error))
      return (folder_ / name).string();
    return name;
  }

  /// Those of the certificate, as if they had been typed.
  Result<Settings> same_settings() const {
    const std::span<const SettingDef> defs = invocation_.settings.defs();
    std::vector<Assignment> manual;
    const auto assign = [&](std::string_view name, std::string_view text) -> Status {
      const SettingDef* def = find_setting(defs, name);
      if (def == nullptr)
        return Error{.what = cat("the certificate has an unknown option '", name, "'")};
      CH_TRY(SettingEntry entry, read_setting(*def, name, text));
      manual.push_back({.dest = def->field.name, .alternatives = {std::move(entry)}});
      return {};
    };
    CH_CHECK(assign("model", model()));
    CH_CHECK(assign("dataset", dataset()));
    for (const std::string_view name : {"data", "threads"})
      if (const auto text = invocation_.settings.shown(name, SettingSource::Manual))
        CH_CHECK(assign(name, *text));
    for (const auto& [name, value] : *wanted_["options"].as_table())
      CH_CHECK(assign(name, *value.as_text()));
    return Settings::merge({defs.begin(), defs.end()}, current_surroundings(), nullptr, manual);
  }

  /// The network and the data, before anything is run on them.
  Status inputs(const Settings& settings) {
    if (!made_.differences.empty() && !fs::exists(model())) return {};
    CH_TRY(const ModelSource source, classify(model()));
    const Result<OpenedModel> opened = open_for_data(source, settings, "");
    if (!opened) {
      differs(cat("the network cannot be opened: ", opened.error().what));
      return {};
    }
    compare_tables(wanted_["model"], network_tree(opened.value().graph), "parameters", "parameter ",
                   " of the network has other values");
    compare_tables(wanted_["model"], network_tree(opened.value().graph), "formats",
                   "the format of ", " is another");
    const std::string name = settings.text_or_empty("dataset");
    const Result<Dataset> data =
        open_dataset(name, data_options(settings), opened.value().graph, Labels::Optional);
    if (!data) {
      Error error = data.error();
      error.hint = "name the data as well: ch certify --check FILE MODEL DATASET";
      return error;
    }
    if (data_tree(data.value(), name)["sha256"] != wanted_["data"]["sha256"])
      differs(cat("the test rows of ", *wanted_["data"]["name"].as_text(),
                  " are not those that were certified"));
    return {};
  }

  void compare_tables(const Tree& wanted, const Tree& found, std::string_view key,
                      std::string_view before, std::string_view after) {
    if (wanted[key] == found[key]) return;
    std::vector<std::string> names;
    const auto add = [&](const Tree& from, const Tree& other) {
      if (const Tree::Table* entries = from[key].as_table())
        for (const auto& [name, value] : *entries)
          if (other[key][name] != value &&
              std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    };
    add(wanted, found);
    add(found, wanted);
    for (const std::string& name : names) differs(cat(before, name, after));
  }

  void compare(const Tree& found) {
    compare_files(found);
    for (const auto& [name, counts] : *wanted_["agreement"].as_table())
      if (found["agreement"][name] != counts)
        differs(
            cat("'", name, "' has ", to_text(found["agreement"][name]), ", not ", to_text(counts)));
    for (const std::string_view what : {"files", "synthesised"})
      if (found["proofs"][what]["verdict"] != wanted_["proofs"][what]["verdict"])
        differs(cat("the proof of '", what, "' is now '", plain(found["proofs"][what]["verdict"]),
                    "', not '", plain(wanted_["proofs"][what]["verdict"]), "'"));
    if (found["layers"] != wanted_["layers"]) differs("the layers are proven otherwise");
    for (const std::string_view tool : {"yosys", "verilator", "icarus"})
      if (found["tools"][tool] != wanted_["tools"][tool])
        made_.notes.push_back(cat("made with ", plain(wanted_["tools"][tool]), ", repeated with ",
                                  plain(found["tools"][tool])));
  }

  /// What this version emits; what Yosys makes of it depends on its version.
  void compare_files(const Tree& found) {
    for (const auto& [name, sum] : *wanted_["files"].as_table())
      if (name != "model.mz" && !name.starts_with("synth/") && found["files"][name] != sum)
        differs(cat(name, " is emitted otherwise now"));
    if (found["ch"] != wanted_["ch"])
      made_.notes.push_back(
          cat("made by ch ", to_text(wanted_["ch"]), ", repeated by ch ", to_text(found["ch"])));
    if (found["synthesis"] != wanted_["synthesis"] &&
        found["tools"]["yosys"] == wanted_["tools"]["yosys"])
      differs("Yosys counts other cells");
  }

  const Tree& wanted_;
  fs::path folder_;
  const Invocation& invocation_;
  CertificateCheck made_;
};

}  // namespace

Result<CertificateCheck> check_certificate(const fs::path& file, const Invocation& invocation) {
  CH_TRY(const Tree wanted, read_certificate(file));
  return Check(wanted, file.parent_path(), invocation).run();
}

}  // namespace chop::cli
