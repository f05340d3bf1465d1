// Regression trees over the points of a space, grown as for a random forest, and read as boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/space/space.hpp"

namespace chop::search {

/// One parameter as trees see it: numbers lie in [0, 1], choices are whole numbers. Points where
/// the parameter is not active have a place of their own, as wide as there are many of them.
struct Column {
  std::vector<double> values = {};  ///< one per point
  std::vector<double> shares = {};  ///< of each choice; empty: numbers

  bool is_number() const { return shares.empty(); }
};

std::vector<Column> columns_of(const Space& space, std::span<const Point> points);

/// Where along a column a box lies.
struct Side {
  double low = 0;  ///< of numbers
  double high = 1;
  std::vector<bool> choices = {};
};

/// A leaf: the part of the space it stands for and the mean of the values there.
struct LeafBox {
  std::vector<Side> sides;
  double value = 0;
};

/// The leaves of a tree grown to single values from a bootstrap sample of the points.
std::vector<LeafBox> grow_tree(std::span<const Column> columns, std::span<const double> values,
                               const Stream& stream);

}  // namespace chop::search
