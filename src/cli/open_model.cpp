// What a word means: a model of the zoo, else a file or folder, whose ending and bytes say whether
// it is TOML, the text form, an ONNX model or a checkpoint.
#include "cli/open_model.hpp"

#include <filesystem>
#include <iostream>
#include <iterator>

#include "cli/output.hpp"
#include "config/toml.hpp"
#include "io/checkpoint.hpp"
#include "io/weights_file.hpp"
#include "ir/fixed_batch.hpp"
#include "ir/text/text.hpp"
#include "models/network.hpp"
#include "models/registry.hpp"
#include "onnx/import.hpp"
#include "ops/core/infer.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kStandardInput = "-";

/// The network in a folder; the folder itself where there is none.
fs::path file_in(const fs::path& path) {
  std::error_code code;
  for (const char* file : {"graph_module.mz", "best.ckpt", "last.ckpt"})
    if (fs::exists(path / file, code)) return path / file;
  return path;
}

bool has_ending_of_weights(const fs::path& path) {
  for (const std::string_view ending : {".ckpt", ".mz", ".safetensors", ".pt", ".pth", ".bin"})
    if (path.extension() == ending) return true;
  return false;
}

/// A damaged model is one all the same; a file of weights under its name is not.
bool is_onnx(const MappedFile& file) {
  return looks_like_onnx(file.bytes()) ||
         (file.path().extension() == ".onnx" && !read_weights_file(file));
}

std::string file_name(const ModelSource& source) {
  return source.file->path().filename().string();
}

Result<OpenedModel> open_checkpoint(const ModelSource& source) {
  CH_TRY(Checkpoint checkpoint, load_checkpoint(*source.file));
  CH_CHECK(verify(checkpoint.graph));
  std::string data = trained_on(checkpoint);
  OpenedModel opened{.graph = std::move(checkpoint.graph),
                     .name = file_name(source),
                     .dataset = {},
                     .trained = true,
                     .trained_on = std::move(data)};
  if (const Result<const ModelDef*> def = find_model(opened.graph.name()); def)
    opened.dataset = std::string(def.value()->dataset);
  return opened;
}

Result<OpenedModel> open_onnx(const ModelSource& source, const OpenModelOptions& options) {
  CH_TRY(OnnxImport imported,
         import_onnx(*source.file, {.name = source.file->path().stem().string(),
                                    .given = options.given,
                                    .shapes = options.shapes}));
  for (const std::string& note : imported.notes) log_info(cat(file_name(source), ": ", note));
  return OpenedModel{.graph = std::move(imported.graph),
                     .name = file_name(source),
                     .dataset = {},
                     .trained = true,
                     .fixed = std::move(imported.fixed)};
}

/// A graph as docs/ir-text.md describes it, from a file or from standard input.
Result<OpenedModel> open_text(const ModelSource& source) {
  const std::string text = source.file ? std::string(source.file->text())
                                       : std::string(std::istreambuf_iterator<char>(std::cin), {});
  Result<Graph> graph = read_text(text);
  if (!graph) return std::move(graph).error().note(cat("'", source.given, "'"));
  CH_CHECK(verify(graph.value()));
  return OpenedModel{.graph = std::move(graph).value(),
                     .name = fs::path(source.given).filename().string(),
                     .dataset = {}};
}

/// The part of a shape after the batch.
Shape sample_of(const Shape& shape) {
  return shape.empty() ? shape : Shape(shape.begin() + 1, shape.end());
}

/// A network that is not from an ONNX file has its shapes: those the user says must be the same.
Status check_shapes(const OpenedModel& model, const std::map<std::string, Shape>& shapes) {
  if (shapes.empty()) return {};
  CH_TRY(const Types types, infer_types(model.graph, 1));
  const std::vector<NodeId> inputs = model.graph.placeholders();
  for (const auto& [name, shape] : shapes) {
    const auto input = std::find_if(inputs.begin(), inputs.end(), [&, &named = name](NodeId id) {
      const Node& node = model.graph.node(id);
      return node.target == named || node.name == named || (named.empty() && inputs.size() == 1);
    });
    if (input == inputs.end())
      return Error{.what = cat("--shape ", name, ": ", model.name, " has no such input"),
                   .hint = "`ch inspect` shows what a network takes"};
    const Shape wanted = sample_of(types[index(*input)][0].shape);
    if (sample_of(shape) != wanted)
      return Error{.what = cat("--shape ", to_string(shape), ": ", model.name,
                               " takes samples of shape ", to_string(wanted)),
                   .hint =
                       "only shapes that an ONNX file or a network in TOML leaves open can "
                       "be chosen"};
  }
  return {};
}

Result<OpenedModel> open_network_file(const ModelSource& source, const OpenModelOptions& options) {
  if (source.kind == SourceKind::Folder) return holds_no_network(source);
  if (source.kind == SourceKind::Onnx) return open_onnx(source, options);
  CH_TRY(OpenedModel opened,
         source.kind == SourceKind::Text ? open_text(source) : open_checkpoint(source));
  CH_CHECK(check_shapes(opened, options.shapes));
  return opened;
}

}  // namespace

