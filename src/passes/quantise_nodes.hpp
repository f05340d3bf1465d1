// Which configuration is for which node, and number formats for the nodes it is for.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/calibration/calibrate.hpp"
#include "passes/pass_def.hpp"
#include "passes/quantise_config.hpp"
#include "support/pattern.hpp"

namespace chop::passes {

enum class SelectBy : std::uint8_t { Type, Name, RegexName };
/// "type", "name"; anything else is "regex_name".
SelectBy select_by(std::string_view by);

/// The tables of a quantize pass: each for a type of nodes, a node, or names that match.
class QuantiseTables {
 public:
  /// Reads `tables` (NAME = { config = {...} }) for this graph. Names that fit nothing in it
  /// are errors.
  static Result<QuantiseTables> read(const Tree::Table& tables, SelectBy by, const Graph& graph,
                                     const ArgPlace& place);

  /// The table for a node: its own, else the one called default, else null.
  QuantiseConfig* find(const Node& node);
  /// An error when a key of some table fitted no node. A table for a type of which the network
  /// has no nodes is none: one file may serve several networks.
  Status check_used() const;

 private:
  SelectBy by_ = SelectBy::Type;
  std::vector<std::pair<std::string, QuantiseConfig>> tables_;
  std::map<std::string, Pattern> patterns_;  ///< by key, for SelectBy::RegexName
  std::set<std::string> matched_;            ///< tables that were for some node
};

/// True for calls whose op has operands that may carry formats.
bool is_quantisable(const Node& node);

/// What data are to decide before the formats are complete.
struct OpenFormats {
  NodeId node{};
  std::string operand;
};

/// Sets the formats of one node; those that data must decide are added to `open`.
Status quantise_node(Graph& graph, NodeId id, const Types& types, QuantiseConfig& config,
                     std::vector<OpenFormats>& open);

/// calibration, quantile and num_samples: how open keys are chosen.
std::vector<Field> calibration_args();

/// Chooses open keys from parameters' values and, for what flows, from samples; gives formats
/// that learn the parameter in which they do. Without samples, what flows cannot be chosen.
Status settle_formats(Graph& graph, const std::vector<OpenFormats>& open,
                      const CalibrationOptions& options, std::int64_t num_samples,
                      const PassContext& context);

}  // namespace chop::passes
