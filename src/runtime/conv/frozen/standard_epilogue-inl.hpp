// Epilogues of the standard form, specialised: Bias or Norm, Add, Clamp, Quantise, each at most
// once and in this order. Compiled once per instruction set, from apply_epilogue.cpp.
#if defined(CH_STANDARD_EPILOGUE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_STANDARD_EPILOGUE_INL
#undef CH_STANDARD_EPILOGUE_INL
#else
#define CH_STANDARD_EPILOGUE_INL
#endif

#include "formats/vector-inl.hpp"
#include "runtime/conv/frozen/apply_epilogue.hpp"
#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace fast = chop::formats::HWY_NAMESPACE;
namespace {

constexpr hn::RebindToSigned<Tag> kInts{};
constexpr hn::Rebind<std::uint8_t, Tag> kBytes{};
constexpr hn::Rebind<std::int8_t, Tag> kSignedBytes{};

/// Integers as bytes, signed or unsigned.
template <class Ints>
HWY_INLINE void store_bytes(Ints integers, bool is_signed, std::int64_t count, std::byte* to) {
  const bool all = count >= lane_count();
  if (!is_signed) {
    const auto bytes = hn::DemoteTo(kBytes, integers);
    auto* out = reinterpret_cast<std::uint8_t*>(to);
    if (all) return hn::StoreU(bytes, kBytes, out);
    return hn::BlendedStore(bytes, hn::FirstN(kBytes, static_cast<std::size_t>(count)), kBytes,
                            out);
  }
  const auto bytes = hn::DemoteTo(kSignedBytes, integers);
  auto* out = reinterpret_cast<std::int8_t*>(to);
  if (all) return hn::StoreU(bytes, kSignedBytes, out);
  hn::BlendedStore(bytes, hn::FirstN(kSignedBytes, static_cast<std::size_t>(count)), kSignedBytes,
                   out);
}

/// Values on the grid as its integers. A grid that goes below zero asks for signed bytes.
HWY_INLINE void store_quantised(const Grid& grid, V value, std::int64_t count, std::byte* to) {
  const V integer = hn::Mul(value, set(grid.scale()));
  store_bytes(hn::ConvertTo(kInts, integer), grid.low < 0, count, to);
}

/// An epilogue of the standard form; ops it lacks are null.
struct StandardEpilogue {
  const EpilogueOp* channel = nullptr;  ///< Bias or Norm
  const EpilogueOp* add = nullptr;
  const EpilogueOp* clamp = nullptr;
  const EpilogueOp* quantise = nullptr;
  int before = -1;  ///< the result that holds the values before Quantise; -1: none

  StandardEpilogue(std::span<const EpilogueOp> ops, const StandardForm& form)
      : before(form.before) {
    const auto op = [&](int i) { return i < 0 ? nullptr : &ops[static_cast<std::size_t>(i)]; };
    channel = op(form.channel);
    add = op(form.add);
    clamp = op(form.clamp);
    quantise = op(form.quantise);
  }
};

/// How values come onto the grid: not at all, times 1 / step where that is exact, divided by step.
enum class Onto : std::uint8_t { Nothing, Multiplied, Divided };

/// A standard epilogue with the addresses of one tile; what it has is known when it is compiled.
template <bool kNorm, bool kAdd, Onto kOnto>
struct StandardRun {
  const StandardEpilogue& standard;
  fast::OnGrid grid;
  V low, high;
  const float *a, *b, *c;
  const float* other;
  float* before;
  float* values;
  std::byte* bytes;

  StandardRun(const StandardEpilogue& of, const TileOrigin& origin, const KernelArgs& args)
      : standard(of),
        grid(of.quantise == nullptr ? Grid{} : of.quantise->grid),
        low(set(of.clamp == nullptr ? -std::numeric_limits<float>::infinity() : of.clamp->low)),
        high(set(of.clamp == nullptr ? std::numeric_limits<float>::infinity() : of.clamp->high)),
        a(of.channel == nullptr ? nullptr : of.channel->a.data() + origin.channel),
        b(kNorm ? of.channel->b.data() + origin.channel : nullptr),
        c(kNorm ? of.channel->c.data() + origin.channel : nullptr),
        other(kAdd ? args.input(of.add->operand) : nullptr),
        before(of.before < 0 ? nullptr : args.output(static_cast<std::size_t>(of.before))),
        values(nullptr),
        bytes(nullptr) {
    if (kOnto == Onto::Nothing || of.quantise->output < 0) return;
    const auto output = static_cast<std::size_t>(of.quantise->output);
    if (of.quantise->integers)
      bytes = args.out[output];
    else
      values = args.output(output);
  }

