#include "hardware/adders/adder_graph.hpp"

#include <bit>
#include <set>

#include "hardware/adders/narrow_terms.hpp"
#include "hardware/adders/shared_pairs.hpp"
#include "hardware/cost/estimate.hpp"

namespace chop::hardware {
namespace {

constexpr std::array<std::string_view, 5> kMethods = {"plain", "canonical", "shared", "tables",
                                                      "best"};
constexpr std::size_t kLongestChain = 8;  ///< of tables that one adder after the other adds

/// A partial sum on its way to an output: sign · wire · 2^shift.
struct Partial {
  WireId wire = 0;
  int shift = 0;
  int sign = 1;
  int depth = 0;
};

/// How the sums of a matrix are made.
struct Way {
  bool shares = false;  ///< sums of two terms that occur several times
  bool packs = false;   ///< products of narrow inputs go into the LUTs of adders
};

std::vector<std::vector<Term>> terms_of(const LinearMap& map) {
  std::vector<std::vector<Term>> sums(map.rows);
  for (std::size_t row = 0; row < map.rows; ++row)
    for (std::size_t column = 0; column < map.columns; ++column)
      for (const Digit& digit : canonical_digits(map.at(row, column)))
        sums[row].push_back({static_cast<std::uint32_t>(column), digit.shift, digit.sign});
  return sums;
}

class LinearBuilder {
 public:
  LinearBuilder(ModuleBuilder& builder, std::span<const WireId> x, const AdderOptions& options)
      : builder_(builder), options_(options), inputs_(x.size()) {
    for (const WireId wire : x) variables_.push_back({wire});
  }

  std::vector<WireId> run(const LinearMap& map, const SharedSums& sums, bool packs) {
    packs_ = packs;
    for (const PairSum& pair : sums.pairs) variables_.push_back(pair_sum(pair));
    std::vector<WireId> outputs;
    for (std::size_t row = 0; row < map.rows; ++row)
      outputs.push_back(total(sums.sums[row], map.bias[row]));
    return outputs;
  }

  std::vector<WireId> run_plain(const LinearMap& map) {
    std::vector<WireId> outputs;
    for (std::size_t row = 0; row < map.rows; ++row) outputs.push_back(plain_row(map, row));
    return outputs;
  }

 private:
  Partial pair_sum(const PairSum& pair) {
    const WireId a = builder_.shift(variables_[pair.a].wire, pair.shift_a);
    const WireId b = builder_.shift(variables_[pair.b].wire, pair.shift_b);
    return {.wire = pair.sign > 0 ? builder_.add(a, b) : builder_.sub(a, b),
            .depth = std::max(variables_[pair.a].depth, variables_[pair.b].depth) + 1};
  }

  /// The shift that both have in common goes behind the sum.
  Partial sum(const Partial& a, const Partial& b) {
    const int common = std::min(a.shift, b.shift);
    const WireId x = builder_.shift(a.wire, a.shift - common);
    const WireId y = builder_.shift(b.wire, b.shift - common);
    Partial made{.shift = common, .sign = 1, .depth = std::max(a.depth, b.depth) + 1};
    if (a.sign == b.sign) {
      made.wire = builder_.add(x, y);
      made.sign = a.sign;
    } else {
      made.wire = a.sign > 0 ? builder_.sub(x, y) : builder_.sub(y, x);
    }
    return made;
  }

  /// Narrow sums first; with a depth, shallow ones, which keeps the tree as flat as it can be.
  std::pair<int, int> rank(const Partial& p) const {
    const int top = width_of(builder_.range(p.wire)) + p.shift;
    return options_.depth > 0 ? std::pair(p.depth, top) : std::pair(top, p.depth);
  }

  Partial tree(std::vector<Partial> parts) {
    const auto after = [&](const Partial& a, const Partial& b) { return rank(a) > rank(b); };
    std::make_heap(parts.begin(), parts.end(), after);
    const auto take = [&] {
      std::pop_heap(parts.begin(), parts.end(), after);
      const Partial part = parts.back();
      parts.pop_back();
      return part;
    };
    while (parts.size() > 1) {
      const Partial a = take();
      const Partial b = take();
      parts.push_back(sum(a, b));
      std::push_heap(parts.begin(), parts.end(), after);
    }
    return parts[0];
  }

