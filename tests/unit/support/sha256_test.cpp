// SHA-256 against the examples of FIPS 180-4, and in parts of any size.
#include "support/sha256.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

std::string sum_of(std::string_view text) {
  return sha256(std::as_bytes(std::span(text)));
}

TEST(Sha256, SumsAreThoseOfTheStandard) {
  EXPECT_EQ(sum_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sum_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PartsOfAnySizeGiveTheSumOfTheWhole) {
  std::string text;
  for (std::size_t size = 0; size < 200; ++size) {
    for (const std::size_t step : {1U, 7U, 63U, 64U, 65U, 128U}) {
      Sha256 sum;
      for (std::size_t at = 0; at < text.size(); at += step)
        sum.add(std::as_bytes(std::span(text)).subspan(at, std::min(step, text.size() - at)));
      EXPECT_EQ(sum.hex(), sum_of(text)) << size << " by " << step;
    }
    text += static_cast<char>(size * 37);
  }
}

}  // namespace
}  // namespace chop
