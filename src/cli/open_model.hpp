// A network by name or by file, for actions that need no data set.
#pragma once

#include "cli/settings/settings.hpp"
#include "models/model_def.hpp"
#include "support/system/files.hpp"
#include "support/tree.hpp"

namespace chop::cli {

/// What a word stands for where a network is expected.
enum class SourceKind : std::uint8_t {
  Name,        ///< of a model of the zoo, or of nothing
  Toml,        ///< a network written in TOML
  Onnx,        ///< an ONNX model, by content; by ending where it is damaged
  Text,        ///< a graph in the text form: FILE.chir, or "-" for standard input
  Checkpoint,  ///< any other file: a checkpoint of ours, or weights
  Folder       ///< one that holds no network
};

/// A model argument. classify() makes it, once for a command: it opens the file, and who needs
/// the contents takes them from here.
struct ModelSource {
  SourceKind kind = SourceKind::Name;
  std::string given;  ///< as it was written
  std::optional<MappedFile> file =
      {};          ///< of Onnx, Text (unless it is standard input) and Checkpoint
  Tree toml = {};  ///< of Toml

  /// A whole network on disk, rather than a model to be built.
  bool is_network() const { return kind != SourceKind::Name && kind != SourceKind::Toml; }
};

/// A name of the zoo is one, whatever lies in this folder. Of a folder that `ch train` or
/// `ch transform` left it is the file inside. A file that is missing is an error that says so.
Result<ModelSource> classify(const std::string& text);
/// What is wrong with a source that is a folder.
Error holds_no_network(const ModelSource& folder);

struct OpenedModel {
  Graph graph;
  std::string name;                     ///< as given; a file's own name
  std::string dataset;                  ///< the data set it is usually run on, if it is known
  bool trained = false;                 ///< the weights come from a file
  std::string trained_on = {};          ///< a data set, where the file records it
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
  /// Shapes of inputs by name, "" being the only one, where the user says them.
  std::map<std::string, Shape> shapes = {};
};
Result<OpenedModel> open_model(const ModelSource& source, const OpenModelOptions& options = {});
/// The rows that the network fixes, saying so in the log where the setting `batch_size` is another;
/// else that setting, or `usual` where it has no value.
std::int64_t batch_size(const OpenedModel& model, const Settings& settings, std::int64_t usual = 1);
/// What the setting `shape` says: "x=1,3,224,224" or "1,3,224,224", one a line; N is -1.
Result<std::map<std::string, Shape>> shapes_from(const Settings& settings);
/// A model of the zoo or a network in TOML, built for such data.
Result<Graph> build_source(const ModelSource& source, const ModelArgs& args);
/// The names of networks for people: a file's own name, or the path as it was given where another
/// network has the same name.
std::vector<std::string> distinct_names(const std::vector<std::string>& names,
                                        const std::vector<std::string>& given);
/// classify() and open_model() in one.
Result<OpenedModel> open_model(const std::string& name_or_file,
                               const OpenModelOptions& options = {});

}  // namespace chop::cli
