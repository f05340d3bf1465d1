// Products of bytes with exact sums on processors without VNNI: the micro-kernel of the backend
// "pairs". An output channel's sum is made of steps of four bytes of the input, in one of two ways:
//
//   quads   four bytes, unsigned times signed: two products at a time are added in 16 bits, which
//           must not overflow, then both sums in 32 bits
//   pairs   two numbers of 16 bits: both products are added in 32 bits, which cannot overflow
#pragma once

#include "support/layers.hpp"

namespace chop::runtime {

enum class ByteWay : std::uint8_t { Quads, Pairs };

/// All positions of a tile times one group of output channels. A position's input is `runs` of
/// `steps` steps each, four bytes a step, which begin at an offset from its address.
struct ByteProduct {
  ByteWay way = ByteWay::Pairs;
  std::span<const std::byte* const> positions;
  std::span<const std::int64_t> runs;
  std::int64_t steps = 0;
  const std::byte* weights = nullptr;     ///< [run, step, channel of the group, 4 bytes]
  const std::int32_t* initial = nullptr;  ///< what the sums begin with, by channel of the group
  std::int32_t* accumulators = nullptr;   ///< [position, channel]
  std::int64_t stride = 0;                ///< of a position's accumulators
  std::int64_t channels = 0;              ///< of the group that are wanted
};

/// Output channels that are computed together; weights are packed for so many.
std::int64_t byte_group_channels();
/// Whether the processor can do quads.
bool has_byte_quads();
void multiply_bytes(const ByteProduct& product);

/// Copies `count` bytes with their top bits flipped: -128 to 127 become 0 to 255.
void copy_flipped(const std::byte* from, std::int64_t count, std::byte* to);
/// Widens `count` bytes to 16 bits.
void copy_widened(const std::byte* from, std::int64_t count, bool is_signed, std::int16_t* to);

}  // namespace chop::runtime
