// q = +1 where x >= 0, else -1 (bipolar); 1 or 0 otherwise; scaled by mean|x| of each first index.
#include "formats/defs/binary-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::binary {
namespace {

Status complete(Config& config) {
  if (!config.has("scaled")) config.set("scaled", !config.flag("bipolar"));
  return {};
}

Levels element(const Config& config) {
  const bool bipolar = config.flag("bipolar");
  return {
      .low = bipolar ? -1.0F : 0.0F, .strict = !bipolar, .stochastic = config.flag("stochastic")};
}

void restore(Levels& e, float shared) {
  e.shared = e.high = shared;
  if (e.low != 0) e.low = -shared;
}

void share(Levels& e, const GroupFacts& facts) {
  restore(e, abs_mean(facts.values));
}

bool is_high(float x, const Levels& e, const Draw& draw) {
  if (!e.stochastic) return e.strict ? x > 0 : x >= 0;
  return draw.uniform() < static_cast<double>(clamp((x + 1) * 0.5F, 0, 1));
}

float quantise(float x, const Levels& e, const Draw& draw) {
  if (std::isnan(x)) return x;
  return is_high(x, e, draw) ? e.high : e.low;
}

std::int64_t encode(float x, const Levels& e, const Draw& draw) {
  return is_high(x, e, draw) ? 1 : 0;
}

float decode(std::int64_t code, const Levels& e) {
  return code != 0 ? e.high : e.low;
}

bool is_fast(const Levels& e) {
  return !e.stochastic;
}

Result<std::optional<Tiles>> tiles(const Config& config, const Shape& shape) {
  if (!config.flag("scaled")) return std::optional<Tiles>();
  return std::optional(Tiles::leading(shape));
}

std::optional<OnnxForm> onnx(const Config& config) {
  if (!config.flag("bipolar") || config.flag("scaled") || config.flag("stochastic")) return {};
  return OnnxForm{.scales = {1}, .width = 1, .bipolar = true};
}

Range range(const Config& config) {
  const bool bipolar = config.flag("bipolar");
  return {.lowest = bipolar ? -1.0 : 0.0,
          .highest = 1,
          .least_positive = 1,
          .step = bipolar ? 2.0 : 1.0,
          .has_zero = !bipolar,
          .relative = config.flag("scaled")};
}

}  // namespace

FormatDef define() {
  return {
      .name = "binary",
      .suffix = "Binary",
      .doc =
          "q = s where x >= 0, else -s (bipolar); q = s where x > 0, else 0 (not bipolar). s is 1, "
          "or mean|x| of each first index when scaled (below rank 2: of the whole tensor). "
          "Stochastic: the upper value with probability clamp((x + 1) / 2, 0, 1).",
      .keys = {width_key(1, 1, 1),
               {.name = "stochastic",
                .initial = false,
                .doc = "draw the value instead of comparing with zero"},
               {.name = "bipolar", .initial = true, .doc = "+s and -s; false: s and 0"},
               {.name = "scaled",
                .doc = "s is mean|x|, not 1; absent: when not bipolar",
                .kind = FieldKind::Flag}},
      .derived = {"scaled"},
      .precision = {"width", "stochastic", "bipolar"},
      .complete = complete,
      .codec = codec_of<element, quantise, encode, decode>,
      .tiles = tiles,
      .measure = Measure::All,
      .share = own<share>,
      .restore = own<restore>,
      .fast = fast_loop(),
      .fast_suits = own<is_fast>,
      .onnx = onnx,
      .is_random = [](const Config& c) { return c.flag("stochastic"); },
      .bits = [](const Config& c) { return Bits{.value = 1, .shared = c.flag("scaled") ? 32 : 0}; },
      .range = range,
      .whole_shared = false,
      .samples = {"", "bipolar=false", "bipolar=true scaled=true", "bipolar=false scaled=false",
                  "stochastic=true"}};
}

}  // namespace chop::formats::binary
