// The space graph/quantize/mixed_precision_ptq: number formats of nodes, chosen from tables
//
//   [search.search_space.seed.KEY.config]
//   name = ["integer"]
//   weight_width = [2, 4, 8]
//
// KEY is a node, an op, a pattern or default, as setup.by says. Every node has parameters of its
// own, named "node/config/key"; with setup.tie all nodes of a table share them, named
// "KEY/config/key". A key with one choice is not a parameter. A key that the chosen format does not
// have is not active.
#pragma once

#include <mutex>

#include "passes/quantise_nodes.hpp"
#include "search/space/candidate.hpp"
#include "search/space/space.hpp"
#include "support/pattern.hpp"

namespace chop::search {

class QuantiseSpace {
 public:
  /// `table` is [search.search_space]; `source` is its location in the file. Every choice is
  /// checked against its format and node.
  static Result<std::unique_ptr<QuantiseSpace>> make(const Graph& graph, const Tree& table,
                                                     const ArgSource& source,
                                                     const PassContext& context);

  const std::vector<SpaceParameter>& parameters() const { return parameters_; }
  /// "node/config/key = value" for keys with one choice, in order; those of nodes that are left
  /// alone excepted.
  std::vector<std::pair<std::string, Tree>> fixed() const;
  /// Notes for the user about the tables.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Nodes with parameters.
  const std::vector<NodeId>& searched() const { return searched_; }

  /// Gives the candidate's nodes the formats chosen by `values`, one per parameter, and records
  /// them as arguments of the pass quantize. Safe to call from several threads.
  Status apply(std::span<const double> values, Candidate& candidate);

 private:
  struct Key {
    std::string name;  ///< "weight_width"
    std::vector<Tree> choices;
    std::optional<std::size_t> parameter = {};  ///< nothing: one choice
  };
  struct NodeTable {
    NodeId id{};
    std::string node;
    std::string owner;  ///< before "/config/" in the names of its parameters
    ArgSource source;   ///< of its config
    std::vector<Key> keys = {};
  };
  /// The formats that a combination of choices gives a node.
  struct Chosen {
    std::map<std::string, NumberFormat> formats = {};
    std::vector<Parameter> learned = {};  ///< initial values of learned parameters of the formats
  };

  QuantiseSpace(Graph graph, const PassContext& context)
      : graph_(std::move(graph)), context_(context) {}
  /// A node that is the same in every trial.
  static bool left_alone(const NodeTable& table);
  Status read(const Tree& table, const ArgSource& source);
  void add_note(std::string note);  ///< once
  Status add_node(NodeId id, const std::string& owner, const Tree& config, const ArgSource& source);
  static Result<std::vector<Key>> read_keys(const Tree& config, const ArgSource& source);
  static Status check_keys(const std::vector<Key>& keys, const ArgSource& source);
  void add_parameters(NodeTable& table);
  Status check_node(const NodeTable& table);
  Status check_choice(const NodeTable& table, const Space& space, std::size_t parameter);
  Tree config_of(const NodeTable& table, std::span<const double> values) const;
  enum class Calibrate : std::uint8_t {
    No,
    Yes
  };  ///< whether settings that depend on data are computed
  Result<Chosen> choose(const NodeTable& table, const Tree& config, Calibrate calibrate) const;

  Graph graph_;  ///< the network before any choice
  PassContext context_;
  CalibrationOptions calibration_ = {};
  std::int64_t num_samples_ = 0;
  std::string by_;
  bool tie_ = false;
  std::vector<NodeTable> tables_;
  std::vector<SpaceParameter> parameters_;
  std::vector<NodeId> searched_;
  std::vector<std::string> notes_;
  Types types_;
  std::mutex mutex_;
  std::map<std::string, Chosen> chosen_;  ///< by node and configuration
};

/// The tables [KEY.config] of a space, and which of them is for a node.
class SeedTables {
 public:
  static Result<SeedTables> read(const Tree& seed, SelectBy by, const Graph& graph,
                                 const ArgSource& source);
  /// The key of the node's table, "default" if it has none of its own and there is one, or "".
  std::string key_of(const Node& node) const;
  const Tree& config(const std::string& key) const;
  /// All keys, those of tables that are for no node as well.
  std::vector<std::string> keys() const;
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  SelectBy by_ = SelectBy::Name;
  const Tree* seed_ = nullptr;
  std::map<std::string, Pattern> patterns_;  ///< by key, for SelectBy::RegexName
  std::vector<std::string> notes_;
};

}  // namespace chop::search
