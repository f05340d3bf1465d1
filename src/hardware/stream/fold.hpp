// From an integer graph to a folded circuit: a token at a time, its products in several cycles.
#pragma once

#include "hardware/stream/dataflow.hpp"

namespace chop::hardware {

struct FoldOptions {
  /// Cycles that the products of a window are spread over: of every layer with a matrix, and of
  /// single ones by name. 1: constant matrices of adders, a window every cycle.
  std::int64_t reuse = 1;
  std::map<std::string, std::int64_t> reuse_of = {};
  bool multiply_in_luts = false;
  NetlistOptions netlist = {};  ///< of what is computed on a token
};

/// "8", "conv1=25,fc=4" or "8,fc=4".
Result<FoldOptions> parse_reuse(std::string_view text);

/// Tokens are the positions of an input [c, l] or [c, h, w], row by row, with all channels of one;
/// an input [f] is one token. Layers whose windows move evenly work on line buffers; what does not
/// is done on whole samples. Queues hold the words of a branch while the other is behind.
Result<Dataflow> fold(const IntegerGraph& graph, const FoldOptions& options);

}  // namespace chop::hardware
