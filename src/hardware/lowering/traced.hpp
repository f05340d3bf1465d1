// What a value of the network is while it is turned into integers.
#pragma once

#include <functional>

#include "hardware/integer/integer_graph.hpp"
#include "ops/core/op_def.hpp"

namespace chop::hardware {

/// A number and a bound of how far float32 arithmetic, in whatever order, may be from it.
struct Approximate {
  double value = 0;
  double error = 0;
};

/// A function that was applied to codes and left real numbers: it waits for the format behind it.
struct PendingFunction {
  enum class Kind : std::uint8_t {
    Affine,     ///< scale · x + shift
    Rectifier,  ///< max(x, 0)
    Softmax,    ///< over lanes; only a format may follow
    Other
  };
  Kind kind = Kind::Other;
  std::string what;                ///< "batch_norm1d seq_blocks_0"
  std::vector<double> scale = {};  ///< of Affine: one per channel
  std::vector<double> shift = {};
  /// On channel c of `channels`.
  std::function<Approximate(Approximate x, std::size_t c)> apply;
  std::size_t channels = 1;
  double step = 0;   ///< of a scale alone, step · x for all elements: it; else 0
  Codes lanes = {};  ///< of Softmax: elements of a lane, and the distance between them
};

struct Traced {
  enum class Kind : std::uint8_t {
    Failed,    ///< it has no integer form, and somebody has been told
    Real,      ///< a placeholder before its format
    Constant,  ///< a parameter
    Integer    ///< codes, and the functions that wait
  };
  Kind kind = Kind::Failed;
  std::size_t node = 0;                       ///< of Integer
  std::vector<PendingFunction> pending = {};  ///< of Integer
  std::string placeholder = {};               ///< of Real
  Tensor constant = {};                       ///< of Constant: float32
  std::optional<NumberFormat> format = {};    ///< of Constant: what it was read through
  bool is_masked = false;                     ///< of Constant: some of it is left out
};

/// Constants as codes: value = step · code · 2^-frac.
struct ConstantCodes {
  Codes codes;
  int frac = 0;
  double step = 1;
};
/// An error when the values are not those of a fixed-point format: without a format, or one whose
/// scale is not a power of two.
Result<ConstantCodes> constant_codes(const Traced& constant);

/// Codes of a format with one scale, which need not be a power of two.
Result<ConstantCodes> scaled_constant_codes(const Traced& constant);

/// The bits after the point that a number needs: v = odd · 2^-bits.
int frac_bits(double value);
/// The code of a number with `frac` bits after the point.
std::int64_t code_of(double value, int frac);

}  // namespace chop::hardware
