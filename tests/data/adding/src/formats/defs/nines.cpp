// q = clamp(rne(9 x), -most, most) / 9
#include "formats/defs/nines-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::nines {
namespace {

Most element(const Config& config) {
  return {.ninths = static_cast<float>(config.integer("most"))};
}

float multiple(float x, const Most& e) {
  return clamp(std::nearbyint(x * 9), -e.ninths, e.ninths);
}

float quantise(float x, const Most& e) {
  return multiple(x, e) / 9;
}

std::int64_t encode(float x, const Most& e) {
  return static_cast<std::int64_t>(multiple(x, e));
}

float decode(std::int64_t code, const Most& /*e*/) {
  return static_cast<float>(code) / 9;
}

Bits bits(const Config& config) {
  return {.value = std::ilogb(config.integer("most")) + 2};
}

Range range(const Config& config) {
  const double most = static_cast<float>(config.integer("most")) / 9;
  return {.lowest = -most, .highest = most, .least_positive = 1.0F / 9};
}

}  // namespace

FormatDef define() {
  return {.name = "nines",
          .suffix = "Nines",
          .doc = "q = clamp(rne(9 x), -most, most) / 9. Ninths, as many on either side of zero.",
          .keys = {{.name = "most",
                    .initial = 6,
                    .doc = "how many ninths the largest value has",
                    .bounds = {.least = 1, .most = 1000}}},
          .precision = {"most"},
          .codec = codec_of<element, quantise, encode, decode>,
          .fast = fast_loop(),
          .bits = bits,
          .range = range,
          .samples = {"", "most=1", "most=1000"}};
}

}  // namespace chop::formats::nines
