// Applies an epilogue to a tile of accumulators, a vector of channels at a time.
//
// Most epilogues are of one form (standard_epilogue-inl.hpp) and run through code specialised for
// it. Any other order of ops takes the general way below: a block of up to four vectors is loaded,
// every op transforms it in registers, and values that are results of the step are stored.
#include "runtime/conv/frozen/apply_epilogue.hpp"

#include "runtime/elementwise.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/conv/frozen/apply_epilogue.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/conv/frozen/standard_epilogue-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace fast = chop::formats::HWY_NAMESPACE;
namespace {

/// kVectors vectors of channels at one position; of the last vector `mask` counts.
template <int kVectors>
struct Block {
  std::int64_t lanes;
  M mask;
  std::int64_t last_count;
  V v[kVectors];

  HWY_INLINE V load(const float* from, int i) const {
    return i + 1 == kVectors ? hn::MaskedLoad(mask, kTag, from + i * lanes)
                             : hn::LoadU(kTag, from + i * lanes);
  }
  HWY_INLINE void fetch(const Accumulators& acc, std::int64_t at) {
    if (!acc.integers) {
      const auto* from = static_cast<const float*>(acc.data) + at;
      for (int i = 0; i < kVectors; ++i) v[i] = load(from, i);
      return;
    }
    const auto* from = static_cast<const std::int32_t*>(acc.data) + at;
    const V unscale = set(acc.unscale);
    const auto ints = hn::RebindMask(kInts, mask);
    for (int i = 0; i < kVectors; ++i) {
      const auto sum = i + 1 == kVectors ? hn::MaskedLoad(ints, kInts, from + i * lanes)
                                         : hn::LoadU(kInts, from + i * lanes);
      v[i] = hn::Mul(hn::ConvertTo(kTag, sum), unscale);
    }
  }
  template <class F>
  HWY_INLINE void each(F f) {
    for (int i = 0; i < kVectors; ++i) v[i] = f(v[i], i);
  }
  /// `c` counts channels of the whole tensor, `at` its elements.
  HWY_INLINE void apply(const EpilogueOp& op, std::int64_t c, std::int64_t at,
                        const KernelArgs& args) {
    switch (op.kind) {
      case EpilogueKind::Identity:
        return;
      case EpilogueKind::Bias:
        return each([&](V x, int i) { return hn::Add(x, load(op.a.data() + c, i)); });
      case EpilogueKind::Norm:
        return each([&](V x, int i) {
          return hn::MulAdd(hn::Sub(x, load(op.a.data() + c, i)), load(op.b.data() + c, i),
                            load(op.c.data() + c, i));
        });
      case EpilogueKind::Add: {
        const float* other = args.input(op.operand) + at;
        return each([&](V x, int i) { return hn::Add(x, load(other, i)); });
      }
      case EpilogueKind::Clamp:
        if (op.high == std::numeric_limits<float>::infinity())
          return each([&](V x, int) { return where(hn::Lt(x, set(op.low)), set(op.low), x); });
        return each([&](V x, int) {
          return where(hn::Lt(x, set(op.low)), set(op.low),
                       where(hn::Gt(x, set(op.high)), set(op.high), x));
        });
      case EpilogueKind::Quantise:
        return fast::with_grid(op.grid,
                               [&](const auto& grid) { each([&](V x, int) { return grid(x); }); });
    }
  }
  HWY_INLINE void store(const EpilogueOp& op, std::int64_t at, const KernelArgs& args) const {
    const auto output = static_cast<std::size_t>(op.output);
    if (op.integers) {
      std::byte* to = args.out[output] + at;
      for (int i = 0; i < kVectors; ++i)
        store_quantised(op.grid, v[i], i + 1 == kVectors ? last_count : lanes, to + i * lanes);
      return;
    }
    float* to = args.output(output) + at;
    for (int i = 0; i + 1 < kVectors; ++i) hn::StoreU(v[i], kTag, to + i * lanes);
    hn::BlendedStore(v[kVectors - 1], mask, kTag, to + (kVectors - 1) * lanes);
  }
};

template <int kVectors>
HWY_INLINE void apply_to_block(std::span<const EpilogueOp> epilogue, const Accumulators& acc,
                               std::int64_t from, std::int64_t left, std::int64_t channel,
                               std::int64_t at, const KernelArgs& args) {
  const std::int64_t lanes = lane_count();
  const std::int64_t last = std::min(lanes, left - (kVectors - 1) * lanes);
  Block<kVectors> block{.lanes = lanes, .mask = first(last), .last_count = last, .v = {}};
  block.fetch(acc, from);
  for (const EpilogueOp& op : epilogue) {
    block.apply(op, channel, at, args);
    if (op.output >= 0) block.store(op, at, args);
  }
}

void apply_any(const PreparedEpilogue& prepared, const Accumulators& acc, const TileOrigin& origin,
               const KernelArgs& args) {
  const Epilogue& epilogue = prepared.ops;
  if (prepared.standard)
    return apply_standard(StandardEpilogue(epilogue, *prepared.standard), acc, origin, args);
  const std::int64_t lanes = lane_count();
  for (std::int64_t p = 0; p < acc.positions; ++p)
    for (std::int64_t c = 0; c < acc.channels; c += 4 * lanes) {
      const std::int64_t left = acc.channels - c;
      const std::int64_t from = p * acc.channels + c;
      const std::int64_t channel = origin.channel + c;
      const std::int64_t at = (origin.position + p) * origin.stride + channel;
      if (left > 3 * lanes)
        apply_to_block<4>(epilogue, acc, from, left, channel, at, args);
      else if (left > 2 * lanes)
        apply_to_block<3>(epilogue, acc, from, left, channel, at, args);
      else if (left > lanes)
        apply_to_block<2>(epilogue, acc, from, left, channel, at, args);
      else
        apply_to_block<1>(epilogue, acc, from, left, channel, at, args);
    }
}

void quantise_all(const Grid& grid, const float* x, std::int64_t count, std::byte* to) {
  const std::int64_t lanes = lane_count();
  fast::with_grid(grid, [&](const auto& on_grid) {
    for (std::int64_t i = 0; i < count; i += lanes) {
      const std::int64_t left = count - i;
      const V value =
          left >= lanes ? hn::LoadU(kTag, x + i) : hn::MaskedLoad(first(left), kTag, x + i);
      store_quantised(grid, on_grid(value), left, to + i);
    }
  });
}

}  // namespace
}  // namespace chop::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime {
HWY_EXPORT(apply_any);
HWY_EXPORT(quantise_all);
namespace {

/// The form of an epilogue that has the standard one.
std::optional<StandardForm> standard_form(const Epilogue& epilogue) {
  StandardForm form;
  int rank = 0;
  for (int i = 0; i < static_cast<int>(epilogue.size()); ++i) {
    const EpilogueOp& op = epilogue[static_cast<std::size_t>(i)];
    int next = rank;
    int* slot = nullptr;
    switch (op.kind) {
      case EpilogueKind::Identity:
        break;
      case EpilogueKind::Bias:
      case EpilogueKind::Norm:
        next = 1, slot = &form.channel;
        break;
      case EpilogueKind::Add:
        next = 2, slot = &form.add;
        break;
      case EpilogueKind::Clamp:
        next = 3, slot = &form.clamp;
        break;
      case EpilogueKind::Quantise:
        next = 4, slot = &form.quantise;
        break;
    }
    if (next < rank || (slot != nullptr && *slot >= 0)) return {};
    // A result in the middle would have to be stored where the specialised code stores nothing.
    if (form.before >= 0 && next < 4) return {};
    rank = next;
    if (slot != nullptr) *slot = i;
    if (op.output >= 0 && op.kind != EpilogueKind::Quantise) form.before = op.output;
  }
  if (form.quantise >= 0 &&
      epilogue[static_cast<std::size_t>(form.quantise)].grid.rounding == Rounding::Down)
    return {};
  return form;
}

}  // namespace

