// Runs two networks on the same samples: the difference of their activations layer by layer, and
// the first layer that differs.
#pragma once

#include "analysis/compare/compare.hpp"
#include "data/dataset.hpp"

namespace chop::analysis {

/// The result of a node both networks have.
struct OutputComparison {
  std::string node;
  Shape shape;  ///< of one sample, [1, ...]
  ErrorMeter error;
};

struct OutputsComparison {
  std::int64_t rows = 0;
  std::vector<OutputComparison> nodes;         ///< in the order of the first network
  std::optional<std::size_t> first_to_differ;  ///< index in `nodes`
  std::vector<std::string> left_out;           ///< nodes whose results cannot be compared, and why
  /// Rows for which both networks predict the same class.
  std::int64_t same_predictions = 0;
  bool has_predictions = false;  ///< both end in [rows, classes], with as many classes
};

struct CompareOutputsOptions {
  std::int64_t rows = 0;  ///< how many of the first rows were run
  int threads = 1;
};

/// The first rows of a split, as a split of their own.
Split rows_of(const Split& split, std::int64_t first, std::int64_t count);

/// Both graphs must take the samples of the split; an error says which does not. Results are
/// compared as their readers get them: in the number formats of results, before those of
/// the readers.
Result<OutputsComparison> compare_outputs(const Graph& before, const Graph& after,
                                          const Split& split, const CompareOutputsOptions& options);

}  // namespace chop::analysis
