#include "hardware/proof/bit_words.hpp"

namespace chop::hardware {

std::vector<Literal> sized(const BitWord& word, std::size_t count, std::size_t from) {
  std::vector<Literal> bits;
  for (std::size_t i = 0; i < count; ++i) bits.push_back(word.bit(from + i));
  return bits;
}

std::vector<Literal> inverted(std::vector<Literal> bits) {
  for (Literal& bit : bits) bit ^= 1U;
  return bits;
}

std::vector<Literal> sum_of(AigBuilder& builder, const std::vector<Literal>& a,
                            const std::vector<Literal>& b, Literal carry) {
  std::vector<Literal> bits;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Literal half = builder.differ(a[i], b[i]);
    bits.push_back(builder.differ(half, carry));
    carry = builder.either(builder.both(a[i], b[i]), builder.both(half, carry));
  }
  return bits;
}

/// The sign of their difference, which one bit more than both have holds.
Literal less_than(AigBuilder& builder, const BitWord& a, const BitWord& b) {
  const std::size_t width = std::max(a.size(), b.size()) + 2;
  return sum_of(builder, sized(a, width), inverted(sized(b, width)), kTrue).back();
}

Literal equal_to(AigBuilder& builder, const BitWord& a, const BitWord& b) {
  Literal same = kTrue;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) + 1; ++i)
    same = builder.both(same, builder.differ(a.bit(i), b.bit(i)) ^ 1U);
  return same;
}

BitWord constant_word(std::int64_t value) {
  assert(value >= 0 && "it has no sign");
  BitWord word;
  for (; value > 0; value >>= 1) word.bits.push_back((value & 1) != 0 ? kTrue : kFalse);
  return word;
}

}  // namespace chop::hardware
