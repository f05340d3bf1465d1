// q = x: plain float32.
#include "formats/numbers.hpp"

namespace chop::formats::float_ {
namespace {

struct Nothing {};

Nothing element(const Config&) {
  return {};
}
float quantise(float x, const Nothing&) {
  return x;
}
std::int64_t encode(float x, const Nothing&) {
  return __builtin_bit_cast(std::uint32_t, x);
}
float decode(std::int64_t code, const Nothing&) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(code));
}

}  // namespace

FormatDef define() {
  return {.name = ir::kPlainFormat,
          .suffix = "",
          .doc = "q = x. Plain float32: nothing changes; codes are the bits.",
          .codec = codec_of<element, quantise, encode, decode>,
          .bits = [](const Config&) { return Bits{.value = 32}; },
          .range =
              [](const Config&) {
                return Range{.lowest = -0x1.fffffep127,
                             .highest = 0x1.fffffep127,
                             .least_positive = 0x1p-149};
              },
          .idempotent = true,
          .samples = {""}};
}

}  // namespace chop::formats::float_
