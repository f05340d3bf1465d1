// And-inverter graphs: what two descriptions of a circuit are turned into before they are compared.
//
// Node 0 is the constant 0; then come the inputs, the latches and the ANDs. A literal is twice the
// number of a node, and one more where it is inverted.
#pragma once

#include <unordered_map>

#include "support/result.hpp"

namespace chop::hardware {

using Literal = std::uint32_t;
constexpr Literal kFalse = 0;
constexpr Literal kTrue = 1;

struct Aig {
  std::size_t inputs = 0;
  std::vector<Literal> latches = {};  ///< what each takes next
  std::vector<std::array<Literal, 2>> ands = {};
  std::vector<Literal> outputs = {};
  /// Where they are known: of inputs and outputs one, of a latch all that its wire has.
  std::vector<std::string> input_names = {};
  std::vector<std::vector<std::string>> latch_names = {};
  std::vector<std::string> output_names = {};

  std::size_t first_latch() const { return 1 + inputs; }
  std::size_t first_and() const { return 1 + inputs + latches.size(); }
  std::size_t nodes() const { return first_and() + ands.size(); }
};

/// The binary form of AIGER 1.9, with its symbols; properties and constraints are an error.
Result<Aig> read_aiger(std::string_view bytes);
/// Without symbols.
std::string write_aiger(const Aig& aig);

/// The outputs for 64 samples at once, one a bit; only of a graph without latches.
std::vector<std::uint64_t> evaluate(const Aig& aig, std::span<const std::uint64_t> inputs);

/// Makes a graph without latches; an AND that is there already, or follows from constants, is not
/// made again.
class AigBuilder {
 public:
  explicit AigBuilder(std::size_t inputs) { aig_.inputs = inputs; }

  Literal input(std::size_t i) const { return static_cast<Literal>(2 * (1 + i)); }
  Literal both(Literal a, Literal b);
  Literal either(Literal a, Literal b) { return both(a ^ 1U, b ^ 1U) ^ 1U; }
  Literal differ(Literal a, Literal b) { return either(both(a, b ^ 1U), both(a ^ 1U, b)); }
  Literal choose(Literal condition, Literal yes, Literal no) {
    return either(both(condition, yes), both(condition ^ 1U, no));
  }
  void output(Literal literal) { aig_.outputs.push_back(literal); }
  Aig finish() && { return std::move(aig_); }

 private:
  Aig aig_;
  std::unordered_map<std::uint64_t, Literal> known_;
};

/// The same circuit in the steady state of its registers: an output of the result is that of the
/// same sample, `latency` cycles later. An error where registers feed back, or where two paths
/// from inputs to an AND or to outputs have different numbers of them.
struct Steady {
  Aig aig;
  int latency = 0;
};
Result<Steady> without_latches(const Aig& aig);

}  // namespace chop::hardware
