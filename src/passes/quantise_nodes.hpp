// Which configuration table applies to which node, and setting the formats of the nodes.
#pragma once

#include <set>

#include "analysis/calibration/calibrate.hpp"
#include "passes/pass_def.hpp"
#include "passes/quantise_config.hpp"
#include "support/pattern.hpp"

namespace chop::passes {

enum class SelectBy : std::uint8_t { Type, Name, RegexName };
/// The field `by` (type, name or regex_name), without an initial value.
Field select_by_field();
/// An error unless [PATH.KEY] holds the table `config` and nothing else.
Status check_key_table(const std::string& key, const Tree& table, const ArgSource& source);
/// Of a value that the field allows.
SelectBy select_by(std::string_view by);

/// The tables of a quantize pass: each for a type of nodes, a node, or names that match.
class QuantiseTables {
 public:
  /// Reads `tables` (NAME = { config = {...} }) for this graph. Names that fit nothing in it
  /// are errors.
  static Result<QuantiseTables> read(const Tree::Table& tables, SelectBy by, const Graph& graph,
                                     const ArgSource& source);

  /// The table for a node: its own, else the one called default, else null.
  QuantiseConfig* find(const Node& node);
  /// An error when a key of a table applied to no node. What is in the table default, or for a type
  /// that the network does not have, is only worth a warning: one file may serve several networks.
  Result<std::vector<std::string>> check_used() const;

 private:
  SelectBy by_ = SelectBy::Type;
  std::vector<std::pair<std::string, QuantiseConfig>> tables_;
  std::map<std::string, Pattern> patterns_;  ///< by key, for SelectBy::RegexName
  std::set<std::string> matched_;            ///< tables that applied to at least one node
};

/// Whether nodes of this op need not have the operand, as linear layers need no bias.
bool may_lack(const std::string& op, std::string_view operand);

/// True for calls whose op has operands that may carry formats.
bool is_quantisable(const Node& node);

/// Keys that have to be calibrated from data before the formats are complete.
struct OpenFormats {
  NodeId node{};
  std::string operand;
};

/// Sets the formats of one node; those to be calibrated are added to `open`.
Status quantise_node(Graph& graph, NodeId id, const Types& types, QuantiseConfig& config,
                     std::vector<OpenFormats>& open);

/// calibration, quantile and num_samples: how open keys are chosen.
std::vector<Field> calibration_args();

/// Calibrates open keys from the values of parameters and, for activations, from samples; adds the
/// parameter of formats that learn one. Activations cannot be calibrated without samples.
/// Returns how many of them were used.
Result<std::int64_t> calibrate_formats(Graph& graph, const std::vector<OpenFormats>& open,
                                       const CalibrationOptions& options, std::int64_t num_samples,
                                       const PassContext& context);

}  // namespace chop::passes
