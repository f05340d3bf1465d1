// All codes of what an element of a result reads, run on the gates of its layer.
#pragma once

#include "hardware/integer/op_def.hpp"
#include "hardware/netlist/netlist.hpp"
#include "hardware/proof/aig.hpp"

namespace chop::hardware {

constexpr int kMostBits = 24;                               ///< of the inputs of one element
constexpr std::int64_t kMostCodes = std::int64_t{1} << 28;  ///< of all elements of a layer
constexpr int kLanes = 64;                                  ///< samples that are run at once

/// The code of the lowest bits of a pattern, as many as the codes of the range have.
inline std::int64_t code_of_bits(const Interval& range, std::uint64_t pattern) {
  const int width = width_of(range);
  auto code = static_cast<std::int64_t>(pattern & ((std::uint64_t{1} << width) - 1));
  if (range.is_signed() && (code >> (width - 1) & 1) != 0) code -= std::int64_t{1} << width;
  return code;
}

/// What 64 patterns from `first` on have in a bit.
inline std::uint64_t pattern_bits(std::uint64_t first, std::size_t bit) {
  static constexpr std::array<std::uint64_t, 6> kLow = {0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC,
                                                        0xF0F0F0F0F0F0F0F0, 0xFF00FF00FF00FF00,
                                                        0xFFFF0000FFFF0000, 0xFFFFFFFF00000000};
  if (bit < kLow.size()) return kLow[bit];
  return (first >> bit & 1) != 0 ? ~std::uint64_t{0} : 0;
}

/// For an op that says which elements they are. That the circuit of an element reads nothing else
/// is checked first.
class ReadCodes {
 public:
  ReadCodes(const IntegerCall& call, const IntegerOpDef& op, const Netlist& netlist);

  bool is_cheap() const;
  /// How many codes there were.
  Result<std::int64_t> run();

 private:
  const Interval& range_of(const Wired& read) const {
    return call_.in[read.input]->ranges[read.element];
  }
  Error fault(std::size_t element, std::string_view what) const;
  std::vector<std::size_t> cone(std::span<const Literal> outputs) const;
  Status element(std::size_t i, std::span<const Literal> outputs);
  Status compare(std::size_t i, std::span<const Wired> reads, std::span<const Literal> outputs,
                 std::uint64_t first, std::size_t bits);
  std::uint64_t value(Literal literal) const {
    return values_[literal / 2] ^ ((literal & 1U) != 0 ? ~std::uint64_t{0} : 0);
  }

  const IntegerCall& call_;
  const IntegerOpDef& op_;
  std::string module_;
  Aig aig_;
  std::size_t bits_ = 0;
  std::vector<std::vector<std::size_t>> first_bits_;  ///< by input and element
  std::vector<int> widths_;                           ///< of the results
  std::vector<std::uint64_t> values_;                 ///< of nodes, a sample a bit
  std::int64_t codes_ = 0;
};

}  // namespace chop::hardware
