#include "hardware/adders/adder_graph.hpp"

#include "hardware/adders/shared_pairs.hpp"

namespace chop::hardware {
namespace {

constexpr std::array<std::string_view, 3> kMethods = {"plain", "canonical", "shared"};

/// A partial sum on its way to an output: sign · wire · 2^shift.
struct Partial {
  WireId wire = 0;
  int shift = 0;
  int sign = 1;
  int depth = 0;
};

class LinearBuilder {
 public:
  LinearBuilder(ModuleBuilder& builder, std::span<const WireId> x, const AdderOptions& options)
      : builder_(builder), options_(options) {
    for (const WireId wire : x) variables_.push_back({wire});
  }

  std::vector<WireId> run(const LinearMap& map) {
    SharedSums sums{.inputs = map.columns, .sums = terms_of(map)};
    if (options_.method == AdderMethod::Shared) sums = share(std::move(sums.sums));
    for (const PairSum& pair : sums.pairs) variables_.push_back(pair_sum(pair));
    std::vector<WireId> outputs;
    for (std::size_t row = 0; row < map.rows; ++row)
      outputs.push_back(options_.method == AdderMethod::Plain
                            ? plain_row(map, row)
                            : total(sums.sums[row], map.bias[row]));
    return outputs;
  }

 private:
  static std::vector<std::vector<Term>> terms_of(const LinearMap& map) {
    std::vector<std::vector<Term>> sums(map.rows);
    for (std::size_t row = 0; row < map.rows; ++row)
      for (std::size_t column = 0; column < map.columns; ++column)
        for (const Digit& digit : canonical_digits(map.at(row, column)))
          sums[row].push_back({static_cast<std::uint32_t>(column), digit.shift, digit.sign});
    return sums;
  }

  SharedSums share(std::vector<std::vector<Term>> sums) const {
    std::vector<Interval> ranges;
    for (const Partial& variable : variables_) ranges.push_back(builder_.range(variable.wire));
    return share_pairs(std::move(sums), ranges, options_.depth);
  }

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

  WireId total(const std::vector<Term>& terms, std::int64_t bias) {
    std::vector<Partial> parts;
    for (const Term& term : terms) {
      const Partial& variable = variables_[term.variable];
      parts.push_back({variable.wire, term.shift, term.sign, variable.depth});
    }
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
    if (parts.empty()) return builder_.constant(bias);
    const WireId wire = builder_.shift(parts[0].wire, parts[0].shift);
    const WireId offset = builder_.constant(bias);
    return parts[0].sign > 0 ? builder_.add(wire, offset) : builder_.sub(offset, wire);
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
  std::vector<Partial> variables_;
};

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
  return LinearBuilder(builder, x, options).run(map);
}

}  // namespace chop::hardware
