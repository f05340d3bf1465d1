// fANOVA, functional analysis of variance (Hutter et al. 2014, "An efficient approach for assessing
// hyperparameter importance"): the importance of a parameter is the share of a random forest's
// variance that remains when all other parameters are averaged over.
//
// A tree is constant on boxes, so its marginals and their variances are sums over its leaves. A
// tree that predicts 1 for x < 0.5 and 3 otherwise, whatever y is, has variance 1 in all; its
// marginal over x is 1 or 3 on half of the range each, variance 1; that over y is 2 everywhere,
// variance 0. So x has importance 1, y 0.
#include "search/algorithms/importance.hpp"

#include "search/algorithms/forest.hpp"

namespace chop::search {
namespace {

constexpr std::uint64_t kTrees = 64;

double share_of(const Column& column, const Side& side) {
  if (column.is_number()) return side.high - side.low;
  double share = 0;
  for (std::size_t i = 0; i < column.shares.size(); ++i)
    if (side.choices[i]) share += column.shares[i];
  return share;
}

/// The variance of a quantity that has value i with probability share i.
double variance(std::span<const double> values, std::span<const double> shares) {
  double mean = 0;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean += shares[i] * values[i];
    total += shares[i];
  }
  if (!(total > 0)) return 0;
  mean /= total;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += shares[i] * (values[i] - mean) * (values[i] - mean);
  return sum / total;
}

/// The leaves of a tree, with the share of the space that each covers.
struct ShareTree {
  std::vector<LeafBox> leaves;
  std::vector<double> shares;
};

double marginal_of_choices(const ShareTree& tree, const Column& column, std::size_t at) {
  std::vector<double> means(column.shares.size());
  for (std::size_t i = 0; i < tree.leaves.size(); ++i) {
    const Side& side = tree.leaves[i].sides[at];
    const double part = tree.leaves[i].value * tree.shares[i] / share_of(column, side);
    for (std::size_t choice = 0; choice < means.size(); ++choice)
      if (side.choices[choice]) means[choice] += part;
  }
  return variance(means, column.shares);
}

/// The marginal is a step function: each leaf adds its part between its low and its high end.
double marginal_of_numbers(const ShareTree& tree, std::size_t at) {
  std::vector<std::pair<double, double>> steps;
  for (std::size_t i = 0; i < tree.leaves.size(); ++i) {
    const Side& side = tree.leaves[i].sides[at];
    const double width = side.high - side.low;
    if (!(width > 0)) continue;
    const double part = tree.leaves[i].value * tree.shares[i] / width;
    steps.emplace_back(side.low, part);
    steps.emplace_back(side.high, -part);
  }
  std::sort(steps.begin(), steps.end());
  std::vector<double> means;
  std::vector<double> widths;
  double mean = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    mean += steps[i].second;
    const double width = steps[i + 1].first - steps[i].first;
    if (!(width > 0)) continue;
    means.push_back(mean);
    widths.push_back(width);
  }
  return variance(means, widths);
}

ShareTree read_tree(std::vector<LeafBox> leaves, std::span<const Column> columns) {
  ShareTree tree{.leaves = std::move(leaves)};
  for (const LeafBox& leaf : tree.leaves) {
    double share = 1;
    for (std::size_t i = 0; i < columns.size(); ++i) share *= share_of(columns[i], leaf.sides[i]);
    tree.shares.push_back(share);
  }
  return tree;
}

}  // namespace

std::vector<double> parameter_importances(const Space& space, std::span<const Point> points,
                                          std::span<const double> values, std::uint64_t seed) {
  std::vector<double> importances(space.dimensions(), 0);
  if (points.empty() || importances.empty()) return importances;
  const std::vector<Column> columns = columns_of(space, points);
  for (std::uint64_t number = 0; number < kTrees; ++number) {
    const Stream stream(seed, "search/importance", number);
    const ShareTree tree = read_tree(grow_tree(columns, values, stream), columns);
    std::vector<double> leaf_values;
    for (const LeafBox& leaf : tree.leaves) leaf_values.push_back(leaf.value);
    const double whole = variance(leaf_values, tree.shares);
    if (!(whole > 0)) continue;
    for (std::size_t i = 0; i < columns.size(); ++i)
      importances[i] += (columns[i].is_number() ? marginal_of_numbers(tree, i)
                                                : marginal_of_choices(tree, columns[i], i)) /
                        whole;
  }
  double sum = 0;
  for (const double importance : importances) sum += importance;
  for (double& importance : importances) importance = sum > 0 ? importance / sum : 0;
  return importances;
}

}  // namespace chop::search
