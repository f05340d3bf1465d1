// What is computed on one token, as an integer graph of its own.
#pragma once

#include "hardware/stream/dataflow.hpp"

namespace chop::hardware {

/// A node whose tokens are read, and how they are cut.
struct TokenInput {
  std::size_t node = 0;
  TokenLayout layout = {};
};

/// The node on one token, where every token of its result depends on the same tokens of its inputs,
/// and on all in the same way; else none. `layout` is that of the result.
std::optional<IntegerNode> token_node(const IntegerNode& node, std::span<const TokenInput> inputs,
                                      const TokenLayout& layout);

class TokenGraph {
 public:
  /// `word` has the channels of the inputs, one after the other.
  TokenGraph(const IntegerGraph& from, const Word& word, std::span<const TokenInput> inputs,
             const std::string& name);

  /// Adds node `index`, as it is on one token; its ranges follow.
  Status add(std::size_t index, IntegerNode node);
  /// Nothing was added.
  bool empty() const { return is_empty_; }
  const IntegerGraph& graph() const { return graph_; }
  /// The names of its nodes.
  std::string comment() const;

 private:
  IntegerGraph graph_;
  std::map<std::size_t, std::size_t> moved_;  ///< from nodes of the whole graph
  bool is_empty_ = true;
};

}  // namespace chop::hardware
