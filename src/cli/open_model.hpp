// A network by name or by file, for actions that need no data set.
#pragma once

#include <optional>
#include <string>

#include "cli/settings.hpp"
#include "ir/graph.hpp"

namespace chop {

struct OpenedModel {
  Graph graph;
  std::string name;      ///< as given; a file's own name
  std::string dataset;   ///< the data set it is usually run on, if it is known
  bool trained = false;  ///< the weights come from a file
};

/// A model of the zoo, a network in TOML, or a native checkpoint, with its own input shape and
/// classes unless `sample_shape` and `num_classes` say otherwise.
struct OpenModelOptions {
  Shape sample_shape = {};
  std::int64_t num_classes = 0;
  std::uint64_t seed = 0;
};
Result<OpenedModel> open_model(const std::string& name_or_file,
                               const OpenModelOptions& options = {});

/// True for what is read as a checkpoint: it exists and is neither a folder nor TOML.
bool is_checkpoint_file(const std::string& text);

}  // namespace chop
