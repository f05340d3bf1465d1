// Greedy common subexpression elimination. The pair of terms that saves most adder bits becomes a
// variable of its own wherever it occurs, until no pair occurs twice:
//   y0 = x0 + 2 x1 + x2        v  = x0 + 2 x1
//   y1 = x0 + 2 x1 - x2   ->   y0 = v + x2,  y1 = v - x2      three adders instead of four
// Counts of pairs are kept in a hash table, and candidates in a queue; one whose count has changed
// since it was queued is dropped when it comes to the front.
#include "hardware/adders/shared_pairs.hpp"

#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace chop::hardware {
namespace {

/// Pairs of terms are looked for within blocks of inputs when all pairs would be too many.
constexpr std::size_t kMostPairs = 12'000'000;
constexpr int kShiftBias = 128;

using Key = std::uint64_t;

/// a < b, or a = b with a positive difference of shifts; shift_b - shift_a and the product of
/// signs.
Key key_of(const Term& x, const Term& y) {
  const bool ordered = x.variable != y.variable ? x.variable < y.variable : x.shift < y.shift;
  const Term& a = ordered ? x : y;
  const Term& b = ordered ? y : x;
  return Key{a.variable} << 36U | Key{b.variable} << 10U |
         static_cast<Key>(b.shift - a.shift + kShiftBias) << 1U | (a.sign == b.sign ? 1U : 0U);
}

PairSum pair_of(Key key) {
  const int shift = static_cast<int>(key >> 1U & 0x1FFU) - kShiftBias;
  return {.a = static_cast<std::uint32_t>(key >> 36U),
          .b = static_cast<std::uint32_t>(key >> 10U & 0x3FFFFFFU),
          .shift_a = std::max(0, -shift),
          .shift_b = std::max(0, shift),
          .sign = (key & 1U) != 0 ? 1 : -1};
}

struct Candidate {
  std::int64_t saved;  ///< adder bits
  Key key;

  /// The largest saving first; among equal ones the oldest variables, so that results are the same
  /// wherever hashes differ.
  bool operator<(const Candidate& other) const {
    return saved != other.saved ? saved < other.saved : key > other.key;
  }
};

class PairSharing {
 public:
  PairSharing(std::vector<std::vector<Term>> sums, std::span<const Interval> ranges, int depth)
      : result_{.inputs = ranges.size(), .sums = std::move(sums)},
        depth_limit_(depth),
        ranges_(ranges.begin(), ranges.end()),
        depths_(ranges.size(), 0),
        blocks_(ranges.size(), 0) {
    choose_blocks();
    for (const std::vector<Term>& sum : result_.sums)
      for (std::size_t i = 0; i < sum.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) change(sum[i], sum[j], 1);
  }

  SharedSums run() {
    for (const auto& [key, count] : counts_) offer(key, count);
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const auto found = counts_.find(best.key);
      if (found == counts_.end() || refused_.contains(best.key) ||
          saving(best.key, found->second) != best.saved)
        continue;
      share(best.key);
    }
    return std::move(result_);
  }

 private:
  void choose_blocks() {
    std::size_t pairs = 0;
    for (const std::vector<Term>& sum : result_.sums) pairs += sum.size() * sum.size() / 2;
    const std::size_t blocks = (pairs + kMostPairs - 1) / kMostPairs;
    for (std::size_t i = 0; blocks > 1 && i < blocks_.size(); ++i)
      blocks_[i] = static_cast<std::uint32_t>(i * blocks / blocks_.size());
  }

  Interval range_of(const PairSum& pair) const {
    const Interval a = shifted(ranges_[pair.a], pair.shift_a);
    const Interval b = shifted(ranges_[pair.b], pair.shift_b);
    return pair.sign > 0 ? a + b : a - b;
  }

  /// Bits of the adder: where one operand is shifted, the low bits of the other need none.
  std::int64_t bits_of(const PairSum& pair) const {
    const int free = pair.sign > 0 ? pair.shift_a + pair.shift_b : pair.shift_b;
    return std::max(1, width_of(range_of(pair)) - free);
  }

  std::int64_t saving(Key key, int count) const { return (count - 1) * bits_of(pair_of(key)); }

  void offer(Key key, int count) {
    if (count > 1 && !refused_.contains(key)) queue_.push({saving(key, count), key});
  }

  void change(const Term& x, const Term& y, int by) {
    if (blocks_[x.variable] != blocks_[y.variable]) return;
    if (x.variable == y.variable && x.shift == y.shift) return;
    const Key key = key_of(x, y);
    const auto [entry, is_new] = counts_.try_emplace(key, 0);
    entry->second += by;
    const int count = entry->second;
    if (count == 0) counts_.erase(entry);
    if (started_) offer(key, count);
  }

  /// Adders that a sum needs one after the other, at least.
  int least_depth(const std::vector<Term>& sum) const {
    std::uint64_t weight = 0;
    for (const Term& term : sum) weight += std::uint64_t{1} << depths_[term.variable];
    int depth = 0;
    while ((std::uint64_t{1} << depth) < weight) ++depth;
    return depth;
  }

  void share(Key key) {
    started_ = true;
    const PairSum pair = pair_of(key);
    const auto made = static_cast<std::uint32_t>(ranges_.size());
    ranges_.push_back(range_of(pair));
    depths_.push_back(std::max(depths_[pair.a], depths_[pair.b]) + 1);
    blocks_.push_back(blocks_[pair.a]);
    int used = 0;
    for (std::vector<Term>& sum : result_.sums) used += replace(sum, pair, made);
    result_.pairs.push_back(pair);
    if (used == 0) refused_.insert(key);
  }

  /// Replaces the pair wherever both of its terms are in the sum; returns how often.
  int replace(std::vector<Term>& sum, const PairSum& pair, std::uint32_t made) {
    int used = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const Term a = sum[i];
      if (a.variable != pair.a) continue;
      const Term b{pair.b, a.shift - pair.shift_a + pair.shift_b, a.sign * pair.sign};
      const auto other = std::find(sum.begin(), sum.end(), b);
      if (other == sum.end()) continue;
      std::vector<Term> rest = sum;
      const auto j = static_cast<std::size_t>(other - sum.begin());
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      const Term sum_term{made, a.shift - pair.shift_a, a.sign};
      rest.push_back(sum_term);
      if (depth_limit_ > 0 && least_depth(rest) > std::max(depth_limit_, least_depth(sum)))
        continue;
      for (const Term& term : sum) {
        if (!(term == a) && !(term == b)) {
          change(term, a, -1);
          change(term, b, -1);
        }
      }
      change(a, b, -1);
      for (std::size_t k = 0; k + 1 < rest.size(); ++k) change(rest[k], sum_term, 1);
      sum = std::move(rest);
      ++used;
      i = static_cast<std::size_t>(-1);  // positions have moved
    }
    return used;
  }

  SharedSums result_;
  int depth_limit_;
  bool started_ = false;
  std::vector<Interval> ranges_;  ///< of all variables
  std::vector<int> depths_;
  std::vector<std::uint32_t> blocks_;
  std::unordered_map<Key, int> counts_;
  std::unordered_set<Key> refused_;  ///< possible nowhere within the depth
  std::priority_queue<Candidate> queue_;
};

}  // namespace

SharedSums share_pairs(std::vector<std::vector<Term>> sums, std::span<const Interval> ranges,
                       int depth) {
  return PairSharing(std::move(sums), ranges, depth).run();
}

}  // namespace chop::hardware
