// q = clamp(rne(3 x), -most, most) / 3
#include "formats/numbers.hpp"

namespace chop::formats::thirds {
namespace {

struct Most {
  float thirds = 0;
};

Most element(const Config& config) {
  return {.thirds = static_cast<float>(config.integer("most"))};
}

float multiple(float x, const Most& e) {
  return clamp(std::nearbyint(x * 3), -e.thirds, e.thirds);
}

float quantise(float x, const Most& e) {
  return multiple(x, e) / 3;
}

std::int64_t encode(float x, const Most& e) {
  return static_cast<std::int64_t>(multiple(x, e));
}

float decode(std::int64_t code, const Most& /*e*/) {
  return static_cast<float>(code) / 3;
}

Bits bits(const Config& config) {
  return {.value = std::ilogb(config.integer("most")) + 2};
}

Range range(const Config& config) {
  const double most = static_cast<float>(config.integer("most")) / 3;
  return {.lowest = -most, .highest = most, .least_positive = 1.0F / 3};
}

}  // namespace

FormatDef define() {
  return {.name = "thirds",
          .suffix = "Thirds",
          .doc = "q = clamp(rne(3 x), -most, most) / 3. Thirds, as many on either side of zero.",
          .keys = {{.name = "most",
                    .initial = 6,
                    .doc = "how many thirds the largest value has",
                    .bounds = {.least = 1, .most = 1000}}},
          .precision = {"most"},
          .codec = codec_of<element, quantise, encode, decode>,
          .bits = bits,
          .range = range,
          .samples = {"", "most=1", "most=1000"}};
}

}  // namespace chop::formats::thirds
