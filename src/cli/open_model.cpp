#include "cli/open_model.hpp"

#include <filesystem>
#include <iostream>
#include <iterator>

#include "io/checkpoint.hpp"
#include "io/weights_file.hpp"
#include "ir/text/text.hpp"
#include "models/registry.hpp"
#include "onnx/import.hpp"
#include "ops/core/infer.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kStandardInput = "-";

Result<OpenedModel> open_checkpoint(const std::string& file) {
  CH_TRY(Checkpoint checkpoint, load_checkpoint(file));
  CH_CHECK(verify(checkpoint.graph));
  OpenedModel opened{.graph = std::move(checkpoint.graph),
                     .name = fs::path(file).filename().string(),
                     .dataset = {},
                     .trained = true};
  if (const Result<const ModelDef*> def = find_model(opened.graph.name()); def)
    opened.dataset = std::string(def.value()->dataset);
  return opened;
}

Result<OpenedModel> open_onnx(const std::string& file, const OpenModelOptions& options) {
  CH_TRY(OnnxImport imported,
         import_onnx(file, {.name = fs::path(file).stem().string(), .given = options.given}));
  for (const std::string& note : imported.notes)
    log_info(cat(fs::path(file).filename().string(), ": ", note));
  return OpenedModel{.graph = std::move(imported.graph),
                     .name = fs::path(file).filename().string(),
                     .dataset = {},
                     .trained = true,
                     .fixed = std::move(imported.fixed)};
}

/// A graph as docs/ir-text.md describes it, from a file or from standard input.
Result<OpenedModel> open_text(const std::string& file) {
  std::string text;
  if (file == kStandardInput)
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  else {
    CH_TRY(text, read_file(file));
  }
  Result<Graph> graph = read_text(text);
  if (!graph) return std::move(graph).error().note(cat("'", file, "'"));
  CH_CHECK(verify(graph.value()));
  return OpenedModel{
      .graph = std::move(graph).value(), .name = fs::path(file).filename().string(), .dataset = {}};
}

}  // namespace

bool is_text_file(const std::string& text) {
  return text == kStandardInput || fs::path(text).extension() == ".chir";
}

bool is_onnx_file(const std::string& text) {
  std::error_code code;
  const fs::path path(text);
  if (!fs::is_regular_file(path, code)) return path.extension() == ".onnx";
  const Result<MappedFile> file = MappedFile::open(path);
  if (file && looks_like_onnx(file.value().bytes())) return true;
  // A damaged model is one all the same; a file of weights under that name is not.
  return path.extension() == ".onnx" && !read_weights_file(path);
}

bool is_checkpoint_file(const std::string& text) {
  std::error_code code;
  const fs::path path(text);
  if (fs::is_regular_file(path, code))
    return path.extension() != ".toml" && !is_text_file(text) && !is_onnx_file(text);
  for (const std::string_view ending : {".ckpt", ".mz", ".safetensors", ".pt", ".pth", ".bin"})
    if (path.extension() == ending) return true;
  return false;
}

std::string network_file(const std::string& file_or_folder) {
  std::error_code code;
  const fs::path path(file_or_folder);
  if (!fs::is_directory(path, code)) return file_or_folder;
  for (const char* file : {"graph_module.mz", "best.ckpt", "last.ckpt"})
    if (fs::exists(path / file, code)) return (path / file).string();
  return file_or_folder;
}

bool is_network_file(const std::string& text) {
  std::error_code code;
  if (find_model(text)) return false;  // a name of the zoo, whatever lies in this folder
  return is_text_file(text) || is_onnx_file(text) || is_checkpoint_file(text) ||
         fs::is_directory(text, code);
}

Result<OpenedModel> open_model(const std::string& name_or_file, const OpenModelOptions& options) {
  const Result<const ModelDef*> def = find_model(name_or_file);
  if (!def) {
    std::error_code code;
    const std::string file = network_file(name_or_file);
    if (fs::is_directory(file, code))
      return Error{.what = cat("the folder '", name_or_file, "' holds no network"),
                   .hint = "give a file, or a folder with graph_module.mz or best.ckpt"};
    if (is_text_file(file)) return open_text(file);
    if (is_onnx_file(file)) return open_onnx(file, options);
    if (is_checkpoint_file(file)) return open_checkpoint(file);
  }
  OpenedModel opened{.graph = Graph(), .name = name_or_file, .dataset = {}};
  CH_TRY(opened.graph, build_model(name_or_file, {.sample_shape = options.sample_shape,
                                                  .num_classes = options.num_classes,
                                                  .seed = options.seed}));
  if (def) opened.dataset = std::string(def.value()->dataset);
  return opened;
}

}  // namespace chop::cli
