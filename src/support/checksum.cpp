// Multiply, xor and rotate in four lanes, as fast as memory: blocks of a megabyte each get a sum,
// and the checksum is the sum of the sums, so that blocks can be summed by several threads.
#include "support/checksum.hpp"

#include <bit>
#include <cstring>

#include "support/rng.hpp"
#include "support/system/threads.hpp"

namespace chop::support {
namespace {

std::uint64_t block_checksum(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};  // independent, so they overlap
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), &bytes[at], 32);
    for (std::size_t k = 0; k < 4; ++k)
      lanes[k] = std::rotl((lanes[k] ^ words[k]) * 0x9E3779B97F4A7C15, 31);
  }
  std::uint64_t sum = bytes.size();
  for (; at < bytes.size(); ++at)
    sum = (sum ^ std::to_integer<std::uint64_t>(bytes[at])) * 0xBF58476D1CE4E5B9;
  for (const std::uint64_t lane : lanes) sum = mix64(sum ^ lane);
  return sum;
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes, int threads) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<std::uint64_t> sums((bytes.size() + kBlock - 1) / kBlock);
  parallel_for(threads, static_cast<std::int64_t>(sums.size()), [&](std::int64_t block) {
    const auto b = static_cast<std::size_t>(block);
    const std::size_t size = std::min(kBlock, bytes.size() - b * kBlock);
    sums[b] = block_checksum(bytes.subspan(b * kBlock, size));
  });
  return block_checksum(std::as_bytes(std::span(sums)));
}

}  // namespace chop::support
