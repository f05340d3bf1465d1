#include "cli/open_model.hpp"

#include <filesystem>

#include "io/checkpoint.hpp"
#include "models/registry.hpp"
#include "ops/infer.hpp"

namespace chop {

namespace fs = std::filesystem;

bool is_checkpoint_file(const std::string& text) {
  std::error_code code;
  const fs::path path(text);
  for (const std::string_view ending : {".ckpt", ".mz", ".safetensors", ".pt", ".pth", ".bin"})
    if (path.extension() == ending) return true;
  return path.extension() != ".toml" && path.has_parent_path() && fs::is_regular_file(path, code);
}

Result<OpenedModel> open_model(const std::string& name_or_file, const OpenModelOptions& options) {
  OpenedModel opened{.graph = Graph(), .name = name_or_file, .dataset = {}};
  if (is_checkpoint_file(name_or_file)) {
    CH_TRY(Checkpoint checkpoint, load_checkpoint(name_or_file));
    CH_CHECK(verify(checkpoint.graph));
    opened.graph = std::move(checkpoint.graph);
    opened.name = fs::path(name_or_file).filename().string();
    opened.trained = true;
    if (const Result<const ModelDef*> def = find_model(opened.graph.name()); def)
      opened.dataset = std::string(def.value()->dataset);
    return opened;
  }
  CH_TRY(opened.graph, build_model(name_or_file, {.sample_shape = options.sample_shape,
                                                  .num_classes = options.num_classes,
                                                  .seed = options.seed}));
  if (const Result<const ModelDef*> def = find_model(name_or_file); def)
    opened.dataset = std::string(def.value()->dataset);
  return opened;
}

}  // namespace chop
