// From a network whose operands carry fixed-point formats to whole numbers.
#pragma once

#include "hardware/integer/integer_graph.hpp"

namespace chop::hardware {

struct ToIntegerOptions {
  int table_bits = 12;  ///< most bits of the input of a table
  int most_steps = 64;  ///< of a staircase over a wide input
};

/// The integer graph of a network that is evaluated. Its numbers are those of the float run
/// wherever float32 is exact; the remark of a node says where it is not. One error lists every node
/// that has no integer form, and why.
Result<IntegerGraph> to_integer(const Graph& graph, const ToIntegerOptions& options = {});

/// The codes of the rows [first, first + count) of samples: what the format of an input makes of
/// them. `rows` are those of a batch of float32.
Result<std::vector<Codes>> encode_rows(const IntegerGraph& graph, std::size_t input,
                                       const Tensor& rows);

}  // namespace chop::hardware