  WireId total(const std::vector<Term>& terms, std::int64_t bias) {
    std::vector<Partial> parts;
    std::vector<NarrowGroup> groups;
    if (packs_) groups = packed(terms);
    for (const Term& term : terms) {
      if (packed_.contains(term.variable)) continue;
      const Partial& variable = variables_[term.variable];
      parts.push_back({variable.wire, term.shift, term.sign, variable.depth});
    }
    add_groups(groups, parts, bias);
    if (parts.empty()) return builder_.constant(bias);
    const Partial made = tree(std::move(parts));
    const WireId wire = builder_.shift(made.wire, made.shift);
    const WireId offset = builder_.constant(bias);
    return made.sign > 0 ? builder_.add(wire, offset) : builder_.sub(offset, wire);
  }

  /// The inputs among the terms whose products are cheaper as functions of few bits.
  std::vector<NarrowGroup> packed(const std::vector<Term>& terms) {
    packed_.clear();
    std::map<std::uint32_t, std::int64_t> factors;
    for (const Term& term : terms)
      if (term.variable < inputs_)
        factors[term.variable] += term.sign * (std::int64_t{1} << term.shift);
    std::vector<NarrowTerm> narrow;
    for (const auto& [variable, factor] : factors) {
      const WireId x = variables_[variable].wire;
      const auto digits = static_cast<int>(canonical_digits(factor).size());
      const int count = narrow_count(builder_.range(x), options_.free_bits);
      if (builder_.range(x).is_constant() || (count > 1 && count > digits) || digits == 0) continue;
      if (count > 1 && digits == 1) continue;
      for (const NarrowTerm& term : narrow_terms(builder_, x, factor, options_.free_bits))
        narrow.push_back(term);
      packed_.insert(variable);
    }
    return grouped(builder_, std::move(narrow), options_.free_bits);
  }

  /// Groups as chains, each of which is part of an adder. The bias goes into the first constant or
  /// table there is, and what is left of it is what is still to be added.
  void add_groups(const std::vector<NarrowGroup>& groups, std::vector<Partial>& parts,
                  std::int64_t& bias) {
    const std::size_t longest = chain_length(groups.size());
    if (!parts.empty() && !groups.empty() && options_.depth == 0) {
      const Partial all = tree(std::move(parts));
      parts = {all};
      if (all.sign > 0 && groups.size() <= longest) {
        const Partial sum{builder_.shift(all.wire, all.shift), 0, 1, all.depth};
        parts = {chain_on_sum(sum, groups, bias)};
        return;
      }
    }
    for (std::size_t first = 0; first < groups.size();) {
      const std::size_t chains = (groups.size() - first + longest - 1) / longest;
      const std::size_t length = (groups.size() - first + chains - 1) / chains;
      parts.push_back(chain(std::span(groups).subspan(first, length), bias));
      bias = 0;
      first += length;
    }
  }

  /// All groups one after the other, on a constant: an adder keeps the first table apart from the
  /// second, which a synthesiser would join into functions of twice as many bits.
  Partial chain(std::span<const NarrowGroup> groups, std::int64_t offset) {
    for (const NarrowGroup& group : groups) offset += group.least - step_of(group);
    Partial sum{builder_.constant(offset)};
    for (const NarrowGroup& group : groups) sum = with(sum, group);
    return sum;
  }

  /// A sum, and all groups one after the other; the last, which is the widest, has the bias.
  Partial chain_on_sum(Partial sum, std::span<const NarrowGroup> groups, std::int64_t& bias) {
    for (const NarrowGroup& group : groups.first(groups.size() - 1)) {
      bias += group.least - step_of(group);
      sum = with(sum, group);
    }
    const WireId last = group_table(builder_, groups.back(), -1, bias);
    bias = 0;
    return {builder_.sub(sum.wire, last), 0, 1, sum.depth + 1};
  }

  /// sum + group - least + step: a table that is never positive is taken away.
  Partial with(const Partial& sum, const NarrowGroup& group) {
    const WireId table = group_table(builder_, group, -1, step_of(group) - group.least);
    return {builder_.sub(sum.wire, table), 0, 1, sum.depth + 1};
  }

  /// Groups that one chain may have: fewer where a depth asks for it.
  std::size_t chain_length(std::size_t groups) const {
    std::size_t length = kLongestChain;
    const auto depth = [&] {
      const std::size_t chains = (groups + length - 1) / length;
      return length + static_cast<std::size_t>(std::bit_width(chains) - 1) +
             (std::has_single_bit(chains) ? 0 : 1);
    };
    while (options_.depth > 0 && groups > 0 && length > 1 &&
           depth() > static_cast<std::size_t>(options_.depth))
      --length;
    return length;
  }

