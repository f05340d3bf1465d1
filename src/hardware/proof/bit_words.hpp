// Whole numbers as bits of an and-inverter graph.
#pragma once

#include "hardware/proof/aig.hpp"

namespace chop::hardware {

/// Bits of a whole number, lowest first; the last is its sign where the range has one.
struct BitWord {
  std::vector<Literal> bits = {};
  bool is_signed = false;

  std::size_t size() const { return bits.size(); }
  /// Above the last bit: the sign, or 0.
  Literal beyond() const { return is_signed ? bits.back() : kFalse; }
  Literal bit(std::size_t i) const { return i < bits.size() ? bits[i] : beyond(); }
};

/// `count` bits from bit `from` on.
std::vector<Literal> sized(const BitWord& word, std::size_t count, std::size_t from = 0);
std::vector<Literal> inverted(std::vector<Literal> bits);
/// a + b + carry modulo 2^bits.
std::vector<Literal> sum_of(AigBuilder& builder, const std::vector<Literal>& a,
                            const std::vector<Literal>& b, Literal carry);
Literal less_than(AigBuilder& builder, const BitWord& a, const BitWord& b);
Literal equal_to(AigBuilder& builder, const BitWord& a, const BitWord& b);
/// A number that is not negative.
BitWord constant_word(std::int64_t value);

}  // namespace chop::hardware
