// What one trial tries: a network with number formats, and how to train it.
#pragma once

#include "ir/graph.hpp"
#include "support/tree.hpp"
#include "train/trainer.hpp"

namespace chop::search {

struct Candidate {
  Graph graph;
  TrainOptions training = {};
  /// Choices as a person reads them: {seq_blocks_2: {config: {...}}, ...}.
  Tree config = Tree::table();
  bool trained = false;  ///< its weights are no longer those the search started from
};

}  // namespace chop::search
