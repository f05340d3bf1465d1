#include "hardware/lowering/softmax.hpp"

#include "hardware/integer/op_def.hpp"
#include "hardware/integer/rounding.hpp"

namespace chop::hardware {
namespace {

constexpr int kSpareBits = 16;
constexpr int kMostBits = 30;
constexpr int kMostDistanceBits = 12;
constexpr std::uint64_t kMostInputs = std::uint64_t{1} << 16U;

/// e^(-d · 2^-frac) in units of 2^-bits, up to the first that is 0.
Codes exponentials(const IntegerType& from, int bits) {
  const Interval all = from.range();
  Codes table;
  for (std::int64_t d = 0; d <= all.high - all.low; ++d) {
    const double real = std::exp(-std::ldexp(static_cast<double>(d), -from.frac));
    table.push_back(std::llround(std::ldexp(real, bits)));
    if (table.back() == 0) break;
  }
  return table;
}

class SoftmaxCheck {
 public:
  SoftmaxCheck(const IntegerNode& node, const IntegerType& from)
      : size_(static_cast<std::size_t>(node.list("lanes")[0])), from_(from) {
    inner_ = static_cast<std::size_t>(node.list("lanes")[1]);
  }

  /// The ranges of the elements of a lane.
  std::vector<Interval> lane(std::size_t first) const {
    std::vector<Interval> ranges;
    for (std::size_t k = 0; k < size_; ++k) ranges.push_back(from_.ranges[first + k * inner_]);
    return ranges;
  }
  /// Inputs of all lanes together, or more than are checked.
  std::uint64_t count() const {
    std::uint64_t all = 0;
    for_each_lane([&](std::size_t first) {
      std::uint64_t own = 1;
      for (const Interval& range : lane(first))
        own = range.count() > kMostInputs ? kMostInputs + 1
                                          : std::min(kMostInputs + 1, own * range.count());
      all = std::min(kMostInputs + 1, all + own);
    });
    return all;
  }
  /// Whether the node gives what the real quotients round to, for every input of every lane.
  bool agrees(IntegerNode node) const {
    bool same = true;
    for_each_lane([&](std::size_t first) { same = same && lane_agrees(node, lane(first)); });
    return same;
  }

 private:
  template <class Visit>
  void for_each_lane(Visit&& visit) const {
    for (std::size_t outer = 0; outer < from_.size() / (size_ * inner_); ++outer)
      for (std::size_t i = 0; i < inner_; ++i) visit(outer * size_ * inner_ + i);
  }

  bool lane_agrees(IntegerNode& node, const std::vector<Interval>& ranges) const {
    node.attrs["lanes"] = {static_cast<std::int64_t>(size_), 1};
    node.type.ranges.assign(size_, {});
    const IntegerType in{
        .shape = {static_cast<std::int64_t>(size_)}, .frac = from_.frac, .ranges = ranges};
    const IntegerCall call{node, {&in}};
    const IntegerOpDef& op = *find_integer_op("softmax");
    Codes x;
    for (const Interval& range : ranges) x.push_back(range.low);
    Codes y(size_);
    for (;;) {
      const Codes* given = &x;
      op.evaluate(call, {&given, 1}, y);
      if (y != rounded(node, x)) return false;
      std::size_t k = 0;
      while (k < size_ && x[k] == ranges[k].high) x[k] = ranges[k].low, ++k;
      if (k == size_) return true;
      ++x[k];
    }
  }

  Codes rounded(const IntegerNode& node, const Codes& x) const {
    const std::int64_t most = *std::max_element(x.begin(), x.end());
    std::vector<long double> e;
    long double sum = 0;
    for (const std::int64_t code : x) {
      e.push_back(std::exp(-std::ldexp(static_cast<long double>(most - code), -from_.frac)));
      sum += e.back();
    }
    Codes y;
    for (const long double part : e) {
      const long double share = std::ldexp(part / sum, node.type.frac);
      long double code = std::floor(share);
      const long double rest = share - code;
      const auto rounding = static_cast<formats::Rounding>(node.list("rounding")[0]);
      if (rounding == formats::Rounding::HalfUp && rest >= 0.5L) code += 1;
      if (rounding == formats::Rounding::HalfEven &&
          (rest > 0.5L || (rest == 0.5L && std::fmod(code, 2.0L) != 0)))
        code += 1;
      y.push_back(
          std::clamp(static_cast<std::int64_t>(code), node.list("low")[0], node.list("high")[0]));
    }
    return y;
  }

  std::size_t size_;
  std::size_t inner_ = 1;
  const IntegerType& from_;
};

}  // namespace

Result<Traced> realise_softmax(LoweringCall& call, const formats::Grid& grid) {
  const PendingFunction& function = call.in(0).pending[0];
  const IntegerType from = call.at(call.in(0).node).type;
  int exponent = 0;
  std::frexp(grid.step, &exponent);
  const int frac = 1 - exponent;
  if (frac < 0 || frac > kMostBits - 6)
    return Error{
        .what = cat("a format with ", frac, " bits after the point is behind ", function.what),
        .hint = "give the result of a softmax a format with 0 to 24 bits after the point"};
  if (width_of({0, from.range().high - from.range().low}) > kMostDistanceBits)
    return Error{
        .what = cat("the input of ", function.what, " has more than ", kMostDistanceBits, " bits"),
        .hint = "give the operand of the softmax a narrower format"};
  IntegerNode node{.name = call.node().name,
                   .op = "softmax",
                   .inputs = {call.in(0).node},
                   .attrs = {{"lanes", function.lanes},
                             {"rounding", {static_cast<std::int64_t>(grid.rounding)}},
                             {"low", {static_cast<std::int64_t>(grid.low)}},
                             {"high", {static_cast<std::int64_t>(grid.high)}}},
                   .type = {.shape = call.result_shape(), .frac = frac},
                   .comment = function.what};
  const SoftmaxCheck check(node, from);
  const bool all = check.count() <= kMostInputs;
  int bits = std::min(kMostBits, frac + (all ? 1 : kSpareBits));
  node.attrs["exponentials"] = exponentials(from, bits);
  while (all && bits < kMostBits && !check.agrees(node))
    node.attrs["exponentials"] = exponentials(from, ++bits);
  node.remark = all ? "the quotients of exponentials are real numbers, which float32 rounds first"
                    : cat("quotients of exponentials of ", bits,
                          " bits: those next to a tie may be rounded to its other side");
  return call.add(std::move(node));
}

}  // namespace chop::hardware
