// A circuit as units that hand each other words with valid and ready: a word moves in a cycle where
// both are 1, and a unit that cannot go on keeps what it has.
#pragma once

#include <variant>

#include "hardware/netlist/from_integer.hpp"
#include "hardware/stream/layout.hpp"

namespace chop::hardware {

/// Words between two units: elements, the first in the lowest bits, each as wide as its range.
using Word = std::vector<Interval>;
int width_of(const Word& word);

/// A module of the netlist, a word every cycle.
struct CoreUnit {
  std::size_t module = 0;
};

/// Line buffers and a window of tokens: a word of taps for each position of the result.
struct WindowUnit {
  TokenLayout from = {};
  Windows windows = {};
  std::vector<std::int64_t> padding = {};  ///< what each tap is outside

  std::int64_t top() const;  ///< least and greatest offsets of the taps
  std::int64_t left() const;
  std::int64_t bottom() const;
  std::int64_t right() const;
  /// Positions it walks over, those of the padding below and to the right included.
  std::int64_t rows() const;
  std::int64_t columns() const;
  /// Every position ends within that walk.
  bool fits() const;
  /// The last token that each position waits for.
  std::vector<std::size_t> last_tokens() const;
};

/// y = W x + b in `cycles()` cycles: a part of the columns at a time, and a part of the rows.
struct MacUnit {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::int64_t> weight = {};
  std::vector<std::int64_t> bias = {};
  std::vector<std::size_t> element = {};  ///< of the word, by column
  std::size_t column_parts = 1;
  std::size_t row_parts = 1;
  bool in_luts = false;  ///< its multipliers: in LUTs, else in DSPs

  std::size_t cycles() const { return column_parts * row_parts; }
  /// Multipliers: columns and rows of a part.
  std::size_t lanes() const { return (columns + column_parts - 1) / column_parts; }
  std::size_t row_lanes() const { return (rows + row_parts - 1) / row_parts; }
  /// Cuts columns, then rows, so that about so many cycles are needed.
  void spread_over(std::size_t cycles);
};

struct ForkUnit {};  ///< every word to all outputs
struct JoinUnit {};  ///< a word of each input as one
struct FifoUnit {
  std::int64_t depth = 2;
};

struct Unit {
  std::string name;
  std::variant<CoreUnit, WindowUnit, MacUnit, ForkUnit, JoinUnit, FifoUnit> what;
  std::vector<std::size_t> in = {};  ///< links
  std::vector<std::size_t> out = {};
  std::string comment = {};
};

struct Dataflow {
  std::string name;  ///< of the top module
  Netlist cores = {};
  std::vector<Word> links = {};
  std::vector<Unit> units = {};
  std::size_t input = 0;  ///< links
  std::size_t output = 0;
  /// For each token of a sample the elements of its word, as numbers of the sample's elements.
  std::vector<std::vector<std::size_t>> given = {};
  std::vector<std::vector<std::size_t>> made = {};
  std::int64_t latency = 0;   ///< cycles from the first word of a sample to its last result
  std::int64_t interval = 1;  ///< from one sample to the next, where nobody waits
};

/// The whole netlist as one core: a sample is one word.
Dataflow to_dataflow(Netlist netlist);

/// Bits of what a circuit keeps, and what it multiplies with.
struct FoldedCounts {
  std::int64_t multipliers = 0;
  std::int64_t weight_bits = 0;
  std::int64_t line_bits = 0;
  std::int64_t window_bits = 0;
  std::int64_t fifo_bits = 0;
};
FoldedCounts count_units(const Dataflow& dataflow);

}  // namespace chop::hardware
