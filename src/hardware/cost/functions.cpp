// Truth tables as LUTs of six inputs: inputs that do not matter are left out, and what is wider
// is split at its highest input until it fits.
#include <set>

#include "hardware/cost/parts.hpp"

namespace chop::hardware {
namespace {

constexpr std::size_t kFunctionInputs = 6;

/// An entry for each value of the inputs.
using TruthTable = std::string;

/// The entries where input `v` has that value.
TruthTable half(const TruthTable& table, std::size_t v, bool value) {
  const std::size_t run = std::size_t{1} << v;
  TruthTable part;
  for (std::size_t at = value ? run : 0; at < table.size(); at += 2 * run)
    part.append(table, at, run);
  return part;
}

bool depends_on(const TruthTable& table, std::size_t v) {
  const std::size_t run = std::size_t{1} << v;
  for (std::size_t at = 0; at < table.size(); at += 2 * run)
    if (table.compare(at, run, table, at + run, run) != 0) return true;
  return false;
}

/// A function of those inputs alone that matter, numbered as they were.
struct Function {
  TruthTable table;
  std::vector<int> inputs;

  void reduce() {
    for (std::size_t v = inputs.size(); v-- > 0;) {
      if (depends_on(table, v)) continue;
      table = half(table, v, false);
      inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(v));
    }
  }
  /// Constants, and an input itself.
  bool is_free() const { return inputs.empty() || (inputs.size() == 1 && table == "01"); }
};

class Mapping {
 public:
  double luts() const { return luts_; }

  /// Adds what the function needs besides those before it.
  void add(Function function) {
    function.reduce();
    if (function.is_free() || !known_.emplace(function.inputs, function.table).second) return;
    if (function.inputs.size() <= kFunctionInputs) {
      luts_ += 1;
      return;
    }
    const std::size_t top = function.inputs.size() - 1;
    bool is_wide = true;  // a dedicated multiplexer joins two LUTs, and two such pairs
    for (const bool value : {false, true}) {
      Function part{half(function.table, top, value), function.inputs};
      part.inputs.pop_back();
      part.reduce();
      is_wide = is_wide && part.inputs.size() > 2 && part.inputs.size() <= kFunctionInputs + 1;
      add(std::move(part));
    }
    if (!is_wide) luts_ += 1;
  }

 private:
  std::set<std::pair<std::vector<int>, TruthTable>> known_;
  double luts_ = 0;
};

}  // namespace

double function_luts(std::span<const std::int64_t> results, int width, int bits) {
  Mapping mapping;
  for (int b = 0; b < bits; ++b) {
    Function function;
    for (int v = 0; v < width; ++v) function.inputs.push_back(v);
    for (const std::int64_t result : results) function.table += (result >> b & 1) != 0 ? '1' : '0';
    mapping.add(std::move(function));
  }
  return mapping.luts();
}

}  // namespace chop::hardware
