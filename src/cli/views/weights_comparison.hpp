// Weights of two networks row by row, for people and for programs.
#pragma once

#include "analysis/compare/compare.hpp"
#include "support/tree.hpp"

namespace chop::cli {

struct ShownWeights {
  std::string text;
  Tree tree = Tree::list();  ///< one entry for each parameter: node, operand, shape, before, after
};

/// Which parameters are shown of the nodes of a comparison.
struct WeightsChoice {
  std::string operand = {};  ///< "": all that can be trained
  bool one_node = false;     ///< the comparison is that of one node: what it has not is an error
};

Result<ShownWeights> show_weights(const Graph& before, const Graph& after,
                                  const Comparison& comparison, const WeightsChoice& choice);

}  // namespace chop::cli
