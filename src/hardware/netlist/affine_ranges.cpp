#include "hardware/netlist/affine_ranges.hpp"

#include "hardware/netlist/table_line.hpp"

namespace chop::hardware {
namespace {

constexpr std::int64_t kMostCoefficient = std::int64_t{1} << 40;

bool is_small(std::int64_t x) {
  return -kMostCoefficient < x && x < kMostCoefficient;
}

}  // namespace

AffineRanges::Sum AffineRanges::combined(const Sum& a, std::int64_t by_a, const Sum& b,
                                         std::int64_t by_b) const {
  Sum sum;
  sum.known = a.known && b.known && is_small(by_a) && is_small(by_b);
  if (!sum.known) return sum;
  sum.constant = by_a * a.constant + by_b * b.constant;
  auto x = a.terms.begin();
  auto y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    const bool first = y == b.terms.end() || (x != a.terms.end() && x->first <= y->first);
    const bool second = x == a.terms.end() || (y != b.terms.end() && y->first <= x->first);
    const WireId root = first ? x->first : y->first;
    const std::int64_t coefficient =
        (first ? by_a * x->second : 0) + (second ? by_b * y->second : 0);
    if (coefficient != 0) sum.terms.emplace_back(root, coefficient);
    sum.known = sum.known && is_small(coefficient);
    if (first) ++x;
    if (second) ++y;
  }
  sum.known = sum.known && is_small(sum.constant);
  return sum;
}

AffineRanges::Sum AffineRanges::table_sum(const Module& module, const NetlistCell& cell) const {
  const std::optional<TableLine> line = table_line(module, cell);
  if (!line) return {.known = false};
  Sum sum{.constant = line->constant};
  for (std::size_t i = 0; i < line->roots.size(); ++i)
    sum = combined(sum, 1, sums_[line->roots[i]], line->factors[i]);
  return sum;
}

/// The bits of x below those of a wire that is floor(x / 2^bits): x - 2^bits · that.
AffineRanges::Sum AffineRanges::slice_sum(const NetlistCell& cell) const {
  const Sum& x = sums_[cell.in[0]];
  const int bits = width_of(cell.range);
  const auto part = high_parts_.find(std::make_tuple(x.terms, x.constant, bits));
  if (cell.amount != 0 || part == high_parts_.end() || bits >= 40) return {.known = false};
  return combined(x, 1, {.terms = {{part->second, 1}}}, -(std::int64_t{1} << bits));
}

AffineRanges::Sum AffineRanges::high_sum(const NetlistCell& cell) {
  const Sum& x = sums_[cell.in[0]];
  const auto [part, is_new] =
      high_parts_.emplace(std::make_tuple(x.terms, x.constant, static_cast<int>(-cell.amount)),
                          static_cast<WireId>(sums_.size()));
  if (is_new) return {.known = false};  // a root
  return {.terms = {{part->second, 1}}};
}

AffineRanges::Sum AffineRanges::sum_of(const Module& module, const NetlistCell& cell) {
  const Sum none;
  const auto in = [&](std::size_t i) -> const Sum& { return sums_[cell.in[i]]; };
  switch (cell.kind) {
    case CellKind::Constant:
      return {.constant = cell.amount, .known = is_small(cell.amount)};
    case CellKind::Add:
      return combined(in(0), 1, in(1), 1);
    case CellKind::Sub:
      return combined(in(0), 1, in(1), -1);
    case CellKind::Scale:
      return combined(in(0), cell.amount, none, 0);
    case CellKind::Register:
      return in(0);
    case CellKind::Shift:
      if (cell.amount >= 0 && cell.amount < 40)
        return combined(in(0), std::int64_t{1} << cell.amount, none, 0);
      if (cell.amount < 0) return high_sum(cell);
      break;
    case CellKind::Slice:
      return slice_sum(cell);
    case CellKind::Table:
      return table_sum(module, cell);
    default:
      break;
  }
  return {.known = false};
}

Interval AffineRanges::add(const Module& module, const NetlistCell& cell,
                           const Interval& interval) {
  Sum sum = sum_of(module, cell);
  Interval range = interval;
  if (sum.known) {
    Interval tight{sum.constant, sum.constant};
    for (const auto& [root, coefficient] : sum.terms) tight = tight + ranges_[root] * coefficient;
    range = {std::max(range.low, tight.low), std::min(range.high, tight.high)};
  } else {
    sum = {.terms = {{static_cast<WireId>(sums_.size()), 1}}};
  }
  sums_.push_back(std::move(sum));
  ranges_.push_back(range);
  return range;
}

}  // namespace chop::hardware
