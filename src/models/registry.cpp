#include "models/registry.hpp"

#include "models/network.hpp"
#include "support/text.hpp"

#include "models.inc"

namespace chop::models {
namespace {

/// A shape a model can be built for: its usual rank, sizes at least one.
Status check_args(const ModelDef& model, const ModelArgs& args) {
  const Shape& shape = args.sample_shape;
  if (!model.flattens && shape.size() != model.sample_shape.size())
    return Error{.what = cat("model '", model.name, "' takes samples of rank ",
                             model.sample_shape.size(), ", the data's are ", to_string(shape)),
                 .hint = cat("it is meant for samples like ", to_string(model.sample_shape), " (",
                             model.dataset, ")")};
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t dim) { return dim < 1; }))
    return Error{.what = cat("a sample of shape ", to_string(shape), " holds nothing"),
                 .hint = "every size must be at least 1"};
  if (args.num_classes < 1)
    return Error{.what = cat("a model cannot have ", args.num_classes, " classes"),
                 .hint = "use 1 or more"};
  return {};
}

}  // namespace

std::span<const ModelDef> all_models() {
  static const std::vector<ModelDef> table = [] {
    std::vector<ModelDef> all;
    for (const std::vector<ModelDef>& family : collected())
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return table;
}

Result<const ModelDef*> find_model(std::string_view name) {
  std::vector<std::string> names;
  for (const ModelDef& model : all_models()) {
    if (model.name == name) return &model;
    names.emplace_back(model.name);
  }
  return Error{.what = cat("unknown model '", name, "'"),
               .hint = cat(did_you_mean(name, names), "`ch models` lists all ", names.size(),
                           "; the path of a .toml file with a [model] table works too")};
}

Result<Graph> build_model(std::string_view name, const ModelArgs& args) {
  if (name.ends_with(".toml")) return model_from_toml_file(name, args);
  CH_TRY(const ModelDef* model, find_model(name));
  ModelArgs filled = args;
  if (filled.sample_shape.empty()) filled.sample_shape = model->sample_shape;
  if (filled.num_classes == 0) filled.num_classes = model->num_classes;
  CH_CHECK(check_args(*model, filled));
  Result<Graph> graph = model->build(filled);
  if (graph) return graph;
  return std::move(graph).error().note(
      cat("building model '", name, "' for samples of shape ", to_string(filled.sample_shape)));
}

}  // namespace chop::models
