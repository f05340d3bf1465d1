// ch convert FROM TO: the same weights in another kind of file.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "io/checkpoint.hpp"
#include "io/safetensors.hpp"
#include "io/weights_file.hpp"
#include "support/log.hpp"
#include "support/text.hpp"

namespace chop::actions {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// What was written, for the report.
struct Written {
  std::size_t tensors = 0;
  std::vector<std::string> notes = {};
};

/// As the reference implementation of safetensors sorts: large elements first, then by name.
void sort_tensors(SafetensorsFile& file) {
  std::sort(file.tensors.begin(), file.tensors.end(), [](const auto& a, const auto& b) {
    const std::size_t size_a = size_of(a.second.dtype());
    const std::size_t size_b = size_of(b.second.dtype());
    return size_a != size_b ? size_a > size_b : a.first < b.first;
  });
}

/// Weights and metadata of any file. The dtypes stay as they are.
Result<Written> weights_to_safetensors(const fs::path& from, const fs::path& to) {
  CH_TRY(const WeightsFile weights, read_weights_file(from));
  SafetensorsFile file{.metadata = weights.metadata, .tensors = {}};
  // Readers of Hugging Face ask for the framework the weights came from.
  if (weights.type == LoadType::Pt || weights.type == LoadType::Pl)
    file.metadata.emplace("format", "pt");
  for (const WeightsEntry& entry : weights.tensors) {
    CH_TRY(Tensor value, entry.read());
    file.tensors.emplace_back(entry.name, std::move(value));
  }
  sort_tensors(file);
  CH_CHECK(write_safetensors(to, file));
  return Written{.tensors = file.tensors.size(), .notes = weights.notes};
}

/// The parameters of a native checkpoint: without the graph and the state of the optimiser.
Result<Written> native_to_safetensors(const fs::path& from, const fs::path& to) {
  CH_TRY(const Checkpoint checkpoint, load_checkpoint(from));
  SafetensorsFile file{.metadata = checkpoint.info, .tensors = {}};
  for (const Parameter& parameter : checkpoint.graph.parameters())
    file.tensors.emplace_back(parameter.name, parameter.value);
  sort_tensors(file);
  CH_CHECK(write_safetensors(to, file));
  Written written{.tensors = file.tensors.size()};
  written.notes.push_back("the graph is left out");
  if (!checkpoint.extra.empty())
    written.notes.push_back(
        cat(checkpoint.extra.size(), " tensors that are no parameters are left out"));
  return written;
}

/// One way from a kind of file to an ending. A new direction is a new row.
struct Conversion {
  std::vector<LoadType> from;
  std::string_view to;  ///< ending of the file to write
  Result<Written> (*run)(const fs::path& from, const fs::path& to);
};

const std::vector<Conversion>& conversions() {
  static const std::vector<Conversion> all = {
      {{LoadType::Pt, LoadType::Pl, LoadType::Safetensors}, ".safetensors", weights_to_safetensors},
      {{LoadType::Mz}, ".safetensors", native_to_safetensors},
  };
  return all;
}

Result<const Conversion*> find_conversion(LoadType from, const fs::path& to) {
  std::vector<std::string> endings;
  for (const Conversion& each : conversions()) {
    if (std::find(each.from.begin(), each.from.end(), from) == each.from.end()) continue;
    if (to.extension() == each.to) return &each;
    endings.emplace_back(each.to);
  }
  return Error{.what = cat(describe(from), " cannot be converted to '", to.string(), "'"),
               .hint = cat("its ending says what to write; from ", describe(from), ": ",
                           join(endings, ", "))};
}

Status check_other_file(const fs::path& from, const fs::path& to) {
  std::error_code code;
  if (fs::equivalent(from, to, code) && !code)
    return Error{.what = cat("'", to.string(), "' is the file to convert"),
                 .hint = "give the result another name"};
  return {};
}

Result<Exit> run(const Invocation& invocation) {
  const fs::path from = invocation.settings.text_or_empty("from");
  const fs::path to = invocation.settings.text_or_empty("to");
  CH_CHECK(check_other_file(from, to));
  CH_TRY(const WeightsFile file, read_weights_file(from));
  CH_TRY(const Conversion* conversion, find_conversion(file.type, to));
  CH_TRY(const Written written, conversion->run(from, to));
  for (const std::string& note : written.notes) log_info(cat(from.filename().string(), ": ", note));
  if (prints_text(invocation))
    invocation.out << "Wrote " << written.tensors << (written.tensors == 1 ? " tensor" : " tensors")
                   << " to " << to.string() << "\n";
  CH_CHECK(write_json(invocation, {{"from", from.string()},
                                   {"type", name_of(file.type)},
                                   {"to", to.string()},
                                   {"tensors", written.tensors},
                                   {"notes", written.notes}}));
  return Exit::Done;
}

}  // namespace

ActionDef convert() {
  return {.name = "convert",
          .usage = "ch convert FROM TO [options]",
          .summary = "write the weights of a file as another kind of file",
          .details =
              "  ch convert model.ckpt model.safetensors\n"
              "FROM is a PyTorch or Lightning checkpoint, a safetensors file or a checkpoint of\n"
              "ours; its content says which. The ending of TO says what is written: .safetensors.\n"
              "Dtypes and metadata are kept. No code in a file is ever run.",
          .positionals = {"from", "to"},
          .required = {"from", "to"},
          .settings = {"log_level", "json", "quiet", "no_warnings"},
          .own = {{.dest = "from",
                   .flags = {},
                   .kind = SettingKind::ExistingFile,
                   .placeholder = "FROM",
                   .doc = "file to read",
                   .in_toml = false},
                  {.dest = "to",
                   .flags = {},
                   .kind = SettingKind::Path,
                   .placeholder = "TO",
                   .doc = "file to write",
                   .in_toml = false}},
          .run = run};
}

}  // namespace chop::actions
