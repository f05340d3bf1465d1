// The screen of `ch inspect`: layers with what they cost, and where time and bits go.
#pragma once

#include "analysis/timing/layer_times.hpp"
#include "report/table.hpp"

namespace chop::cli {

/// One layer, or a block of layers shown as one.
struct InspectRow {
  std::string name;
  std::string op;
  std::string output;  ///< shape of one sample: "64x56x56"
  std::int64_t parameters = 0;
  std::int64_t macs = 0;
  std::string format;
  double seconds = 0;
  double time_share = 0;
  bool with_above = false;  ///< it runs as one step with the layer above
  std::int64_t bits = 0;    ///< of its parameters and of what it makes
  double bit_share = 0;
  std::string block = {};  ///< the block it belongs to; empty: none
};

struct Inspection {
  GraphCost cost;
  LayerTimes times;
  std::vector<InspectRow> rows;  ///< every node, in order

  std::int64_t bits() const;
};

Result<Inspection> inspect_graph(const Graph& graph, const TimingOptions& options);

/// Rows a screen has room for: blocks of a large network as one row each, and the rest as one.
std::vector<InspectRow> one_screen(const std::vector<InspectRow>& rows, std::size_t most);

Table table_of(const std::vector<InspectRow>& rows);
Tree tree_of(const Inspection& inspection);

/// A share as a bar of `width` columns: "██▌  ".
std::string share_bar(double share, int width);
/// 1814073344 as "1.81 G", 464 as "464".
std::string compact(std::int64_t value);
/// What the columns mean, for newcomers.
std::string_view inspect_explanation();

}  // namespace chop::cli
