// What a graph is compiled for, and the memory that the plan is to use.
#pragma once

#include <functional>
#include <set>

#include "ir/graph.hpp"

namespace chop::compile {

enum class Mode : std::uint8_t { Evaluation, Training };

struct Target {
  Mode mode = Mode::Evaluation;
  std::int64_t batch = 1;
  int threads = 1;
  /// Parameters keep their values while the plan lives, so what depends on them alone is done once.
  bool frozen = false;
  /// The graph is in the lowered form (compile/lower.hpp) already.
  bool lowered = false;
  /// The graph is a classifier whose mean cross entropy is wanted: it gets a placeholder for
  /// labels, and its outputs are the loss and the logits.
  bool loss = false;
  /// Parameters whose gradients of the loss are computed.
  std::vector<std::string> gradients = {};
  /// Values of the graph that the plan gives instead of its outputs, as the ops made them or, with
  /// `through_formats`, as their readers see them.
  std::optional<std::vector<Value>> observed = {};
  bool through_formats = false;

  /// Verify graph and types after every step, as debug builds always do.
  bool verify = false;
  bool fuse = true;
  /// Only reference forwards: the oracle in float32 storage.
  bool reference_only = false;
  /// Heads of chains that count as refused by every backend: to test what happens then, or to find
  /// the chain that is at fault.
  std::set<std::string> refuse = {};
};

/// Memory outlives the plan.
struct Memory {
  /// Of a parameter by name; buffers are updated there. Empty: the plan has the graph's own values.
  std::function<std::byte*(const std::string&)> parameter = {};
  /// Of a gradient by its parameter's name. Empty: the plan has memory of its own.
  std::function<std::byte*(const std::string&)> gradient = {};
  /// Results of a lowered graph that are written to memory of the caller's.
  std::map<Value, std::byte*> placed = {};
};

}  // namespace chop::compile
