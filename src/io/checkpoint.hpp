// The native checkpoint: a safetensors file whose metadata holds the graph as JSON. Any tool
// can read the weights; `ch` reads it all.
#pragma once

#include <filesystem>

#include "ir/graph.hpp"
#include "support/system/files.hpp"

namespace chop::io {

struct Checkpoint {
  Graph graph;
  std::map<std::string, std::string> info = {};            ///< further metadata entries
  std::vector<std::pair<std::string, Tensor>> extra = {};  ///< tensors besides the parameters
};

/// The same checkpoint gives the same bytes. Written beside and renamed.
Status save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Truncated and foreign files, missing and misshapen tensors are errors that say so.
Result<Checkpoint> load_checkpoint(const MappedFile& file);
Result<Checkpoint> load_checkpoint(const std::filesystem::path& path);

/// Whether `given` is the network `wanted`, weights and number formats aside. The error lists
/// the parameters that are missing, unexpected or of another shape; with the same parameters,
/// the first node that differs.
Status check_same_network(const Graph& wanted, const Graph& given);

/// Says in a checkpoint's `info` that passes made its graph; the value names the model.
inline constexpr const char* kTransformedFrom = "chop.transformed_from";

/// Names in a checkpoint's `info` the data set that its weights were trained on.
inline constexpr const char* kTrainedOn = "chop.dataset";
/// That name; empty where it is not recorded.
std::string trained_on(const Checkpoint& checkpoint);

/// Whether the checkpoint says that passes made its graph from that model.
bool is_transformed_from(const Checkpoint& checkpoint, const Graph& model);

}  // namespace chop::io
