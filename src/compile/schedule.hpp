// How a plan with frozen parameters runs a graph: what is computed once, which calls run as one
// chain, how images lie in memory, which values are kept as bytes, how many rows run at a time.
//
// Every part of it is found by a step of its own (compile/defs), printed behind the lines of the
// text form (compile/state.hpp), and read by the planner. Without it each call is a step.
#pragma once

#include <set>

#include "runtime/kernel.hpp"

namespace chop::compile {

/// A fused group: a call that accumulates (convolution, product) and the calls of its epilogue,
/// which finish the accumulators while they are in the cache. All of them run when `at` is reached.
struct Chain {
  NodeId head;
  std::vector<NodeId> epilogue = {};
  NodeId at = head;
};

struct Schedule {
  std::set<NodeId> constants;  ///< calls whose operands never change
  std::vector<Chain> chains;
  std::set<Value> inside;                ///< values between the calls of a chain: never in memory
  std::set<Value> channels_last;         ///< images that lie so
  std::set<NodeId> channels_last_calls;  ///< calls that take and give images so
  std::set<NodeId> conversions;          ///< `identity` calls that change the layout
  std::map<Value, DType> codes;  ///< fixed-point values kept as quantised integers: I8 or U8
  bool exact = true;  ///< no rounding may change; false in graphs without formats and roundings
  std::int64_t slices =
      1;  ///< how often the steps run for one batch, each time for some of its rows

  Layout layout(Value value) const {
    return channels_last.contains(value) ? Layout::ChannelsLast : Layout::Dense;
  }
};

}  // namespace chop::compile
