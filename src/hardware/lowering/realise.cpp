// The choice between the integer forms of a function of codes; each agrees with it on every code.
//   a batch norm in front of an 8-bit format   clamp(floor((factor · x + offset) / 2^shift))
//   tanh of a 6-bit code                       a table of 64 entries
//   sign of a 14-bit sum                       a staircase of one step
// Where two are possible, the one with fewer LUTs is taken.
#include "hardware/adders/adder_graph.hpp"
#include "hardware/lowering/function.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

constexpr int kMostShift = 40;
constexpr std::size_t kMostBreaks = std::size_t{1} << 16U;
constexpr std::uint64_t kMostChecked = std::uint64_t{1} << 16U;

int exponent_of_step(float step) {
  int exponent = 0;
  std::frexp(step, &exponent);
  return exponent - 1;
}

/// One channel as clamp(floor((factor · x + offset) / 2^shift), low, high).
struct Fitted {
  std::int64_t factor = 0;
  std::int64_t offset = 0;
  int shift = 0;
};

/// All values of a function of few codes, or those around its steps: where two functions that both
/// never fall (or never rise) agree on these, they agree everywhere.
std::optional<std::vector<std::int64_t>> telling_codes(const CodeFunction& f, std::size_t channel) {
  const Interval& domain = f.domain(channel);
  std::vector<std::int64_t> codes;
  if (domain.count() <= 4096) {
    for (std::int64_t x = domain.low; x <= domain.high; ++x) codes.push_back(x);
    return codes;
  }
  const auto steps = f.steps(channel, kMostBreaks);
  if (!steps) return {};
  codes = {domain.low, domain.high};
  for (const std::int64_t step : *steps) {
    codes.push_back(step - 1);
    codes.push_back(step);
  }
  return codes;
}

class Realisation {
 public:
  Realisation(LoweringCall& call, const CodeFunction& f, const std::optional<formats::Grid>& grid)
      : call_(call), f_(f), grid_(grid), from_(call.at(call.in(0).node)) {}

  Result<Traced> run() {
    const std::optional<IntegerNode> sum = affine();
    const bool fits = widest() <= call_.options().table_bits;
    if (sum && (!fits || affine_luts(*sum) < table_luts())) return finish(*sum);
    if (const std::optional<IntegerNode> stairs = staircase(fits ? 3 : call_.options().most_steps))
      return finish(*stairs);
    if (fits) return finish(table());
    if (sum) return finish(*sum);
    return Error{.what = cat("a table over ", widest(), " bits would be needed for ",
                             pending().empty() ? "its format" : pending().back().what,
                             ", the most is ", call_.options().table_bits),
                 .hint = "give the operand of that function a narrower format"};
  }

 private:
  const std::vector<PendingFunction>& pending() const { return call_.in(0).pending; }

  int widest() const {
    int bits = 0;
    for (std::size_t c = 0; c < f_.channels(); ++c) bits = std::max(bits, width_of(f_.domain(c)));
    return bits;
  }

  IntegerNode node(std::string op, int frac) const {
    std::vector<std::string> what;
    for (const PendingFunction& function : pending()) what.push_back(function.what);
    return {.name = call_.node().name,
            .op = std::move(op),
            .inputs = {call_.in(0).node},
            .type = {.shape = call_.result_shape(), .frac = frac},
            .comment = join(what, ", ")};
  }

  Interval bounds() const {
    Interval to{static_cast<std::int64_t>(grid_->low), static_cast<std::int64_t>(grid_->high)};
    // Formats keep 0, so that max(x, 0) may come before or behind them.
    if (!pending().empty() && pending().back().kind == PendingFunction::Kind::Rectifier)
      to.low = std::max<std::int64_t>(to.low, 0);
    return to;
  }

