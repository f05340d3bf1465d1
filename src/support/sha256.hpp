// SHA-256 (FIPS 180-4): the sum by which published files are known.
#pragma once

#include "support/layers.hpp"

namespace chop::support {

/// Fed in parts of any size; hex() ends it.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  /// 64 hexadecimal digits, as sha256sum prints them. Nothing may be added afterwards.
  std::string hex();

 private:
  void add_block(const std::byte* block);

  std::array<std::uint32_t, 8> state_ = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                         0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  std::array<std::byte, 64> pending_ = {};
  std::uint64_t bytes_ = 0;
};

std::string sha256(std::span<const std::byte> bytes);

}  // namespace chop::support
