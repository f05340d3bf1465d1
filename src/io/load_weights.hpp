// What --load does: puts the weights of a file into a network. Every name is matched, every
// difference listed.
#pragma once

#include <filesystem>

#include "io/checkpoint.hpp"
#include "io/weights_file.hpp"

namespace chop::io {

struct LoadOptions {
  LoadType type = LoadType::Auto;
  bool partial = false;  ///< take what fits, leave the rest as it was
};

struct LoadedWeights {
  Graph graph;
  bool transformed = false;             ///< passes made the graph; save it with kTransformedFrom
  std::string trained_on = {};          ///< a data set, where the file records it
  LoadType type = LoadType::Mz;         ///< what the file was
  std::vector<std::string> notes = {};  ///< what was taken and what was not, where that matters
};

/// The model with the weights of a file: of a native checkpoint its graph, which may hold
/// number formats, provided it is the same network, or was made from it by passes; of any
/// other file the tensors of those names, with "model." and "module." before all of them or
/// none, or, as LogicNets name their masks, of the name with its last part twice. Real numbers of
/// another width are converted, as PyTorch does. Tensors that are
/// missing, unexpected or of another shape are an error that lists them, unless `partial`.
Result<LoadedWeights> load_weights(const Graph& model, const MappedFile& file,
                                   const LoadOptions& options = {});
Result<LoadedWeights> load_weights(const Graph& model, const std::filesystem::path& path,
                                   const LoadOptions& options = {});

}  // namespace chop::io
