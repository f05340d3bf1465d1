// Constant matrix-vector products as additions: y = W x + b with whole numbers.
//
// Every constant is written in canonical signed digits, so that a product is a sum of shifted
// inputs; then sums of two terms that occur in several outputs, at whatever shift, are computed
// once (the two-term search of da4ml: the pair whose sharing saves most adder bits first, until
// none occurs twice). What is left of each output is added narrowest first, or where a depth is
// given, so that no path has more adders than that. Where inputs are narrow, their products go into
// the LUTs of the adders instead (narrow_terms.hpp).
#pragma once

#include "hardware/netlist/builder.hpp"

namespace chop::hardware {

enum class AdderMethod : std::uint8_t {
  Plain,      ///< products by constants, left to the synthesiser
  Canonical,  ///< canonical signed digits
  Shared,     ///< the same, with common sums of two terms
  Tables,     ///< products of narrow inputs as tables, each part of an adder
  Best        ///< of each matrix the cheapest of the last two and of both together, by the estimate
};
std::vector<std::string_view> adder_method_names();
/// Of one of those names.
AdderMethod adder_method_from_name(std::string_view name);

struct AdderOptions {
  AdderMethod method = AdderMethod::Shared;
  int depth = 0;      ///< most adders on a path, if more than the least possible; 0: any number
  int free_bits = 5;  ///< inputs that a LUT in front of a carry has beside the sum; 0: none
};

/// y = W x + b, row by row.
struct LinearMap {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::int64_t> weight = {};  ///< rows x columns
  std::vector<std::int64_t> bias = {};    ///< rows

  std::int64_t at(std::size_t row, std::size_t column) const {
    return weight[row * columns + column];
  }
};

/// The digits of a constant: value = Σ sign · 2^shift, no two shifts being neighbours.
struct Digit {
  int shift = 0;
  int sign = 1;
};
std::vector<Digit> canonical_digits(std::int64_t value);

/// One wire per row.
std::vector<WireId> build_linear(ModuleBuilder& builder, const LinearMap& map,
                                 std::span<const WireId> x, const AdderOptions& options);

/// A module's output as a sum over its inputs: followed symbolically through additions, shifts,
/// registers and instances, with exact coefficients.
struct LinearForm {
  std::map<std::size_t, std::int64_t> coefficients = {};  ///< by number of the input; none is 0
  std::int64_t constant = 0;

  bool operator==(const LinearForm&) const = default;
};
/// Of every output; an error names a cell that is not linear, or a coefficient beyond 61 bits.
Result<std::vector<LinearForm>> linear_forms(const Netlist& netlist, std::size_t module);
/// That the outputs of a module are these: an identity of integer coefficients, which holds for all
/// inputs because no wire can wrap (verify() proves that).
Status prove_linear(const Netlist& netlist, std::size_t module, std::span<const LinearForm> wanted);

}  // namespace chop::hardware
