// Networks written by users: layers one after another, with names for branches.
//
// A TOML file becomes a NetworkSpec (network_toml.cpp), and a NetworkSpec becomes a graph
// (network.cpp). docs/networks-in-toml.md says what can be written.
#pragma once

#include <filesystem>

#include "models/model_def.hpp"

namespace chop::models {

/// One layer as written, or a block of layers when `layers` is not empty.
struct LayerSpec {
  std::string op;
  std::string name = {};                 ///< empty: seq_blocks.N
  std::vector<std::string> inputs = {};  ///< empty: the layer before
  Attrs attrs = {};
  std::int64_t repeat = 1;
  std::vector<LayerSpec> layers = {};
  std::string location = {};  ///< "layer 3 (my.toml:12)", for messages
};

struct NetworkSpec {
  std::string name = "network";
  std::optional<Shape> input = {};           ///< sample shape; absent: the data set's
  std::optional<std::int64_t> classes = {};  ///< absent: the data set's
  std::vector<LayerSpec> layers = {};
  std::string file = {};
};

/// The `[model]` table of a TOML file (config/toml.hpp); other tables and keys are left to others.
/// `file` is for messages only.
Result<NetworkSpec> read_network(const Tree& root, std::string_view file);

/// The network for this data. What the file says about input and classes must agree with
/// `args`; what only one of them knows is taken from it. When the number of classes is
/// known, the output must have the shape [batch, classes].
Result<Graph> build_network(const NetworkSpec& network, const ModelArgs& args);

/// read_network and build_network in one.
Result<Graph> model_from_toml(const Tree& root, std::string_view file, const ModelArgs& args);
Result<Graph> model_from_toml_file(const std::filesystem::path& path, const ModelArgs& args);

}  // namespace chop::models
