#include "hardware/adders/narrow_terms.hpp"

#include <numeric>

namespace chop::hardware {
namespace {

/// The bits of a term as an unsigned number.
WireId pattern_of(ModuleBuilder& builder, const NarrowTerm& term) {
  if (!builder.range(term.wire).is_signed()) return term.wire;
  return builder.bits(term.wire, 0, term.bits);
}

/// The nearest code of the range to what a pattern of bits means.
std::int64_t code_of_pattern(std::int64_t pattern, const Interval& range, int bits) {
  if (range.is_signed() && (pattern >> (bits - 1) & 1) != 0) pattern -= std::int64_t{1} << bits;
  return std::clamp(pattern, range.low, range.high);
}

/// All terms of a group as one number, the first in the highest bits.
WireId index_of(ModuleBuilder& builder, const NarrowGroup& group) {
  WireId index = group.terms[0].wire;
  for (std::size_t i = 1; i < group.terms.size(); ++i)
    index = builder.concat(index, pattern_of(builder, group.terms[i]), group.terms[i].bits);
  return index;
}

std::int64_t sum_at(const ModuleBuilder& builder, const NarrowGroup& group, std::int64_t index) {
  std::int64_t sum = 0;
  for (std::size_t i = group.terms.size(); i-- > 0;) {
    const NarrowTerm& term = group.terms[i];
    const Interval& range = builder.range(term.wire);
    const std::int64_t pattern = index & ((std::int64_t{1} << term.bits) - 1);
    sum += term.factor * (i == 0 ? std::clamp(index, range.low, range.high)
                                 : code_of_pattern(pattern, range, term.bits));
    index >>= term.bits;
  }
  return sum;
}

Interval sums_of(const ModuleBuilder& builder, const NarrowGroup& group) {
  Interval sum;
  for (const NarrowTerm& term : group.terms) sum = sum + builder.range(term.wire) * term.factor;
  return sum;
}

}  // namespace

int narrow_count(const Interval& x, int bits) {
  return (width_of(x) + bits - 1) / bits;
}

std::vector<NarrowTerm> narrow_terms(ModuleBuilder& builder, WireId x, std::int64_t factor,
                                     int bits) {
  std::vector<NarrowTerm> terms;
  for (int left = narrow_count(builder.range(x), bits); left > 1; --left) {
    const int width = width_of(builder.range(x)) / left;
    const WireId rest = builder.shift(x, -width);  // first: it says what the bits below are
    terms.push_back({builder.bits(x, 0, width), factor, width});
    x = rest;
    factor <<= width;
  }
  terms.push_back({x, factor, width_of(builder.range(x))});
  return terms;
}

std::vector<NarrowGroup> grouped(const ModuleBuilder& builder, std::vector<NarrowTerm> terms,
                                 int bits) {
  // Each goes into the first group with room, wide ones first.
  std::stable_sort(terms.begin(), terms.end(),
                   [](const NarrowTerm& a, const NarrowTerm& b) { return a.bits > b.bits; });
  std::vector<NarrowGroup> groups;
  for (const NarrowTerm& term : terms) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const NarrowGroup& each) {
      return each.bits + term.bits <= bits;
    });
    if (group == groups.end()) group = groups.insert(group, NarrowGroup());
    group->terms.push_back(term);
    group->bits += term.bits;
  }
  for (NarrowGroup& group : groups) {
    const Interval sums = sums_of(builder, group);
    group.least = sums.low;
    group.most = sums.high;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const NarrowGroup& a, const NarrowGroup& b) {
    return a.most - a.least < b.most - b.least;
  });
  return groups;
}

std::int64_t step_of(const NarrowGroup& group) {
  std::int64_t all = 0;
  for (const NarrowTerm& term : group.terms) all = std::gcd(all, term.factor);
  return all & -all;
}

WireId group_table(ModuleBuilder& builder, const NarrowGroup& group, int sign,
                   std::int64_t offset) {
  const WireId index = index_of(builder, group);
  const Interval codes = builder.range(index);
  Rom rom{.first = codes.low};
  for (std::int64_t at = codes.low; at <= codes.high; ++at)
    rom.entries.push_back(sign * (sum_at(builder, group, at) + offset));
  return builder.table(index, std::move(rom));
}

}  // namespace chop::hardware
