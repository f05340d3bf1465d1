// Chains whose stages are of the usual kind: all of them in one sweep, a vector at a time. Compiled
// once per instruction set, from finish.cpp.
#if defined(CH_FINISH_LINE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_FINISH_LINE_INL
#undef CH_FINISH_LINE_INL
#else
#define CH_FINISH_LINE_INL
#endif

#include <limits>

#include "formats/fast-inl.hpp"
#include "runtime/conv/frozen/finish.hpp"
#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace fast = chop::formats::HWY_NAMESPACE;
namespace {

constexpr hn::RebindToSigned<Tag> kInts{};
constexpr hn::Rebind<std::uint8_t, Tag> kBytes{};
constexpr hn::Rebind<std::int8_t, Tag> kSignedBytes{};

/// Whole numbers as bytes, with a sign or without.
template <class Ints>
HWY_INLINE void store_bytes(Ints whole, bool has_sign, std::int64_t count, std::byte* to) {
  const bool all = count >= lane_count();
  if (!has_sign) {
    const auto bytes = hn::DemoteTo(kBytes, whole);
    auto* out = reinterpret_cast<std::uint8_t*>(to);
    if (all) return hn::StoreU(bytes, kBytes, out);
    return hn::BlendedStore(bytes, hn::FirstN(kBytes, static_cast<std::size_t>(count)), kBytes,
                            out);
  }
  const auto bytes = hn::DemoteTo(kSignedBytes, whole);
  auto* out = reinterpret_cast<std::int8_t*>(to);
  if (all) return hn::StoreU(bytes, kSignedBytes, out);
  hn::BlendedStore(bytes, hn::FirstN(kSignedBytes, static_cast<std::size_t>(count)), kSignedBytes,
                   out);
}

/// A value on the grid as its code. Codes below zero ask for signed bytes.
HWY_INLINE void store_codes(const Element& grid, V value, std::int64_t count, std::byte* to) {
  const V code = hn::Mul(hn::Mul(value, set(grid.scale)), set(grid.scale2));
  store_bytes(hn::ConvertTo(kInts, code), grid.low < 0, count, to);
}

/// Stages of the usual kind in the usual order: a bias or a norm, an addition, a clamp, a grid,
/// each once or not at all. What is kept is kept before the grid, after it, or both.
struct Line {
  const Stage* channel = nullptr;  ///< Bias or Norm
  const Stage* add = nullptr;
  const Stage* clamp = nullptr;
  const Stage* grid = nullptr;
  int before = -1;  ///< result kept before the grid
};

bool as_line(std::span<const Stage> stages, Line& line) {
  int rank = 0;
  for (const Stage& stage : stages) {
    int next = rank;
    const Stage** place = nullptr;
    switch (stage.kind) {
      case StageKind::Keep:
        break;
      case StageKind::Bias:
      case StageKind::Norm:
        next = 1, place = &line.channel;
        break;
      case StageKind::Add:
        next = 2, place = &line.add;
        break;
      case StageKind::Clamp:
        next = 3, place = &line.clamp;
        break;
      case StageKind::Quantise:
        next = 4, place = &line.grid;
        break;
    }
    if (next < rank || (place != nullptr && *place != nullptr)) return false;
    // Something kept half-way would have to be written where the line does not write.
    if (line.before >= 0 && next < 4) return false;
    rank = next;
    if (place != nullptr) *place = &stage;
    if (stage.output >= 0 && stage.kind != StageKind::Quantise) line.before = stage.output;
  }
  return line.grid == nullptr || !line.grid->element.floor;
}

/// One vector of a line; `channel` and `at` count from the first channel of the place.
template <bool kNorm, bool kAdd, bool kGrid>
struct LineRun {
  const Line& line;
  fast::Fixed grid;
  V low, high;
  const float *a, *b, *c;
  const float* other;
  float* before;
  float* values;
  std::byte* codes;

  LineRun(const Line& of, const Spot& spot, const KernelArgs& args)
      : line(of),
        grid(of.grid == nullptr ? Element{} : of.grid->element),
        low(set(of.clamp == nullptr ? -std::numeric_limits<float>::infinity() : of.clamp->low)),
        high(set(of.clamp == nullptr ? std::numeric_limits<float>::infinity() : of.clamp->high)),
        a(of.channel == nullptr ? nullptr : of.channel->a.data() + spot.channel),
        b(kNorm ? of.channel->b.data() + spot.channel : nullptr),
        c(kNorm ? of.channel->c.data() + spot.channel : nullptr),
        other(kAdd ? args.input(of.add->operand) : nullptr),
        before(of.before < 0 ? nullptr : args.output(static_cast<std::size_t>(of.before))),
        values(nullptr),
        codes(nullptr) {
    if (!kGrid || of.grid->output < 0) return;
    const auto output = static_cast<std::size_t>(of.grid->output);
    if (of.grid->codes)
      codes = args.out[output];
    else
      values = args.output(output);
  }

