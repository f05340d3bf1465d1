// What `ch run` runs a network on: arrays of a file, samples of a data set, random numbers.
#pragma once

#include "cli/open_model.hpp"
#include "runtime/reference.hpp"

namespace chop::cli {

/// Arrays for the inputs of a network, and what is known of the data set they are from.
struct RunInputs {
  NamedTensors arrays = {};  ///< under "" for the only input, whatever its name
  Shape sample_shape = {};
  std::int64_t num_classes = 0;
};

/// Those of the setting `dataset`, which may be empty.
Result<RunInputs> read_inputs(const Settings& settings, const ModelSource& source);

/// Numbers of the standard normal distribution for every input.
Result<NamedTensors> random_arrays(const Graph& graph, std::uint64_t seed, std::int64_t batch);

}  // namespace chop::cli