Result<std::map<std::string, Shape>> shapes_from(const Settings& settings) {
  std::map<std::string, Shape> shapes;
  if (find_setting(settings.defs(), "shape") == nullptr || !settings.has("shape")) return shapes;
  for (const std::string& text : split(settings.text_or_empty("shape"), '\n')) {
    const std::size_t equals = text.rfind('=');
    const bool named = equals != std::string::npos;
    Shape shape;
    for (const std::string& word : split(named ? text.substr(equals + 1) : text, ',')) {
      const std::string dim(trim(word));
      const auto number =
          dim == "N" && shape.empty() ? std::optional<std::int64_t>(-1) : parse_int(dim);
      if (!number || *number == 0 || *number < -1 || (*number == -1 && !shape.empty()))
        return Error{.what = cat("--shape cannot be '", text, "'"),
                     .hint =
                         "give whole numbers from 1 on, and N as the first one for any batch: "
                         "--shape x=1,3,224,224, or --shape N,3,224,224 for the only input"};
      shape.push_back(*number);
    }
    if (!shapes.emplace(named ? text.substr(0, equals) : "", std::move(shape)).second)
      return Error{.what = cat("--shape says the shape of ",
                               named ? text.substr(0, equals) : "the input", " twice")};
  }
  return shapes;
}

std::int64_t batch_size(const OpenedModel& model, const Settings& settings, std::int64_t usual) {
  const std::optional<std::int64_t> asked = settings.maybe_integer("batch_size");
  const std::int64_t taken = fixed_batch(model.graph).value_or(asked.value_or(usual));
  if (asked && taken != *asked)
    log_info(
        cat(model.name, " takes ", counted(taken, "row"), " at a time, whatever --batch-size"));
  return taken;
}

Result<ModelSource> classify(const std::string& text) {
  ModelSource source{.given = text};
  std::error_code code;
  if (find_model(text)) return source;
  if (text == kStandardInput) {
    source.kind = SourceKind::Text;
    return source;
  }
  fs::path path(text);
  if (fs::is_directory(path, code)) path = file_in(path);
  if (fs::is_directory(path, code)) {
    source.kind = SourceKind::Folder;
    return source;
  }
  const bool is_toml = path.extension() == ".toml";
  const bool is_text = path.extension() == ".chir";
  const bool is_file = fs::is_regular_file(path, code) || is_toml || is_text ||
                       path.extension() == ".onnx" || has_ending_of_weights(path);
  if (!is_file) return source;
  CH_TRY(source.file, MappedFile::open(path));
  if (is_toml) {
    CH_TRY(source.toml, parse_toml(source.file->text(), path.string()));
    source.kind = SourceKind::Toml;
  } else if (is_text) {
    source.kind = SourceKind::Text;
  } else {
    source.kind = is_onnx(*source.file) ? SourceKind::Onnx : SourceKind::Checkpoint;
  }
  return source;
}

Error holds_no_network(const ModelSource& folder) {
  return {.what = cat("the folder '", folder.given, "' holds no network"),
          .hint = "give a file, or a folder with graph_module.mz or best.ckpt"};
}

Result<OpenedModel> open_model(const ModelSource& source, const OpenModelOptions& options) {
  if (source.is_network()) {
    CH_TRY(OpenedModel opened, open_network_file(source, options));
    warn_of_non_finite(non_finite_weights(opened.graph));
    return opened;
  }
  OpenedModel opened{.graph = Graph(), .name = source.given, .dataset = {}};
  ModelArgs args{.sample_shape = options.sample_shape,
                 .num_classes = options.num_classes,
                 .seed = options.seed};
  if (args.sample_shape.empty() && options.shapes.size() == 1)
    args.sample_shape = sample_of(options.shapes.begin()->second);
  CH_TRY(opened.graph, build_source(source, args));
  CH_CHECK(check_shapes(opened, options.shapes));
  if (const Result<const ModelDef*> def = find_model(source.given); def)
    opened.dataset = std::string(def.value()->dataset);
  return opened;
}

Result<OpenedModel> open_model(const std::string& name_or_file, const OpenModelOptions& options) {
  CH_TRY(const ModelSource source, classify(name_or_file));
  return open_model(source, options);
}

std::vector<std::string> distinct_names(const std::vector<std::string>& names,
                                        const std::vector<std::string>& given) {
  std::vector<std::string> distinct = names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::count(names.begin(), names.end(), names[i]) > 1) distinct[i] = given[i];
  return distinct;
}

Result<Graph> build_source(const ModelSource& source, const ModelArgs& args) {
  if (source.kind == SourceKind::Toml) return model_from_toml(source.toml, source.given, args);
  return build_model(source.given, args);
}

}  // namespace chop::cli
