// Statistics for people and programs: tables with tensors abbreviated, trees with everything.
#pragma once

#include "analysis/statistics/statistic_def.hpp"
#include "report/table.hpp"

namespace chop::analysis {

/// What one statistic says about one operand of a node.
struct StatRow {
  std::string node;
  std::string operand;
  StatResult result;
};

/// A title and a table with a column per key; keys in a reading order: mean, min, ..., count.
std::string stat_table(std::string_view title, const std::vector<StatRow>& rows,
                       report::TableStyle style = report::TableStyle::Simple);

/// Six digits of a number; of a tensor its shape and first elements.
std::string short_text(const StatValue& value);
/// Numbers and words as they are, tensors as lists of lists.
Tree stat_tree(const StatResult& result);

}  // namespace chop::analysis
