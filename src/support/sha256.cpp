#include "support/sha256.hpp"

#include <bit>
#include <cstring>

namespace chop::support {
namespace {

constexpr std::size_t kSha256Block = 64;

constexpr std::array<std::uint32_t, 64> kSha256Constants = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

std::array<std::uint32_t, 64> message_schedule(const std::byte* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < kSha256Block; ++i)
    w[i / 4] = w[i / 4] << 8 | std::to_integer<std::uint32_t>(block[i]);
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t a = w[i - 15];
    const std::uint32_t b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  return w;
}

}  // namespace

void Sha256::add_block(const std::byte* block) {
  const std::array<std::uint32_t, 64> w = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + kSha256Constants[i] + w[i];
    const std::uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> change = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < change.size(); ++i) state_[i] += change[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
  std::size_t held = bytes_ % kSha256Block;
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (held == 0 && bytes.size() >= kSha256Block) {
      add_block(bytes.data());
      bytes = bytes.subspan(kSha256Block);
      continue;
    }
    const std::size_t step = std::min(bytes.size(), kSha256Block - held);
    std::memcpy(&pending_[held], bytes.data(), step);
    bytes = bytes.subspan(step);
    held += step;
    if (held < kSha256Block) return;
    add_block(pending_.data());
    held = 0;
  }
}

std::string Sha256::hex() {
  // A one bit, zeros up to the last eight bytes of a block, the length in bits.
  const std::uint64_t bits = bytes_ * 8;
  std::vector<std::byte> end(1 + (119 - bytes_ % kSha256Block) % kSha256Block + 8);
  end[0] = std::byte{0x80};
  for (std::size_t i = 0; i < 8; ++i)
    end[end.size() - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
  add(end);
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[word >> shift & 0xF];
  return text;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

}  // namespace chop::support
