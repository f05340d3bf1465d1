// A network by name or by file, for actions that need no data set.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/settings/settings.hpp"
#include "ir/graph.hpp"

namespace chop::cli {

struct OpenedModel {
  Graph graph;
  std::string name;                     ///< as given; a file's own name
  std::string dataset;                  ///< the data set it is usually run on, if it is known
  bool trained = false;                 ///< the weights come from a file
  std::vector<std::string> fixed = {};  ///< inputs whose given values became part of the graph
};

/// A model of the zoo, a network in TOML, a native checkpoint, an ONNX model or a graph as text,
/// with its own input shape and classes unless `sample_shape` and `num_classes` say otherwise.
struct OpenModelOptions {
  Shape sample_shape = {};
  std::int64_t num_classes = 0;
  std::uint64_t seed = 0;
  /// Values of an ONNX model's inputs, where they are known: its shapes follow from them.
  std::map<std::string, Tensor> given = {};
};
Result<OpenedModel> open_model(const std::string& name_or_file,
                               const OpenModelOptions& options = {});

/// True for a graph as text: a name that ends in .chir, or "-" for standard input.
bool is_text_file(const std::string& text);
/// True for what is read as a checkpoint: it exists and is neither a folder, text, TOML nor ONNX.
bool is_checkpoint_file(const std::string& text);
/// True for ONNX models, by content; by ending where there is no such file or it is damaged.
bool is_onnx_file(const std::string& text);
/// True where a word stands for a whole network on disk rather than for a model to be built: a
/// native checkpoint, an ONNX model, a graph as text, or a folder that `ch transform` or `ch train`
/// left.
bool is_network_file(const std::string& text);
/// The file in such a folder; anything else as it is.
std::string network_file(const std::string& file_or_folder);

}  // namespace chop::cli