PreparedEpilogue::PreparedEpilogue(Epilogue epilogue)
    : ops(std::move(epilogue)), standard(standard_form(ops)) {}

void apply_epilogue(const PreparedEpilogue& epilogue, const Accumulators& acc,
                    const TileOrigin& origin, const KernelArgs& args) {
  HWY_DYNAMIC_DISPATCH(apply_any)(epilogue, acc, origin, args);
}

RowEpilogue::RowEpilogue(std::int64_t channels, Epilogue epilogue) : channels_(channels) {
  constexpr std::int64_t kFloats = 64;  // worth the overhead of a row
  std::int64_t together = 1;
  for (; together < kRows && (channels * together % 16 != 0 || channels * together < kFloats);
       together *= 2)
    ++doublings_;
  for (EpilogueOp& op : epilogue)
    for (std::vector<float>* list : {&op.a, &op.b, &op.c}) {
      const std::vector<float> once = *list;
      for (std::int64_t i = 1; i < together; ++i)
        list->insert(list->end(), once.begin(), once.end());
    }
  epilogue_ = PreparedEpilogue(std::move(epilogue));
}

void RowEpilogue::run(const float* data, std::int64_t row, std::int64_t rows,
                      const KernelArgs& args) const {
  const std::int64_t wide = rows >> doublings_;
  const std::int64_t width = channels_ << doublings_;
  if (wide > 0)
    apply_epilogue(epilogue_,
                   {.data = data + row * channels_, .positions = wide, .channels = width},
                   {.position = row >> doublings_, .stride = width}, args);
  const std::int64_t rest = row + (wide << doublings_);
  if (rest < row + rows)
    apply_epilogue(
        epilogue_,
        {.data = data + rest * channels_, .positions = row + rows - rest, .channels = channels_},
        {.position = rest, .stride = channels_}, args);
}

Kernel epilogue_kernel(std::int64_t rows, std::int64_t channels, Epilogue epilogue) {
  const std::int64_t wanted = kChunk / std::max<std::int64_t>(1, channels);
  const std::int64_t block =
      std::max(RowEpilogue::kRows, wanted / RowEpilogue::kRows * RowEpilogue::kRows);
  return [=, epilogue = RowEpilogue(channels, std::move(epilogue))](const KernelArgs& args,
                                                                    const RunContext& context) {
    parallel_for(context.threads, (rows + block - 1) / block, [&](std::int64_t task) {
      epilogue.run(args.input(0), task * block, std::min(block, rows - task * block), args);
    });
  };
}

void quantise_to_bytes(const Grid& grid, const float* x, std::int64_t count, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(quantise_all)(grid, x, count, to);
}

bool fits_byte(const Grid& grid) {
  return (grid.low >= -128 && grid.high <= 127) || (grid.low >= 0 && grid.high <= 255);
}

}  // namespace chop::runtime
#endif
