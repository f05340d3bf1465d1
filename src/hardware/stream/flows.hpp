// A dataflow in the making: the words of every node on their way to the units that read them.
#pragma once

#include <set>

#include "hardware/stream/dataflow.hpp"

namespace chop::hardware {

/// The tokens of a value on their way.
///
/// Where branches meet, the one that is ahead must wait in a queue. Of x + conv(x) on 8 x 8 tokens,
/// the first window of a 3 x 3 convolution with padding 1 needs ten tokens of x, and token 0 of x
/// needs one: the queue beside the convolution holds at least the nine between.
struct Flow {
  std::size_t link = 0;
  TokenLayout layout = {};
  std::vector<std::int64_t> need = {};  ///< tokens of the input before each of these
  int latency = 0;                      ///< words that the units before may hold, beyond that
};

/// The nodes that a node reads, each once.
std::vector<std::size_t> distinct_inputs(const IntegerNode& node);

class Flows {
 public:
  /// The graph must outlive it.
  explicit Flows(const IntegerGraph& graph);

  /// The link on which the words of a sample come.
  std::size_t input(Word word, const TokenLayout& layout);
  /// Adds a unit with one output; returns the link of that.
  std::size_t unit(std::string name, decltype(Unit::what) what, std::vector<std::size_t> in,
                   Word word, std::string comment = "");
  /// Adds the modules of a core; returns the number of its top.
  std::size_t append(Netlist core);
  const Word& word(std::size_t link) const { return made_.links[link]; }

  /// How often the value of a node is read, by nodes and as the output.
  std::size_t readers(std::size_t node) const { return readers_[node]; }
  /// Gives the value of a node to all that read it, through a fork where there are several.
  void give(std::size_t node, const Flow& flow);
  /// A node whose value no unit gives: it is inside a core.
  void absorb(std::size_t node) { given_.insert(node); }
  bool is_given(std::size_t node) const { return given_.contains(node); }
  /// For one of its readers.
  Flow take(std::size_t node);
  /// The inputs of a node as one word. A branch that is ahead waits in a queue.
  Flow join(const IntegerNode& node, std::vector<Flow> flows);

  /// The dataflow, once all nodes are given.
  Result<Dataflow> finish();

 private:
  std::size_t link(Word word);

  const IntegerGraph& graph_;
  Dataflow made_;
  std::vector<std::size_t> readers_;
  std::vector<std::vector<Flow>> branches_;
  std::set<std::size_t> given_;
};

}  // namespace chop::hardware
