// The stages of a chain over the sums that one of its pieces made, in one sweep.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/conv/frozen/stage.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime {

/// Sums of `places` places, the `channels` of each together.
struct Sums {
  const void* data = nullptr;
  bool whole = false;  ///< int32, each standing for itself times `unscale`; else float
  float unscale = 1;
  std::int64_t places = 0;
  std::int64_t channels = 0;
};

/// Where they belong in the chain's tensors, whose places have `row` channels.
struct Spot {
  std::int64_t place = 0;
  std::int64_t channel = 0;
  std::int64_t row = 0;
};

/// Does all stages and writes what they keep to the results they name.
void finish(std::span<const Stage> stages, const Sums& sums, const Spot& spot,
            const KernelArgs& args);

/// to[i] = the code of x[i] on the grid, which is one of bytes.
void encode_bytes(const Element& grid, const float* x, std::int64_t count, std::byte* to);

/// Whether the grid's codes fit a byte, and whether that byte needs a sign.
bool fits_byte(const Element& grid);

}  // namespace chop::runtime
