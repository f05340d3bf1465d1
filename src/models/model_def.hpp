// What the zoo knows about one model.
#pragma once

#include "ir/graph.hpp"

namespace chop::models {

/// What a model is built for: the shape of its data, and the seed of its initial weights.
/// An empty shape or zero classes means the model's own default.
struct ModelArgs {
  Shape sample_shape = {};       ///< of one sample, without the batch: [16], [3, 32, 32]
  std::int64_t num_classes = 0;  ///< width of the output
  std::uint64_t seed = 0;
};

struct ModelDef {
  std::string_view name;
  std::string_view doc;
  std::string_view task;     ///< "physical" or "vision", the reference system's words
  std::string_view source;   ///< where the network comes from
  std::string_view dataset;  ///< the data set it is usually trained on
  Shape sample_shape;        ///< of that data set
  std::int64_t num_classes;  ///< of that data set
  std::int64_t parameters;   ///< trainable ones, for that data set
  bool flattens = false;     ///< takes samples of any rank
  Result<Graph> (*build)(const ModelArgs&);
};

}  // namespace chop::models
