// One statistic of a stream of samples: its name, its arguments, how it is computed.
//
// The file src/analysis/statistics/defs/<name>.cpp defines `StatisticDef define()` in namespace
// chop::analysis::statistics::<name>; that is its registration. docs/passes/profile_statistics.md
// has formulas.
#pragma once

#include "config/args.hpp"
#include "ir/metadata.hpp"

namespace chop::analysis {

/// "mean", "count" ... to what was found.
using StatResult = std::map<std::string, StatValue>;

/// The state of a statistic. The result depends on the samples and their order, never on how
/// they were cut into batches, to the last bit.
class Statistic {
 public:
  Statistic() = default;
  Statistic(const Statistic&) = delete;
  Statistic& operator=(const Statistic&) = delete;
  virtual ~Statistic() = default;

  /// `count` samples one after the other, each of the shape the statistic was made for.
  virtual void update(const float* samples, std::int64_t count) = 0;
  virtual StatResult result() const = 0;
};

struct StatisticDef {
  std::string_view name;
  std::string_view doc;  ///< one clause, lower-case, no final period
  std::vector<Field> args = {};
  /// Made for samples of one shape, their first dimension (1 for activations) included.
  Result<std::unique_ptr<Statistic>> (*make)(const Args& args, const Shape& sample) = nullptr;
};

/// All statistics, in alphabetical order.
std::span<const StatisticDef> all_statistics();
/// The statistic of that name, or null.
const StatisticDef* find_statistic(std::string_view name);

/// A statistic with checked arguments.
struct StatisticCall {
  const StatisticDef* def = nullptr;
  Args args;
};

/// One call per entry of a table {statistic: {argument: value}}, found under `source`.
Result<std::vector<StatisticCall>> statistic_calls(const Tree& table, const ArgSource& source);

// Arguments that several statistics share.
Field device_arg();
Field dims_arg();
Field abs_arg();

/// "NA": too few samples to say.
inline StatValue not_available() {
  return std::string("NA");
}

}  // namespace chop::analysis
