// q = 2^S · v with v the nearest finite minifloat (e exponent, f fraction bits) to x / 2^S, and
// S = ⌊log2 max|x|⌋ - (2^e - 1 - bias) of each block, bias = 2^(e-1) - 1.
#include "formats/defs/mxfp-simd.hpp"
#include "formats/groups.hpp"

namespace chop::formats::mxfp {
namespace {

/// Until restore() adds the shared exponent, e_min and e_max are those of the element.
Block element(const Config& config) {
  Block e;
  const int bits = config.integer("exponent_width");
  const int bias = (1 << (bits - 1)) - 1;
  e.mantissa = config.integer("frac_width");
  e.e_min = 1 - bias;
  e.e_max = (1 << bits) - 1 - bias;
  e.bias = (1 << (config.integer("scale_exp_bits") - 1)) - 1;
  return e;
}

void restore(Block& e, float shared) {
  const int scale = static_cast<int>(shared) - e.bias;
  e.shared = shared;
  e.e_min += scale;
  e.e_max += scale;
  e.high = static_cast<float>(std::ldexp(2 - std::ldexp(1.0, -e.mantissa), e.e_max));
}

void share(Block& e, const GroupFacts& facts) {
  const int wanted = exponent_of(std::fmax(facts.abs_max, 0x1p-126F)) - e.e_max;
  restore(e, static_cast<float>(std::clamp(wanted, -e.bias, e.bias) + e.bias));
}

/// How many steps, and the exponent of the step. Rounding up to the next power of two is a
/// carry into the exponent, as it should be.
struct Steps {
  std::int64_t count;
  int exponent;
};

Steps steps(float x, const Block& e) {
  const double a = std::fmin(std::fabs(x), e.high);
  const int exponent = a == 0 ? e.e_min : std::clamp(std::ilogb(a), e.e_min, e.e_max);
  const double count = std::nearbyint(std::ldexp(a, e.mantissa - exponent));
  return {static_cast<std::int64_t>(count), exponent - e.mantissa};
}

float quantise(float x, const Block& e) {
  if (std::isnan(x)) return x;
  const Steps s = steps(x, e);
  return std::copysign(static_cast<float>(std::ldexp(static_cast<double>(s.count), s.exponent)), x);
}

int field_bits(const Block& e) {  // e_max - e_min + 2 = 2^exponent_width
  return std::ilogb(static_cast<double>(e.e_max - e.e_min + 2));
}

std::int64_t encode(float x, const Block& e) {
  const Steps s = steps(x, e);
  // Counts from 2^f on have the implicit one: adding the field makes a carry come out right.
  const std::int64_t field = s.exponent + e.mantissa - e.e_min;
  return with_sign(x, (field << e.mantissa) + s.count, field_bits(e) + e.mantissa);
}

float decode(std::int64_t code, const Block& e) {
  const std::int64_t magnitude = code & ((std::int64_t{1} << (field_bits(e) + e.mantissa)) - 1);
  const std::int64_t field = magnitude >> e.mantissa;
  const std::int64_t fraction = magnitude & ((std::int64_t{1} << e.mantissa) - 1);
  const std::int64_t count = field == 0 ? fraction : fraction | (std::int64_t{1} << e.mantissa);
  const int exponent = e.e_min + static_cast<int>(std::max<std::int64_t>(field - 1, 0));
  return signed_as(
      code, field_bits(e) + e.mantissa,
      static_cast<float>(std::ldexp(static_cast<double>(count), exponent - e.mantissa)));
}

/// The powers of two that vectors multiply by are normal numbers.
bool is_fast(const Block& e) {
  return e.e_min - e.mantissa >= -126 && e.e_max - e.mantissa <= 126;
}

Range range(const Config& config) {
  const Block e = element(config);
  const double highest = std::ldexp(2 - std::ldexp(1.0, -e.mantissa), e.e_max);
  return {.lowest = -highest,
          .highest = highest,
          .least_positive = std::ldexp(1.0, e.e_min - e.mantissa),
          .relative = true};
}

}  // namespace

FormatDef define() {
  return row_block_format(
      {.name = "mxfp",
       .suffix = "MXFP",
       .doc = "q = 2^S · v, where v is the finite minifloat nearest to x / 2^S (ties to even; bias "
              "2^(e-1) - 1; subnormals) and S = ⌊log2 max|x|⌋ - (2^e - 1 - bias) of each block of "
              "block_size values along block_dim. All codes are numbers; beyond the largest it "
              "saturates. The last block of a row may be shorter.",
       .keys = {row_block_size_key(),
                exponent_width_key(5),
                {.name = "frac_width",
                 .doc = "bits of the fraction",
                 .required = true,
                 .kind = FieldKind::Integer,
                 .bounds = {.least = 0, .most = 10}},
                block_dim_key(),
                scale_bits_key("scale_exp_bits")},
       .precision = {"block_size", "exponent_width", "frac_width"},
       .codec = codec_of<element, quantise, encode, decode>,
       .share = own<share>,
       .restore = own<restore>,
       .fast = fast_loop(),
       .fast_suits = own<is_fast>,
       .bits =
           [](const Config& c) {
             return Bits{.value = 1 + c.integer("exponent_width") + c.integer("frac_width"),
                         .shared = c.integer("scale_exp_bits")};
           },
       .range = range,
       .idempotent = true,
       .samples = {"exponent_width=4 frac_width=3", "exponent_width=2 frac_width=1 block_size=3",
                   "exponent_width=5 frac_width=10 block_dim=0",
                   "exponent_width=1 frac_width=0 block_size=4"}});
}

}  // namespace chop::formats::mxfp