  /// One vector; `channel` counts from the first of the tile, `at` elements of the tensors.
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
    x = fast::clamp_to(x, low, high);
    if (before != nullptr) store(x, before + at);
    if constexpr (kOnto != Onto::Nothing) {
      if (values != nullptr) {
        if constexpr (kOnto == Onto::Divided)
          store(fast::OnGridDivided(grid)(x), values + at);
        else
          store(grid(x), values + at);
      }
      if (bytes == nullptr) return;
      // The bounds are integers, so it does not matter that they come before the rounding.
      const V scaled = hn::Mul(x, grid.scale);
      store_bytes(hn::NearestInt(fast::clamp_to(scaled, grid.low, grid.high)),
                  standard.quantise->grid.low < 0, count, bytes + at);
    }
  }

  void run(const Accumulators& acc, const TileOrigin& origin) const {
    const std::int64_t lanes = lane_count();
    const V unscale = set(acc.unscale);
    const auto* floats = static_cast<const float*>(acc.data);
    const auto* integers = static_cast<const std::int32_t*>(acc.data);
    const std::int64_t channels = acc.channels;
    for (std::int64_t p = 0; p < acc.positions; ++p) {
      const std::int64_t at = (origin.position + p) * origin.stride + origin.channel;
      const std::int64_t from = p * channels;
      std::int64_t i = 0;
      if (acc.integers)
        for (; i + lanes <= channels; i += lanes)
          step(hn::Mul(hn::ConvertTo(kTag, hn::LoadU(kInts, integers + from + i)), unscale), i,
               at + i, lanes);
      else
        for (; i + lanes <= channels; i += lanes)
          step(hn::LoadU(kTag, floats + from + i), i, at + i, lanes);
      if (i == channels) continue;
      const M mask = first(channels - i);
      const V x = acc.integers
                      ? hn::Mul(hn::ConvertTo(kTag, hn::MaskedLoad(hn::RebindMask(kInts, mask),
                                                                   kInts, integers + from + i)),
                                unscale)
                      : hn::MaskedLoad(mask, kTag, floats + from + i);
      step(x, i, at + i, channels - i);
    }
  }
};

template <bool kNorm, bool kAdd>
void run_standard(const StandardEpilogue& standard, const Accumulators& acc,
                  const TileOrigin& origin, const KernelArgs& args) {
  if (standard.quantise == nullptr)
    StandardRun<kNorm, kAdd, Onto::Nothing>(standard, origin, args).run(acc, origin);
  else if (standard.quantise->grid.is_binary())
    StandardRun<kNorm, kAdd, Onto::Multiplied>(standard, origin, args).run(acc, origin);
  else
    StandardRun<kNorm, kAdd, Onto::Divided>(standard, origin, args).run(acc, origin);
}

void run_standard(const StandardEpilogue& standard, const Accumulators& acc,
                  const TileOrigin& origin, const KernelArgs& args) {
  const bool norm = standard.channel != nullptr && standard.channel->kind == EpilogueKind::Norm;
  if (norm)
    standard.add != nullptr ? run_standard<true, true>(standard, acc, origin, args)
                            : run_standard<true, false>(standard, acc, origin, args);
  else
    standard.add != nullptr ? run_standard<false, true>(standard, acc, origin, args)
                            : run_standard<false, false>(standard, acc, origin, args);
}

void apply_standard(const StandardEpilogue& standard, const Accumulators& acc,
                    const TileOrigin& origin, const KernelArgs& args) {
  if (standard.channel != nullptr || acc.channels != origin.stride)
    return run_standard(standard, acc, origin, args);
  // Without values by channel, all positions are one long row of channels.
  Accumulators row = acc;
  row.channels *= row.positions;
  row.positions = 1;
  run_standard(standard, row, {.channel = origin.position * origin.stride}, args);
}

}  // namespace
}  // namespace chop::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_STANDARD_EPILOGUE_INL
