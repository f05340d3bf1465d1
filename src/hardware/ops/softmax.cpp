// y = clamp(round(e / Σ e · 2^frac), low, high) along lanes, where e = table[m - x] and m is the
// greatest x of the lane: exponentials from a table, one exact division, one rounding.
#include "hardware/integer/rounding.hpp"
#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware::integer_ops::softmax {
namespace {

using formats::Rounding;

struct Rule {
  std::size_t size;                     ///< of a lane
  std::size_t inner;                    ///< distance of its elements
  std::span<const std::int64_t> table;  ///< falls; what lies beyond is its last entry
  int frac;
  Rounding rounding;
  Interval bounds;

  explicit Rule(const IntegerNode& node)
      : size(static_cast<std::size_t>(node.list("lanes")[0])),
        inner(static_cast<std::size_t>(node.list("lanes")[1])),
        table(node.list("exponentials")),
        frac(node.type.frac),
        rounding(static_cast<Rounding>(node.list("rounding")[0])),
        bounds{node.list("low")[0], node.list("high")[0]} {}

  /// The elements of every lane.
  std::vector<std::vector<std::size_t>> lanes(std::size_t elements) const {
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t outer = 0; outer < elements / (size * inner); ++outer)
      for (std::size_t i = 0; i < inner; ++i) {
        std::vector<std::size_t> lane;
        for (std::size_t k = 0; k < size; ++k) lane.push_back((outer * size + k) * inner + i);
        all.push_back(std::move(lane));
      }
    return all;
  }
  std::int64_t most() const { return std::ssize(table) - 1; }
  /// e / sum, rounded.
  std::int64_t share(std::int64_t e, std::int64_t sum) const {
    const std::int64_t twice = (e << (frac + 1)) / sum;
    const bool rest = (e << (frac + 1)) % sum != 0;
    std::int64_t code = twice >> 1;
    if (rounding == Rounding::HalfUp) code += twice & 1;
    if (rounding == Rounding::HalfEven && (twice & 1) != 0 && (rest || (code & 1) != 0)) ++code;
    return std::clamp(code, bounds.low, bounds.high);
  }
};

Status check(const IntegerCall& call) {
  const Codes& lanes = call.node.list("lanes");
  const Codes& table = call.node.list("exponentials");
  if (call.in[0]->size() != call.size()) return Error{.what = "its input has another size"};
  if (lanes.size() != 2 || lanes[0] < 1 || lanes[1] < 1 ||
      std::ssize(call.in[0]->ranges) % (lanes[0] * lanes[1]) != 0)
    return Error{.what = "its lanes do not fit its input"};
  const bool falls = std::is_sorted(table.rbegin(), table.rend());
  if (table.empty() || !falls || table.back() < 0 || table[0] < 1 || table[0] > 1 << 30)
    return Error{.what = "its exponentials are not possible"};
  const Rule rule(call.node);
  if (rule.frac < 0 || rule.frac > 24 || rule.bounds.low > rule.bounds.high)
    return Error{.what = cat("its result cannot have ", rule.frac, " bits after the point")};
  if (static_cast<std::int64_t>(rule.size) > 1 << 20)
    return Error{.what = "its lanes are too long"};
  return {};
}

std::vector<Interval> ranges(const IntegerCall& call) {
  const Rule rule(call.node);
  return std::vector<Interval>(call.size(),
                               clamped(Interval{0, std::int64_t{1} << rule.frac}, rule.bounds));
}

void evaluate(const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
  const Rule rule(call.node);
  for (const std::vector<std::size_t>& lane : rule.lanes(out.size())) {
    std::int64_t most = (*in[0])[lane[0]];
    for (const std::size_t at : lane) most = std::max(most, (*in[0])[at]);
    std::int64_t sum = 0;
    const auto exponential = [&](std::size_t at) {
      return rule.table[static_cast<std::size_t>(std::min(most - (*in[0])[at], rule.most()))];
    };
    for (const std::size_t at : lane) sum += exponential(at);
    for (const std::size_t at : lane) out[at] = rule.share(exponential(at), sum);
  }
}

/// The circuit of one lane.
class Lane {
 public:
  Lane(ModuleBuilder& cells, const Rule& rule) : cells_(cells), rule_(rule) {}

  std::vector<WireId> run(const std::vector<WireId>& x) {
    const WireId most = joined(x, [&](WireId a, WireId b) { return cells_.max(a, b); });
    std::vector<WireId> e;
    for (const WireId wire : x) e.push_back(exponential(cells_.sub(most, wire)));
    const WireId sum = joined(e, [&](WireId a, WireId b) { return cells_.add(a, b); });
    std::vector<WireId> y;
    for (const WireId wire : e) y.push_back(share(wire, sum));
    return y;
  }

 private:
  /// Differences from the greatest are never negative, which their ranges do not say.
  WireId exponential(WireId difference) {
    const WireId d = cells_.clamp(difference, {0, rule_.most()});
    return cells_.table(d, {.first = 0, .entries = {rule_.table.begin(), rule_.table.end()}});
  }

  /// Long division, a bit a step, the remainder always below the sum.
  WireId share(WireId e, WireId sum) {
    const int width = width_of(cells_.range(sum));
    WireId rest = e;
    WireId quotient = cells_.constant(0);
    for (int step = 0; step <= rule_.frac + 1; ++step) {
      if (step > 0) rest = cells_.shift(rest, 1);
      const WireId below = cells_.less(rest, sum);
      rest = cells_.mux(below, rest, cells_.sub(rest, sum));
      if (cells_.range(rest).is_signed() || width_of(cells_.range(rest)) > width)
        rest = cells_.bits(rest, 0, std::min(width, width_of(cells_.range(rest))));
      quotient = cells_.concat(quotient, cells_.sub(cells_.constant(1), below), 1);
    }
    WireId code = cells_.shift(quotient, -1);
    if (rule_.rounding != Rounding::Down) {
      const WireId half = cells_.bits(quotient, 0, 1);
      WireId up = half;
      if (rule_.rounding == Rounding::HalfEven) {
        const WireId exact = cells_.less(rest, cells_.constant(1));
        up = cells_.mux(exact, cells_.mux(half, cells_.bits(code, 0, 1), half), half);
      }
      code = cells_.add(code, up);
    }
    // e is not above the sum, so that no share is above 1.
    const Interval possible = clamped(Interval{0, std::int64_t{1} << rule_.frac}, rule_.bounds);
    return cells_.clamp(code, possible);
  }

  ModuleBuilder& cells_;
  const Rule& rule_;
};

void build(LayerBuilder& layer) {
  const Rule rule(layer.node());
  std::vector<WireId> y(layer.call().size());
  for (const std::vector<std::size_t>& lane : rule.lanes(y.size())) {
    std::vector<WireId> x;
    for (const std::size_t at : lane) x.push_back(layer.in()[at]);
    const std::vector<WireId> made = Lane(layer.cells(), rule).run(x);
    for (std::size_t k = 0; k < lane.size(); ++k) y[lane[k]] = made[k];
  }
  for (const WireId wire : y) layer.out(wire);
}

}  // namespace

IntegerOpDef define() {
  return {.name = "softmax",
          .doc =
              "y = clamp(round(e / Σ e · 2^frac), low, high) along lanes, e = exponentials[m - x] "
              "with m the greatest x of the lane",
          .attrs = {"lanes", "exponentials", "rounding", "low", "high"},
          .check = check,
          .ranges = ranges,
          .evaluate = evaluate,
          .build = build};
}

}  // namespace chop::hardware::integer_ops::softmax