  /// Normalisations, perhaps with a ReLU behind them.
  bool is_affine() const {
    if (!grid_ || f_.channels() != channels_of_pending()) return false;
    for (std::size_t i = 0; i < pending().size(); ++i) {
      const bool last = i + 1 == pending().size() && i > 0;
      if (pending()[i].kind == PendingFunction::Kind::Affine) continue;
      if (!last || pending()[i].kind != PendingFunction::Kind::Rectifier || !bounds_hold_zero())
        return false;
    }
    return true;
  }
  bool bounds_hold_zero() const { return grid_->low <= 0 && grid_->high >= 0; }

  std::size_t channels_of_pending() const {
    std::size_t channels = 1;
    for (const PendingFunction& function : pending())
      channels = std::max(channels, function.channels);
    return channels;
  }

  std::optional<Fitted> fit(std::size_t channel, int frac) const {
    double scale = 1;
    double shift = 0;
    for (const PendingFunction& function : pending()) {
      if (function.kind != PendingFunction::Kind::Affine) continue;
      const std::size_t c = channel * function.channels / f_.channels();
      shift = function.scale[c] * shift + function.shift[c];
      scale *= function.scale[c];
    }
    scale = std::ldexp(scale / f_.step(), frac - from_.type.frac);
    shift = std::ldexp(shift / f_.step(), frac);
    const auto codes = telling_codes(f_, channel);
    if (!codes) return {};
    std::vector<std::int64_t> wanted;
    for (const std::int64_t x : *codes) wanted.push_back(code_of(f_(channel, x), frac));
    for (int bits = 0; bits <= kMostShift; ++bits) {
      const double half = grid_->rounding == formats::Rounding::Down ? 0 : 0.5;
      const Fitted fitted{
          .factor = std::llround(std::ldexp(scale, bits)),
          .offset = static_cast<std::int64_t>(std::floor(std::ldexp(shift + half, bits))),
          .shift = bits};
      if (agrees(fitted, channel, *codes, wanted)) return fitted;
    }
    return {};
  }

