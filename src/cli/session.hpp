// What every action on a model and a data set starts with: the configuration table, the
// data, the network with its weights, and the project's folders.
#pragma once

#include <filesystem>

#include "cli/action_def.hpp"
#include "cli/open_model.hpp"
#include "data/dataset.hpp"
#include "io/load_weights.hpp"
#include "support/system/folder_lock.hpp"
#include "train/trainer.hpp"

namespace chop::cli {

struct Session {
  Dataset data;
  Graph graph;
  std::string model_name;
  ModelSource source;                  ///< what the network was opened or built from
  std::optional<ModelSource> weights;  ///< of --load
  std::filesystem::path project;       ///< <project_dir>/<project>, once open_project() chose it
  std::optional<FolderLock> lock;      ///< of the folder the action writes into
  bool transformed = false;            ///< passes made the graph that was loaded
  bool trained = false;                ///< the weights come from a file
  std::string trained_on = {};         ///< a data set, where that file records it

  bool has_data() const { return data.test.rows() > 0; }

  std::filesystem::path software() const { return project / "software"; }
  std::filesystem::path checkpoints() const { return software() / "training_ckpts"; }
};

/// Opens data and model, saying so in the log, and prints the table of settings where it is asked
/// for. The model may be a network on disk: an ONNX model, a checkpoint, a folder that holds one.
/// With a file to load, the weights (and, of a native checkpoint, the graph) come from there; a
/// checkpoint of another network is an error. `known`: the model, where it has been classified.
/// Writes nothing: open_project() of cli/project.hpp comes after it.
enum class NeedsData : std::uint8_t { Labelled, Samples, Nothing };
Result<Session> open_session(const Invocation& invocation, NeedsData needs = NeedsData::Labelled,
                             std::optional<ModelSource> known = {});

/// The network of `source`, with the shapes of --shape. Where an ONNX file leaves shapes open and
/// nothing says them, they are those of the samples of `dataset`, unless that is ""; so are the
/// shape and the classes that a network in TOML leaves open.
Result<OpenedModel> open_for_data(const ModelSource& source, const Settings& settings,
                                  const std::string& dataset);
/// An error unless rows of the data set can be read for a graph of one input.
Status check_dataset(const std::string& dataset, const Settings& settings, const Graph& graph);

int thread_count(const Settings& settings);
DataOptions data_options(const Settings& settings);
/// Loads a data set and says in the log how many rows it has. Where labels are optional, a file
/// without them is read as samples of `graph`: its inputs name the arrays and give the columns.
enum class Labels : std::uint8_t { Needed, Optional };
Result<Dataset> open_dataset(const std::string& name, DataOptions options, const Graph& graph,
                             Labels labels);
/// The settings of an action that opens a network and may read samples, and `more`.
std::vector<std::string_view> sample_settings(std::vector<std::string_view> more = {});
/// The setting `split`, for actions that otherwise use all rows of a data file.
SettingDef split_setting();
/// Everything but the checkpoint folder.
TrainOptions train_options(const Settings& settings);
/// What the setting `model` is: a name, a file, or the [model] table of the configuration file.
Result<ModelSource> model_source(const Settings& settings);
/// A model of the zoo or a network in TOML for this data set.
Result<Graph> make_model(const ModelSource& source, const Settings& settings, const Dataset& data);
/// The file of --load, opened; nothing where the setting is not given.
Result<std::optional<ModelSource>> weights_source(const Settings& settings);
struct LoadedInto {
  bool transformed = false;     ///< passes made the graph
  std::string trained_on = {};  ///< a data set, where the file records it
};
/// Loads `weights` over `graph`.
Result<LoadedInto> load_into(Graph& graph, const ModelSource& weights, const Settings& settings);

/// Loads the file of --load, where it is given, over a network.
Status load_given(OpenedModel& model, const Settings& settings);

/// Of a network that no file has trained, where its accuracy is printed.
void warn_of_random_weights();

/// What a checkpoint says of a graph that passes made of `graph`.
std::map<std::string, std::string> info_of_transformed(const Graph& graph,
                                                       const std::string& trained_on);

/// Says where `data` is not the data set that the network `name` was trained on: a warning where
/// both are known by name, since then figures mean little.
void compare_data(const std::string& name, const std::string& trained_on, const Dataset& data);

/// "accuracy (synthetic)" where the data set is not real, so that no such figure is taken
/// for a measurement.
std::string labelled(const Dataset& data, std::string_view what);

}  // namespace chop::cli
