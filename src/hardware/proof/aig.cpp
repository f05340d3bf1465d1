#include "hardware/proof/aig.hpp"

namespace chop::hardware {
namespace {

constexpr int kNever = -1;  ///< after how many registers a constant comes: it is always there

/// Walks from the outputs to the inputs, through latches as if they were wires.
class Walk {
 public:
  explicit Walk(const Aig& aig)
      : aig_(aig), cycles_(aig.nodes(), kNever), literal_(aig.nodes()), state_(aig.nodes()) {}

  Result<Steady> run() {
    AigBuilder made(aig_.inputs);
    literal_[0] = kFalse;
    state_[0] = State::Done;
    for (std::size_t i = 1; i < aig_.first_latch(); ++i) {
      literal_[i] = made.input(i - 1);
      cycles_[i] = 0;
      state_[i] = State::Done;
    }
    int latency = kNever;
    for (std::size_t o = 0; o < aig_.outputs.size(); ++o) {
      CH_CHECK(visit(aig_.outputs[o] / 2, made));
      const int cycles = cycles_[aig_.outputs[o] / 2];
      if (cycles != kNever && latency != kNever && cycles != latency)
        return Error{.what = cat("outputs come after ", latency, " and after ", cycles, " cycles")};
      latency = std::max(latency, cycles);
      made.output(of(aig_.outputs[o]));
    }
    return Steady{.aig = std::move(made).finish(), .latency = std::max(latency, 0)};
  }

 private:
  enum class State : std::uint8_t { New, Open, Done };

  Literal of(Literal literal) const { return literal_[literal / 2] ^ (literal & 1U); }

  /// The nodes that a node reads.
  std::vector<std::size_t> reads(std::size_t node) const {
    if (node < aig_.first_and()) return {aig_.latches[node - aig_.first_latch()] / 2};
    const auto& [a, b] = aig_.ands[node - aig_.first_and()];
    return {a / 2, b / 2};
  }

  Status visit(std::size_t root, AigBuilder& made) {
    std::vector<std::size_t> path = {root};
    while (!path.empty()) {
      const std::size_t node = path.back();
      if (state_[node] == State::Done) {
        path.pop_back();
        continue;
      }
      state_[node] = State::Open;
      bool waits = false;
      for (const std::size_t read : reads(node)) {
        if (state_[read] == State::Open) return Error{.what = "its registers feed back"};
        if (state_[read] == State::New) path.push_back(read);
        waits = waits || state_[read] == State::New;
      }
      if (waits) continue;  // it stays open; a path that comes back to it is a loop
      CH_CHECK(close(node, made));
      path.pop_back();
    }
    return {};
  }

  Status close(std::size_t node, AigBuilder& made) {
    state_[node] = State::Done;
    if (node < aig_.first_and()) {
      const Literal next = aig_.latches[node - aig_.first_latch()];
      literal_[node] = of(next);
      cycles_[node] = cycles_[next / 2] == kNever ? kNever : cycles_[next / 2] + 1;
      return {};
    }
    const auto& [a, b] = aig_.ands[node - aig_.first_and()];
    const int first = cycles_[a / 2];
    const int second = cycles_[b / 2];
    if (first != kNever && second != kNever && first != second)
      return Error{.what = cat("paths of ", first, " and of ", second, " registers meet")};
    literal_[node] = made.both(of(a), of(b));
    cycles_[node] = literal_[node] <= kTrue ? kNever : std::max(first, second);
    return {};
  }

  const Aig& aig_;
  std::vector<int> cycles_;
  std::vector<Literal> literal_;
  std::vector<State> state_;
};

}  // namespace

Literal AigBuilder::both(Literal a, Literal b) {
  if (a > b) std::swap(a, b);
  if (a == kFalse || a == (b ^ 1U)) return kFalse;
  if (a == kTrue || a == b) return b;
  const auto next = static_cast<Literal>(2 * aig_.nodes());
  const auto [at, is_new] = known_.emplace(std::uint64_t{a} << 32 | b, next);
  if (is_new) aig_.ands.push_back({a, b});
  return at->second;
}

Result<Steady> without_latches(const Aig& aig) {
  return Walk(aig).run();
}

std::vector<std::uint64_t> evaluate(const Aig& aig, std::span<const std::uint64_t> inputs) {
  assert(aig.latches.empty() && inputs.size() == aig.inputs && "a graph without latches");
  std::vector<std::uint64_t> values(aig.nodes());
  std::copy(inputs.begin(), inputs.end(), values.begin() + 1);
  const auto of = [&values](Literal literal) {
    return values[literal / 2] ^ ((literal & 1U) != 0 ? ~std::uint64_t{0} : 0);
  };
  for (std::size_t i = 0; i < aig.ands.size(); ++i)
    values[aig.first_and() + i] = of(aig.ands[i][0]) & of(aig.ands[i][1]);
  std::vector<std::uint64_t> outputs;
  for (const Literal output : aig.outputs) outputs.push_back(of(output));
  return outputs;
}

}  // namespace chop::hardware
