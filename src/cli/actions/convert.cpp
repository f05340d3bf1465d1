// ch convert FROM TO: the same weights in another kind of file.
#include <filesystem>

#include "cli/action_def.hpp"
#include "cli/open_model.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "io/checkpoint.hpp"
#include "io/safetensors.hpp"
#include "io/weights_file.hpp"
#include "onnx/export/export.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::convert {
namespace {

namespace fs = std::filesystem;

/// What was written, for the report.
struct Written {
  std::size_t tensors = 0;
  std::vector<std::string> notes = {};
  NonFinites not_finite = {};
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
Result<Written> weights_to_safetensors(const ModelSource& from, const fs::path& to,
                                       const Settings& settings) {
  if (settings.has("load_name"))
    return Error{.what = cat("--load is for a network, and '", from.given, "' holds weights alone"),
                 .hint = "name the network: ch convert MODEL TO --load FILE"};
  CH_TRY(const WeightsFile weights, read_weights_file(*from.file));
  SafetensorsFile file{.metadata = weights.metadata, .tensors = {}};
  // Readers of Hugging Face ask for the framework the weights came from.
  if (weights.type == LoadType::Pt || weights.type == LoadType::Pl)
    file.metadata.emplace("format", "pt");
  NonFinites not_finite;
  for (const WeightsEntry& entry : weights.tensors) {
    CH_TRY(Tensor value, entry.read());
    add_non_finite(not_finite, "weight", entry.name, value);
    file.tensors.emplace_back(entry.name, std::move(value));
  }
  sort_tensors(file);
  CH_CHECK(write_safetensors(to, file));
  return Written{
      .tensors = file.tensors.size(), .notes = weights.notes, .not_finite = std::move(not_finite)};
}

/// The network with the weights of --load, where it is given.
Result<OpenedModel> open_with_weights(const ModelSource& from, const Settings& settings) {
  CH_TRY(OpenedModel model, open_for_data(from, settings, ""));
  CH_CHECK(load_given(model, settings));
  return model;
}

Written written_from(const OpenedModel& model) {
  Written written{.tensors = model.graph.parameters().size(),
                  .not_finite = non_finite_weights(model.graph)};
  if (!model.trained) written.notes.emplace_back("the weights are random; --load gives others");
  return written;
}

/// The parameters of a network: without the graph and the state of the optimiser.
Result<Written> network_to_safetensors(const ModelSource& from, const fs::path& to,
                                       const Settings& settings) {
  CH_TRY(const OpenedModel model, open_with_weights(from, settings));
  SafetensorsFile file;
  for (const Parameter& parameter : model.graph.parameters())
    file.tensors.emplace_back(parameter.name, parameter.value);
  sort_tensors(file);
  CH_CHECK(write_safetensors(to, file));
  Written written = written_from(model);
  written.notes.emplace_back("the graph is left out");
  return written;
}

/// A whole network, from wherever it comes, as a checkpoint of ours.
Result<Written> network_to_native(const ModelSource& from, const fs::path& to,
                                  const Settings& settings) {
  CH_TRY(const OpenedModel model, open_with_weights(from, settings));
  std::map<std::string, std::string> info;
  if (model.trained) info = info_of_transformed(model.graph, model.trained_on);
  CH_CHECK(save_checkpoint(to, {.graph = model.graph, .info = std::move(info)}));
  return written_from(model);
}

Result<Written> network_to_onnx(const ModelSource& from, const fs::path& to,
                                const Settings& settings) {
  CH_TRY(const OpenedModel model, open_with_weights(from, settings));
  const bool qonnx = settings.text("quant_style").value_or("qdq") == "qonnx";
  CH_CHECK(write_onnx(to, model.graph, {.style = qonnx ? QuantStyle::Qonnx : QuantStyle::Qdq}));
  return written_from(model);
}

/// What FROM is: a file of weights, or a network.
enum class Source : std::uint8_t { Weights, Native, Onnx, Model };

struct Found {
  Source source = Source::Model;
  std::string type = "model";  ///< "pt", "pl", "safetensors", "mz", "onnx" of a file
};

Result<Found> find_source(const ModelSource& from) {
  if (!from.is_network()) return Found{};
  if (from.kind == SourceKind::Onnx)
    return Found{Source::Onnx, std::string(name_of(LoadType::Onnx))};
  if (from.kind == SourceKind::Folder) return holds_no_network(from);
  CH_TRY(const WeightsFile weights, read_weights_file(*from.file));
  return Found{weights.type == LoadType::Mz ? Source::Native : Source::Weights,
               std::string(name_of(weights.type))};
}

std::string_view describe(Source source) {
  switch (source) {
    case Source::Weights:
      return "a file of weights";
    case Source::Native:
      return "a checkpoint of ours";
    case Source::Onnx:
      return "an ONNX model";
    default:
      return "a model";
  }
}

/// One way from a kind of source to an ending. A new direction is a new row.
struct Conversion {
  std::vector<Source> from;
  std::string_view to;  ///< ending of the file to write
  Result<Written> (*run)(const ModelSource& from, const fs::path& to, const Settings& settings);
};

const std::vector<Conversion>& conversions() {
  static const std::vector<Conversion> all = {
      {{Source::Weights}, ".safetensors", weights_to_safetensors},
      {{Source::Native, Source::Onnx, Source::Model}, ".safetensors", network_to_safetensors},
      {{Source::Native, Source::Onnx, Source::Model}, ".mz", network_to_native},
      {{Source::Native, Source::Onnx, Source::Model}, ".ckpt", network_to_native},
      {{Source::Native, Source::Onnx, Source::Model}, ".onnx", network_to_onnx},
  };
  return all;
}

Result<const Conversion*> find_conversion(Source from, const fs::path& to) {
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
  const std::string from = invocation.settings.text_or_empty("from");
  const fs::path to = invocation.settings.text_or_empty("to");
  CH_CHECK(check_other_file(from, to));
  CH_TRY(const ModelSource source, classify(from));
  CH_TRY(const Found found, find_source(source));
  CH_TRY(const Conversion* conversion, find_conversion(found.source, to));
  CH_TRY(const Written written, conversion->run(source, to, invocation.settings));
  for (const std::string& note : written.notes)
    log_info(cat(fs::path(from).filename().string(), ": ", note));
  if (prints_text(invocation))
    invocation.out << "Wrote " << counted(static_cast<std::int64_t>(written.tensors), "tensor")
                   << " to " << to.string() << "\n";
  Tree result = Tree::Table{{"from", from},
                            {"type", found.type},
                            {"to", to.string()},
                            {"tensors", written.tensors},
                            {"notes", written.notes}};
  report_non_finite(written.not_finite, result);
  return done(invocation, result);
}

}  // namespace

ActionDef define() {
  return {
      .name = "convert",
      .usage = "ch convert FROM TO [options]",
      .summary = "write a network or its weights as another kind of file",
      .details =
          "  ch convert model.ckpt model.safetensors\n"
          "  ch convert mnist-8.onnx mnist-8.mz\n"
          "  ch convert quantised.mz quantised.onnx --quant-style qonnx\n"
          "  ch convert jsc-tiny jsc-tiny.onnx --load best.ckpt\n"
          "FROM is an ONNX model, a checkpoint of ours, a model of the zoo or in TOML, or a file "
          "of\n"
          "weights (PyTorch, Lightning, safetensors); its content says which. The ending of TO "
          "says\n"
          "what is written: .onnx, .mz or .ckpt (ours), .safetensors. No code in a file is ever "
          "run.",
      .positionals = {"from", "to"},
      .required = {"from", "to"},
      .settings = {"load_name", "load_type", "load_partial", "shape", "log_level", "json", "quiet",
                   "no_warnings"},
      .own = {positional("from", "FROM", "file to read, or a model"),
              {.field = {.name = "to", .doc = "file to write", .kind = FieldKind::Path},
               .positional = true,
               .placeholder = "TO"},
              {.field = {.name = "quant_style",
                         .initial = "qdq",
                         .doc = "how number formats are written in ONNX: QuantizeLinear and "
                                "DequantizeLinear pairs, or QONNX's Quant",
                         .choices = {"qdq", "qonnx"}}}},
      .run = run};
}

}  // namespace chop::cli::actions::convert
