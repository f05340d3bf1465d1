// q = α where x > Δ, -α where x < -Δ, else 0, with Δ = 0.75 · mean|x| of each first index.
#include "formats/defs/ternary-simd.hpp"
#include "formats/numbers.hpp"

namespace chop::formats::ternary {
namespace {

constexpr float kOfMean = 0.75F;
constexpr double kOfMax = 0.05;

Status complete(Config& config) {
  const int given = int{config.has("mean")} + int{config.has("median")} + int{config.has("max")};
  if (given < 2) return {};
  return Error{.what = "format 'ternary': more than one of mean, median and max is given",
               .hint = "the threshold is 0.75 · mean, the median, or 0.05 · max: give one"};
}

Levels element(const Config& config) {
  Levels e{.scaled = config.flag("scaling_factor")};
  if (config.has("mean")) e.given = kOfMean * static_cast<float>(config.real("mean"));
  if (config.has("median")) e.given = static_cast<float>(config.real("median"));
  if (config.has("max")) e.given = static_cast<float>(kOfMax * config.real("max"));
  e.threshold = e.given;
  return e;
}

void restore(Levels& e, float shared) {
  e.shared = shared;
  e.high = e.scaled ? shared : 1.0F;
}

void share(Levels& e, const GroupFacts& facts) {
  e.threshold = e.given >= 0 ? e.given : kOfMean * abs_mean(facts.values);
  restore(e, e.scaled ? abs_mean(facts.values, e.threshold) : 1.0F);
}

float quantise(float x, const Levels& e) {
  if (std::isnan(x)) return x;
  return x > e.threshold ? e.high : x < -e.threshold ? -e.high : 0.0F;
}

std::int64_t encode(float x, const Levels& e) {
  return x > e.threshold ? 1 : x < -e.threshold ? -1 : 0;
}

float decode(std::int64_t code, const Levels& e) {
  return code > 0 ? e.high : code < 0 ? -e.high : 0.0F;
}

/// A given threshold and no factor leave nothing to share.
Result<std::optional<Tiles>> tiles(const Config& config, const Shape& shape) {
  if (!config.flag("scaling_factor") && element(config).given >= 0) return std::optional<Tiles>();
  return std::optional(Tiles::leading(shape));
}

Range range(const Config& config) {
  return {.lowest = -1,
          .highest = 1,
          .least_positive = 1,
          .step = 1,
          .relative = config.flag("scaling_factor")};
}

Field threshold(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .kind = FieldKind::Real, .bounds = {.least = 0}};
}

}  // namespace

FormatDef define() {
  return {.name = "ternary",
          .suffix = "Ternary",
          .doc =
              "q = α where x > Δ, -α where x < -Δ, else 0. Δ = 0.75 · mean|x| of each first index "
              "(below rank 2: of the whole tensor), unless a mean, median or max of the data is "
              "given: 0.75 · mean, median, or 0.05 · max. α is 1, or with scaling_factor the mean "
              "of |x| above Δ.",
          .keys = {width_key(2, 2, 2),
                   {.name = "scaling_factor",
                    .initial = false,
                    .doc = "α is the mean of |x| above Δ, not 1"},
                   threshold("mean", "mean of |x|: the threshold is 0.75 of it"),
                   threshold("median", "median of |x|: the threshold"),
                   threshold("max", "largest |x|: the threshold is 0.05 of it")},
          .precision = {"width", "scaling_factor", "mean", "median", "max"},
          .complete = complete,
          .codec = codec_of<element, quantise, encode, decode>,
          .tiles = tiles,
          .measure = Measure::All,
          .share = own<share>,
          .restore = own<restore>,
          .fast = fast_loop(),
          .bits =
              [](const Config& c) {
                return Bits{.value = 2, .shared = c.flag("scaling_factor") ? 32 : 0};
              },
          .range = range,
          .whole_shared = false,
          .samples = {"", "scaling_factor=true", "mean=0.8", "max=4.0 scaling_factor=true"}};
}

}  // namespace chop::formats::ternary
