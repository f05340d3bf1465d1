// All models of the zoo, from the files of models/defs: one file per family.
#pragma once

#include "models/model_def.hpp"

namespace chop::models {

/// By family, then in the family's own order.
std::span<const ModelDef> all_models();
/// The model of that name; the error names the nearest one.
Result<const ModelDef*> find_model(std::string_view name);

/// Builds a model of the zoo, or the network of a TOML file when `name` ends in ".toml".
Result<Graph> build_model(std::string_view name, const ModelArgs& args);

}  // namespace chop::models