  bool agrees(const Fitted& fitted, std::size_t channel, std::span<const std::int64_t> codes,
              std::span<const std::int64_t> wanted) const {
    if (!(f_.domain(channel) * fitted.factor + Interval{fitted.offset, fitted.offset}).is_bounded())
      return false;
    const Interval to = bounds();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const std::int64_t y = shifted(fitted.factor * codes[i] + fitted.offset, -fitted.shift);
      if (std::clamp(y, to.low, to.high) != wanted[i]) return false;
    }
    return true;
  }

  std::optional<IntegerNode> affine() const {
    if (!is_affine()) return {};
    const int frac = -exponent_of_step(grid_->step);
    IntegerNode made = node("affine", frac);
    for (std::size_t c = 0; c < f_.channels(); ++c) {
      const std::optional<Fitted> fitted = fit(c, frac);
      if (!fitted) return {};
      made.attrs["factor"].push_back(fitted->factor);
      made.attrs["offset"].push_back(fitted->offset);
      made.attrs["shift"].push_back(fitted->shift);
    }
    made.attrs["low"] = {bounds().low};
    made.attrs["high"] = {bounds().high};
    return made;
  }

  /// Of all channels: a bit of an adder, and a bit of a clamp twice, are a LUT each.
  double affine_luts(const IntegerNode& node) const {
    double luts = 0;
    for (std::size_t c = 0; c < f_.channels(); ++c) {
      const std::int64_t factor = node.list("factor")[c];
      const auto adders = static_cast<double>(canonical_digits(factor).size());
      luts += adders * width_of(f_.domain(c) * factor) + 2 * width_of(bounds());
    }
    return luts;
  }

  /// A LUT of six inputs holds 64 bits.
  double table_luts() const {
    if (!grid_) return 0;
    double luts = 0;
    for (std::size_t c = 0; c < f_.channels(); ++c)
      luts += width_of(bounds()) * std::ldexp(1.0, std::max(0, width_of(f_.domain(c)) - 6));
    return luts;
  }

  /// The bits after the point that all of these numbers need.
  static int frac_of(std::span<const double> values) {
    int frac = std::numeric_limits<int>::min();
    for (const double value : values) frac = std::max(frac, frac_bits(value));
    return frac == std::numeric_limits<int>::min() ? 0 : frac;
  }

  std::optional<IntegerNode> staircase(int most) const {
    std::vector<std::vector<std::int64_t>> steps;
    std::size_t longest = 0;
    for (std::size_t c = 0; c < f_.channels(); ++c) {
      auto found = f_.steps(c, static_cast<std::size_t>(most));
      if (!found || !is_exact(c, *found)) return {};
      longest = std::max(longest, found->size());
      steps.push_back(std::move(*found));
    }
    std::vector<double> values;
    for (std::size_t c = 0; c < f_.channels(); ++c) {
      values.push_back(f_(c, f_.domain(c).low));
      // Channels with fewer steps repeat the last one.
      while (steps[c].size() < longest)
        steps[c].push_back(steps[c].empty() ? f_.domain(c).low : steps[c].back());
      for (const std::int64_t step : steps[c]) values.push_back(f_(c, step));
    }
    const int frac = frac_of(values);
    IntegerNode made = node("steps", frac);
    made.attrs["channels"] = {static_cast<std::int64_t>(f_.channels())};
    made.attrs["thresholds"] = {};
    for (const auto& own : steps)
      made.attrs["thresholds"].insert(made.attrs["thresholds"].end(), own.begin(), own.end());
    for (const double value : values) made.attrs["values"].push_back(code_of(value, frac));
    return made;
  }

  /// Bisection finds every step of a function that rises or falls; where there are not too many
  /// codes, that is not taken for granted.
  bool is_exact(std::size_t channel, std::span<const std::int64_t> steps) const {
    const Interval& domain = f_.domain(channel);
    if (domain.count() > kMostChecked) return true;
    std::size_t next = 0;
    double value = f_(channel, domain.low);
    for (std::int64_t x = domain.low; x <= domain.high; ++x) {
      if (next < steps.size() && steps[next] == x) {
        value = f_(channel, x);
        ++next;
      }
      if (f_(channel, x) != value) return false;
    }
    return true;
  }

  IntegerNode table() const {
    std::vector<std::vector<double>> values(f_.channels());
    Interval all = f_.domain(0);
    for (std::size_t c = 1; c < f_.channels(); ++c) all = hull(all, f_.domain(c));
    std::vector<double> every;
    for (std::size_t c = 0; c < f_.channels(); ++c)
      for (std::int64_t x = all.low; x <= all.high; ++x)
        every.push_back(f_.domain(c).holds(x) ? f_(c, x) : 0);
    IntegerNode made = node("table", frac_of(every));
    made.attrs["first"].assign(f_.channels(), all.low);
    for (const double value : every) made.attrs["values"].push_back(code_of(value, made.type.frac));
    return made;
  }

  Result<Traced> finish(IntegerNode node) {
    std::int64_t uncertain = 0;
    std::int64_t looked_at = 0;
    for (std::size_t c = 0; c < f_.channels(); ++c) {
      const auto codes = telling_codes(f_, c);
      if (!codes) continue;
      looked_at += std::ssize(*codes);
      for (const std::int64_t x : *codes) uncertain += f_.is_uncertain(c, x) ? 1 : 0;
    }
    if (uncertain > 0)
      node.remark = cat("float32 arithmetic in another order may round ", with_commas(uncertain),
                        " of ", with_commas(looked_at), " codes to a neighbour");
    return call_.add(std::move(node));
  }

  LoweringCall& call_;
  const CodeFunction& f_;
  std::optional<formats::Grid> grid_;
  const IntegerNode& from_;
};

}  // namespace

Result<Traced> realise(LoweringCall& call, const CodeFunction& function,
                       const std::optional<formats::Grid>& grid) {
  return Realisation(call, function, grid).run();
}

}  // namespace chop::hardware
