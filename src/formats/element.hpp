// What a format does to one value, ready for loops: no names, no maps, only numbers.
//
// A format makes one Element from its configuration. Formats whose values share something
// (an exponent, a scale) complete a copy of it for every group of values.
#pragma once

#include <array>
#include <cstdint>

#include "support/rng.hpp"

namespace chop::formats {

/// Which loop applies; the formulas stand in formats/defs, the fast loops in fast-inl.hpp.
enum class Kind : std::uint8_t {
  Identity,
  Fixed,     ///< clamp(round(x · scale · scale2), low, high) · unscale
  Scaled,    ///< clamp(round(x · scale), low, high) / scale
  Step,      ///< scale · clamp(floor(x / scale + 1/2), low, high)
  Affine,    ///< scale · clamp(round(x / scale), low, high)
  Denorm,    ///< minifloat_denorm
  Ieee,      ///< minifloat_ieee
  Log,       ///< log
  BlockFp,   ///< block_fp, within one block
  Mx,        ///< mxfp, within one block
  Sign,      ///< high where x >= 0 (x > 0 when strict), else low
  Residual,  ///< sum of signs of what is left, times levels
  Ternary    ///< high, 0 or -high, by comparing |x| with low
};

constexpr std::size_t kMostLevels = 3;

struct Element {
  Kind kind = Kind::Identity;
  bool floor = false;       ///< Fixed: round toward minus infinity, not to nearest-even
  bool strict = false;      ///< Sign: zero counts as negative
  bool stochastic = false;  ///< Sign: compared with a random number
  float scale = 1;
  float scale2 = 1;
  float unscale = 1;
  float low = 0;
  float high = 0;
  float epsilon = 0;
  int mantissa = 0;  ///< bits after the point
  int bias = 0;
  int e_min = 0;  ///< least and greatest exponent
  int e_max = 0;
  int count_levels = 0;
  std::array<float, kMostLevels> levels = {};
  float shared = 0;  ///< what the group shares, as it is stored: exponent, bias or scale
  Stream stream{0, "quantise"};
};

}  // namespace chop::formats