  WireId plain_row(const LinearMap& map, std::size_t row) {
    WireId sum = builder_.constant(map.bias[row]);
    for (std::size_t column = 0; column < map.columns; ++column)
      if (map.at(row, column) != 0)
        sum = builder_.add(sum, builder_.scale(variables_[column].wire, map.at(row, column)));
    return sum;
  }

  ModuleBuilder& builder_;
  AdderOptions options_;
  std::size_t inputs_;
  bool packs_ = false;
  std::set<std::uint32_t> packed_;  ///< inputs of the row at hand that are part of tables
  std::vector<Partial> variables_;
};

/// The sums of a matrix, with those that occur several times shared or not.
SharedSums sums_of(const ModuleBuilder& builder, const LinearMap& map, std::span<const WireId> x,
                   bool shares, int depth) {
  if (!shares) return {.inputs = map.columns, .sums = terms_of(map)};
  std::vector<Interval> ranges;
  for (const WireId wire : x) ranges.push_back(builder.range(wire));
  return share_pairs(terms_of(map), ranges, depth);
}

/// LUTs of a matrix made in this way, by the estimate.
double luts_of(const ModuleBuilder& builder, const LinearMap& map, std::span<const WireId> x,
               const AdderOptions& options, const SharedSums& sums, bool packs) {
  ModuleBuilder cells("trial");
  std::vector<WireId> own;
  for (std::size_t i = 0; i < x.size(); ++i)
    own.push_back(cells.input(cat("x_", i), builder.range(x[i])));
  const std::vector<WireId> y = LinearBuilder(cells, own, options).run(map, sums, packs);
  for (std::size_t i = 0; i < y.size(); ++i) cells.output(cat("y_", i), y[i]);
  Netlist netlist;
  netlist.modules.push_back(std::move(cells).finish(0));
  return static_cast<double>(estimate(netlist).luts);
}

/// Synthesisers join some tables with what is in front of them, which costs more than is estimated:
/// tables must be so much better.
constexpr double kTableMargin = 1.12;

std::vector<WireId> build_best(ModuleBuilder& builder, const LinearMap& map,
                               std::span<const WireId> x, const AdderOptions& options) {
  const std::array<SharedSums, 2> sums = {sums_of(builder, map, x, true, options.depth),
                                          sums_of(builder, map, x, false, options.depth)};
  constexpr std::array<Way, 3> kWays = {Way{true, false}, Way{true, true}, Way{false, true}};
  Way best = kWays[0];
  double least = std::numeric_limits<double>::infinity();
  for (const Way& way : kWays) {
    if (way.packs && options.free_bits < 2) continue;
    const double luts = luts_of(builder, map, x, options, sums[way.shares ? 0 : 1], way.packs) *
                        (way.packs ? kTableMargin : 1);
    if (luts < least) {
      least = luts;
      best = way;
    }
  }
  return LinearBuilder(builder, x, options).run(map, sums[best.shares ? 0 : 1], best.packs);
}

}  // namespace

std::vector<std::string_view> adder_method_names() {
  return {kMethods.begin(), kMethods.end()};
}

AdderMethod adder_method_from_name(std::string_view name) {
  const auto found = std::find(kMethods.begin(), kMethods.end(), name);
  assert(found != kMethods.end() && "the name is one of adder_method_names()");
  return static_cast<AdderMethod>(found - kMethods.begin());
}

std::vector<Digit> canonical_digits(std::int64_t value) {
  std::vector<Digit> digits;
  for (int shift = 0; value != 0; ++shift, value /= 2) {
    if (value % 2 == 0) continue;
    // The digit that makes the rest divisible by four, so that the next one is 0.
    const int sign = (value % 4 + 4) % 4 == 1 ? 1 : -1;
    digits.push_back({shift, sign});
    value -= sign;
  }
  return digits;
}

std::vector<WireId> build_linear(ModuleBuilder& builder, const LinearMap& map,
                                 std::span<const WireId> x, const AdderOptions& options) {
  if (options.method == AdderMethod::Best) return build_best(builder, map, x, options);
  LinearBuilder linear(builder, x, options);
  if (options.method == AdderMethod::Plain) return linear.run_plain(map);
  const bool shares = options.method == AdderMethod::Shared;
  return linear.run(map, sums_of(builder, map, x, shares, options.depth),
                    options.method == AdderMethod::Tables && options.free_bits > 1);
}

}  // namespace chop::hardware
