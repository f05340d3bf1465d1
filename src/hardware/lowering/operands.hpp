// What ops of two operands share: broadcasting, and operands that are constants.
#pragma once

#include "hardware/lowering/lowering_def.hpp"

namespace chop::hardware {

/// The integer node of an operand, with an element for each of the result's.
Result<std::size_t> stretched(LoweringCall& call, std::size_t operand);

/// A second operand that is known: a parameter, or the attribute `other`.
struct KnownOperand {
  std::size_t computed = 0;         ///< the operand that is not known
  std::vector<double> values = {};  ///< one, or one for each run of neighbours of the result
  /// Where they are codes: none for parameters without a format, and for long fractions.
  std::optional<ConstantCodes> codes = {};
};
/// None where both operands are computed.
Result<std::optional<KnownOperand>> known_operand(const LoweringCall& call);

/// y = factor · x + offset, exact, in codes of `frac` bits after the point.
struct ExactAffine {
  Codes factor;
  Codes offset;
  int frac = 0;
};
/// An `affine` node for it. Fails where the product needs too many bits.
Result<Traced> lower_affine(LoweringCall& call, std::size_t x, ExactAffine exact);

}  // namespace chop::hardware
