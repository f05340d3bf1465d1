// Everything the toolkit knows about one number format, in one struct.
//
// A FormatDef is the only place that may know a format by name: quantisation, training,
// calibration, reports and hardware ask it. It works on float32 values one at a time; values
// that share an exponent or a scale form groups (tiles.hpp), each with its own Element.
//
// Rules that hold for every format:
// * NaN stays NaN and has no code; infinity saturates, and counts as the largest float where
//   a group looks for its largest magnitude. A NaN does not touch the rest of its group.
// * The fast loops give the bits of `quantise`, for every input.
// * decode(encode(x)) gives the bits of quantise(x), but for two things codes cannot hold:
//   the sign of a zero where codes are two's complement, and the values near zero of formats
//   that pass them through (`passes_tiny`), whose code is zero.
//
// A format keeps its numbers in a struct of its own, and own.hpp lets its functions take it.
#pragma once

#include "formats/config.hpp"
#include "formats/element.hpp"
#include "formats/fast.hpp"
#include "formats/grid.hpp"
#include "formats/tiles.hpp"
#include "ir/graph.hpp"

namespace chop::formats {

/// What a group must know of its values before it can quantise them.
enum class Measure : std::uint8_t {
  Nothing,  ///< no groups, or what they share is learned
  AbsMax,   ///< the largest magnitude
  All       ///< all of them; such groups are contiguous
};

struct GroupFacts {
  float abs_max = 0;  ///< finite
  std::span<const float> values = {};
};

/// How dL/dx follows from dL/dq.
enum class GradientRule : std::uint8_t {
  StraightThrough,  ///< dx = dq
  Clipped,          ///< dx = dq where |x| <= 1, else 0
  Learned           ///< as the learned step of a `grid` wants it; the step gets a gradient too
};
std::string_view name_of(GradientRule rule);

/// The numbers a format can hold. Where values share a scale that data decide, `relative` is
/// true and the numbers are for a shared scale or exponent of 1 (2^0).
struct Range {
  double lowest = 0;
  double highest = 0;
  double least_positive = 0;  ///< smallest number above zero
  double step = 0;            ///< distance between neighbours; 0 when it varies
  bool has_zero = true;
  bool relative = false;
};

struct Bits {
  int value = 32;  ///< of each value
  int shared = 0;  ///< of each group beside its values
};

/// How ONNX and QONNX write a format whose numbers are whole numbers times a scale:
/// s · (clamp(round(x / s) + zero, low, high) - zero), with the bounds of `width` bits.
struct OnnxForm {
  std::vector<double> scales =
      {};        ///< one, or one per index of `axis`; none: nobody knows them yet
  int axis = 0;  ///< negative ones count from the end
  int zero = 0;
  int width = 8;
  bool is_signed = true;
  bool narrow = false;  ///< without the lowest code (signed) or the highest (unsigned)
  Rounding rounding = Rounding::HalfEven;
  bool bipolar = false;  ///< only signs: s where x >= 0, else -s
};

/// A key that data may decide, and the values worth trying for data of that magnitude.
struct Calibration {
  std::string_view key = {};
  std::vector<Attr> (*candidates)(const Config&, double abs_max) = nullptr;
  bool when_absent = false;  ///< data decide also when a configuration does not mention it
};

/// What a format makes of values; codec_of<...> (own.hpp) has it from functions of its own struct.
struct Codec {
  /// The element of the whole tensor, or what all groups have in common.
  Element (*element)(const Config&) = nullptr;
  /// The definition. `index` is the value's index in the tensor, for random formats.
  float (*quantise)(float x, const Element&, std::uint64_t index) = nullptr;
  std::int64_t (*encode)(float x, const Element&, std::uint64_t index) = nullptr;
  float (*decode)(std::int64_t code, const Element&) = nullptr;
};

struct FormatDef {
  std::string_view name;
  std::string_view suffix;  ///< of derived class names: "Integer" in LinearInteger
  std::string_view doc;     ///< formula first, then prose
  std::vector<std::string_view> aliases = {};
  std::vector<Field> keys = {};  ///< one without a default may be absent, unless it is required
  std::vector<std::string_view> derived = {};    ///< keys computed from the others where absent
  std::vector<std::string_view> precision = {};  ///< keys in the metadata's list of precisions
  /// Derived keys filled in, keys checked against each other.
  Status (*complete)(Config&) = nullptr;

  Codec codec = {};
  /// The groups of a tensor, or nothing when every value stands alone; an error when the
  /// shape cannot be cut as configured. Absent for formats that never have groups.
  Result<std::optional<Tiles>> (*tiles)(const Config&, const Shape&) = nullptr;
  Measure measure = Measure::Nothing;
  bool zero_takes_least = false;  ///< an all-zero group counts as the smallest other one
  /// Completes the element of a group from its facts. A whole number that follows abs_max changes
  /// at most once in an octave: share_table.hpp looks it up.
  void (*share)(Element&, const GroupFacts&) = nullptr;
  /// The same from the stored shared value, for decoding.
  void (*restore)(Element&, float shared) = nullptr;

  /// Loops over vectors, from the vector form in NAME-simd.hpp; absent: value by value.
  FastLoop fast = {};
  /// Whether the loops give its bits with these numbers; absent: always.
  bool (*fast_suits)(const Element&) = nullptr;

  /// The grid of a format whose numbers are one, as integer kernels and learned steps need it.
  Grid (*grid)(const Element&) = nullptr;
  /// Nothing when ONNX has no nodes for it as configured. Where training learned the scales, they
  /// replace these.
  std::optional<OnnxForm> (*onnx)(const Config&) = nullptr;
  /// Whether values are drawn; absent: never.
  bool (*is_random)(const Config&) = nullptr;
  std::string_view shared_bits = {};  ///< the key that says how many bits a group takes by itself
  /// Absent: the key width, and `shared_bits`.
  Bits (*bits)(const Config&) = nullptr;
  Range (*range)(const Config&) = nullptr;
  GradientRule gradient = GradientRule::StraightThrough;
  /// Name of the parameter training learns, one number per group: also a key that gives it.
  std::string_view learned = {};
  /// Where learning starts, from the mean magnitude of the group.
  float (*initial)(const Element&, double abs_mean) = nullptr;
  Calibration calibration = {};
  bool whole_shared = true;  ///< the shared value is a whole number; false: a float32 scale

  bool passes_tiny = false;  ///< magnitudes up to 1e-8 stay as they are
  bool idempotent = false;   ///< what it has made it leaves alone
  /// Configurations that the tests run, from everyday to extreme: "width=8 block_size=[1,16]".
  std::vector<std::string_view> samples = {};

  bool is_fast(const Element& e) const {
    return fast.run != nullptr && (fast_suits == nullptr || fast_suits(e));
  }
};

}  // namespace chop::formats