  HWY_INLINE void step(V x, std::int64_t channel, std::int64_t at, std::int64_t count) const {
    const bool all = count >= lane_count();
    const M mask = first(count);
    const auto load = [&](const float* from) {
      return all ? hn::LoadU(kTag, from) : hn::MaskedLoad(mask, kTag, from);
    };
    const auto store = [&](V value, float* to) {
      all ? hn::StoreU(value, kTag, to) : hn::BlendedStore(value, mask, kTag, to);
    };
    if constexpr (kNorm)
      x = hn::MulAdd(hn::Sub(x, load(a + channel)), load(b + channel), load(c + channel));
    else if (a != nullptr)
      x = hn::Add(x, load(a + channel));
    if constexpr (kAdd) x = hn::Add(x, load(other + at));
    x = where(hn::Lt(x, low), low, where(hn::Gt(x, high), high, x));
    if (before != nullptr) store(x, before + at);
    if constexpr (kGrid) {
      if (values != nullptr) store(grid(x), values + at);
      if (codes == nullptr) return;
      // The bounds are whole, so it does not matter that they come before the rounding.
      const V scaled = hn::Mul(hn::Mul(x, grid.scale), grid.scale2);
      store_bytes(hn::NearestInt(fast::clamp_to(scaled, grid.low, grid.high)),
                  line.grid->element.low < 0, count, codes + at);
    }
  }

  void run(const Sums& sums, const Spot& spot) const {
    const std::int64_t lanes = lane_count();
    const V unscale = set(sums.unscale);
    const auto* floats = static_cast<const float*>(sums.data);
    const auto* wholes = static_cast<const std::int32_t*>(sums.data);
    for (std::int64_t p = 0; p < sums.places; ++p) {
      const std::int64_t at = (spot.place + p) * spot.row + spot.channel;
      const std::int64_t from = p * sums.channels;
      std::int64_t i = 0;
      if (sums.whole)
        for (; i + lanes <= sums.channels; i += lanes)
          step(hn::Mul(hn::ConvertTo(kTag, hn::LoadU(kInts, wholes + from + i)), unscale), i,
               at + i, lanes);
      else
        for (; i + lanes <= sums.channels; i += lanes)
          step(hn::LoadU(kTag, floats + from + i), i, at + i, lanes);
      if (i == sums.channels) continue;
      const M mask = first(sums.channels - i);
      const V x = sums.whole
                      ? hn::Mul(hn::ConvertTo(kTag, hn::MaskedLoad(hn::RebindMask(kInts, mask),
                                                                   kInts, wholes + from + i)),
                                unscale)
                      : hn::MaskedLoad(mask, kTag, floats + from + i);
      step(x, i, at + i, sums.channels - i);
    }
  }
};

template <bool kNorm, bool kAdd>
void run_line(const Line& line, const Sums& sums, const Spot& spot, const KernelArgs& args) {
  if (line.grid != nullptr)
    LineRun<kNorm, kAdd, true>(line, spot, args).run(sums, spot);
  else
    LineRun<kNorm, kAdd, false>(line, spot, args).run(sums, spot);
}

void finish_line(const Line& line, Sums sums, Spot spot, const KernelArgs& args) {
  // Where nothing goes by channel, places are as good as channels.
  if (line.channel == nullptr && sums.channels == spot.row) {
    sums.channels *= sums.places;
    spot = {.place = 0, .channel = spot.place * spot.row, .row = 0};
    sums.places = 1;
  }
  const bool norm = line.channel != nullptr && line.channel->kind == StageKind::Norm;
  if (norm)
    line.add != nullptr ? run_line<true, true>(line, sums, spot, args)
                        : run_line<true, false>(line, sums, spot, args);
  else
    line.add != nullptr ? run_line<false, true>(line, sums, spot, args)
                        : run_line<false, false>(line, sums, spot, args);
}

}  // namespace
}  // namespace chop::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_FINISH_LINE_INL
