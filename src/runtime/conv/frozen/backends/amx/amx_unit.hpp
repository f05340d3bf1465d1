// AMX, the matrix unit of some x86 processors: products of bytes, 16 positions by 16 channels by 64
// products at a time, four times as fast as VNNI and as exact.
//
// The unit has eight tile registers of 16 rows of 64 bytes. One instruction computes
// C [16, 16] += A [16, 64] B [64, 16], where C is int32 and A and B are bytes; B lies as 16 rows,
// each with 4 consecutive bytes of every channel.
//
// oneDNN 2.6 has kernels for it that end in illegal instructions, so we use it ourselves.
#pragma once

#include "support/layers.hpp"

namespace chop::runtime {

/// Whether there is one and the system lets this process use it; asks the system, once.
bool has_amx();

constexpr std::int64_t kAmxPositions = 32;  ///< of a block of accumulators
constexpr std::int64_t kAmxChannels = 32;   ///< of a block of accumulators
constexpr std::int64_t kAmxDepth = 64;      ///< bytes that are multiplied and added at once
/// Bytes of weights for one such step: two tiles of 16 channels, each in 16 rows of 4 bytes by
/// channel.
constexpr std::int64_t kAmxWeights = kAmxDepth * kAmxChannels;

/// This thread's tile registers are set up while it lives. Nothing else uses them.
class AmxTiles {
 public:
  AmxTiles();
  ~AmxTiles();
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
};

struct AmxBlock {
  const std::byte* positions = nullptr;        ///< the first one's bytes
  std::int64_t stride = 0;                     ///< bytes from one position to the next
  std::span<const std::int64_t> offsets = {};  ///< of each step's bytes, from a position
  const std::byte* weights = nullptr;          ///< of each step
  bool is_signed = false;                      ///< the positions' bytes are; weights always are
  bool half = false;                           ///< 16 positions are enough
};

/// accumulators [32 positions, 32 channels]; all 32 (or 16) positions are read.
void amx_multiply(const AmxBlock& block, std::int32_t* accumulators);

}  // namespace chop::runtime
