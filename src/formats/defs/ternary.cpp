// q = α where x > Δ, -α where x < -Δ, else 0, with Δ = 0.75 · mean|x| of each first index.
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

/// `epsilon` holds a threshold that was given, or -1; `strict` says that α is wanted.
Element element(const Config& config) {
  Element e{.kind = Kind::Ternary};
  e.strict = config.flag("scaling_factor");
  e.high = 1;
  e.epsilon = -1;
  if (config.has("mean")) e.epsilon = kOfMean * static_cast<float>(config.real("mean"));
  if (config.has("median")) e.epsilon = static_cast<float>(config.real("median"));
  if (config.has("max")) e.epsilon = static_cast<float>(kOfMax * config.real("max"));
  e.low = e.epsilon;
  return e;
}

void restore(Element& e, float shared) {
  e.shared = shared;
  e.high = e.strict ? shared : 1.0F;
}

void share(Element& e, const GroupFacts& facts) {
  e.low = e.epsilon >= 0 ? e.epsilon : kOfMean * abs_mean(facts.values);
  restore(e, e.strict ? abs_mean(facts.values, e.low) : 1.0F);
}

float quantise(float x, const Element& e, std::uint64_t /*index*/) {
  if (std::isnan(x)) return x;
  return x > e.low ? e.high : x < -e.low ? -e.high : 0.0F;
}

std::int64_t encode(float x, const Element& e, std::uint64_t /*index*/) {
  return x > e.low ? 1 : x < -e.low ? -1 : 0;
}

float decode(std::int64_t code, const Element& e) {
  return code > 0 ? e.high : code < 0 ? -e.high : 0.0F;
}

/// A given threshold and no factor leave nothing to share.
Result<std::optional<Tiles>> tiles(const Config& config, const Shape& shape) {
  if (!config.flag("scaling_factor") && element(config).epsilon >= 0) return std::optional<Tiles>();
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
  return {
      .name = "ternary",
      .suffix = "Ternary",
      .doc =
          "q = α where x > Δ, -α where x < -Δ, else 0. Δ = 0.75 · mean|x| of each first index "
          "(below "
          "rank 2: of the whole tensor), unless a mean, median or max of the data is given: 0.75 · "
          "mean, median, or 0.05 · max. α is 1, or with scaling_factor the mean of |x| above Δ.",
      .keys = {width_key(2, 2, 2),
               {.name = "scaling_factor",
                .initial = false,
                .doc = "α is the mean of |x| above Δ, not 1"},
               threshold("mean", "mean of |x|: the threshold is 0.75 of it"),
               threshold("median", "median of |x|: the threshold"),
               threshold("max", "largest |x|: the threshold is 0.05 of it")},
      .precision = {"width", "scaling_factor", "mean", "median", "max"},
      .complete = complete,
      .element = element,
      .tiles = tiles,
      .measure = Measure::All,
      .share = share,
      .restore = restore,
      .quantise = quantise,
      .encode = encode,
      .decode = decode,
      .bits =
          [](const Config& c) {
            return Bits{.value = 2, .shared = c.flag("scaling_factor") ? 32 : 0};
          },
      .range = range,
      .whole_shared = false};
}

}  // namespace chop::formats::ternary
