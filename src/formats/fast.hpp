// Fast loops: the same bits as FormatDef::quantise, many values at a time.
//
// A format has one when there is a formats/defs/NAME-simd.hpp with its vector form; fast.cpp puts
// the loops around all of them, once per instruction set.
#pragma once

#include "formats/element.hpp"

namespace chop::formats {

class ShareTable;

/// How results are written.
enum class Store : std::uint8_t {
  ThroughCaches,
  PastCaches  ///< more than the caches hold: nothing of y is read first, and nothing is kept
};

/// y[i] = q(x[i]) for `count` values; x and y may be the same.
struct Span {
  const float* x = nullptr;
  float* y = nullptr;
  std::int64_t count = 0;
  Store store = Store::ThroughCaches;
};

/// Past the caches when that many values do not fit, and are not in them already.
inline Store best_store(const float* x, const float* y, std::int64_t count) {
  constexpr std::int64_t kMany = std::int64_t{8} << 20;  // 32 MiB
  return count >= kMany && x != y ? Store::PastCaches : Store::ThroughCaches;
}

/// Groups of `size` neighbours (the last one may be shorter) that share what the table says.
struct Blocks {
  const ShareTable* table = nullptr;
  float (*plain)(float x, const Element&, std::uint64_t index) = nullptr;  ///< the definition
  std::int64_t size = 0;
  float* abs_max = nullptr;  ///< one per group: what was measured is left here
  bool zeros_wait = false;   ///< groups without magnitude are only copied
};

struct FastLoop {
  void (*run)(const Element& element, const Span& at) = nullptr;
  /// Whether a group had no magnitude.
  bool (*run_blocks)(const Blocks& blocks, const Span& at) = nullptr;
};

/// The largest finite-or-clamped magnitude: NaN is passed over, infinity is the largest float.
float abs_max(const float* x, std::int64_t count);

}  // namespace chop::formats
