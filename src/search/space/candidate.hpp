// The candidate of a trial: a network with number formats, and how to train it.
#pragma once

#include "support/tree.hpp"
#include "train/trainer.hpp"

namespace chop::search {

struct Candidate {
  Graph graph;
  TrainOptions training = {};
  /// Choices in readable form: {seq_blocks_2: {config: {...}}, ...}.
  Tree config = Tree::table();
  bool trained = false;  ///< its weights are no longer those the search started from
};

}  // namespace chop::search
