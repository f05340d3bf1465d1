// The matrix unit of some x86 processors (AMX): sums of products of bytes, 16 places by 16 channels
// by 64 products at a time, four times as fast as VNNI and as exact.
//
// oneDNN 2.6 has kernels for it that end in illegal instructions, so we use it ourselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/layers.hpp"

namespace chop::runtime {

/// Whether there is one and the system lets this process use it; asks the system, once.
bool has_amx();

constexpr std::int64_t kAmxPlaces = 32;    ///< of a block of sums
constexpr std::int64_t kAmxChannels = 32;  ///< of a block of sums
constexpr std::int64_t kAmxDepth = 64;     ///< bytes that are multiplied and added at once
/// Bytes of weights for one such step: two tiles of 16 channels, each in 16 rows of 4 bytes by
/// channel.
constexpr std::int64_t kAmxWeights = kAmxDepth * kAmxChannels;

/// This thread's tiles are set up while it lives. Nothing else uses them.
class AmxTiles {
 public:
  AmxTiles();
  ~AmxTiles();
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
};

struct AmxBlock {
  const std::byte* places = nullptr;           ///< the first place
  std::int64_t step = 0;                       ///< bytes from one place to the next
  std::span<const std::int64_t> offsets = {};  ///< of each step's bytes, from a place
  const std::byte* weights = nullptr;          ///< of each step
  bool has_sign = false;                       ///< the places' bytes have; weights always do
  bool half = false;                           ///< 16 places are enough
};

/// sums [32 places, 32 channels]; all 32 (or 16) places are read.
void amx_sums_of(const AmxBlock& block, std::int32_t* sums);

}  // namespace chop::runtime
