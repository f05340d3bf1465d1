// Regression trees of a random forest (Breiman 2001) over the points of a search space. A tree is
// given as its leaves: boxes that partition the space, each with a constant prediction.
//
//   width in {2, 4, 8}, rate in [0, 1]      leaf 1: width 2                 predicts 0.41
//                                           leaf 2: width 4 or 8, rate < 0.3     0.58
//                                           leaf 3: width 4 or 8, rate >= 0.3    0.66
#pragma once

#include "search/space/space.hpp"

namespace chop::search {

/// One parameter as trees use it: numbers are in [0, 1], choices are indices. Points at which the
/// parameter is not active have a region of their own, whose width is their share of the points.
struct Column {
  std::vector<double> values = {};  ///< one per point
  std::vector<double> shares = {};  ///< of each choice; empty: the column has numbers

  bool is_number() const { return shares.empty(); }
};

std::vector<Column> columns_of(const Space& space, std::span<const Point> points);

/// The extent of a box along one column.
struct Side {
  double low = 0;  ///< of numbers
  double high = 1;
  std::vector<bool> choices = {};
};

/// A leaf: its box and the mean of the values there.
struct LeafBox {
  std::vector<Side> sides;
  double value = 0;
};

/// The leaves of a tree grown to single values from a bootstrap sample of the points.
std::vector<LeafBox> grow_tree(std::span<const Column> columns, std::span<const double> values,
                               const Stream& stream);

}  // namespace chop::search
