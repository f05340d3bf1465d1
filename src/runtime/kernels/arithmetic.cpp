// add, sub, mul, div, maximum, minimum and prelu in SIMD: two tensors that broadcast, or one and
// the number `other`. Whole numbers are in whole_arithmetic.cpp.
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/arithmetic.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/simd_math-inl.hpp"

#ifndef CH_ARITHMETIC_JOB
#define CH_ARITHMETIC_JOB
namespace chop::runtime::kernels {
enum class Arithmetic : unsigned char { Add, Sub, Mul, Div, Max, Min, Prelu };
}  // namespace chop::runtime::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

template <class F>
void rows(const float* a, bool a_moves, const float* b, bool b_moves, float* y, std::int64_t count,
          F f) {
  if (a_moves && b_moves) return map(a, b, y, count, f);
  if (a_moves) {
    const V right = set(*b);
    return map(a, y, count, [&](V left) { return f(left, right); });
  }
  const V left = set(*a);
  if (b_moves) return map(b, y, count, [&](V right) { return f(left, right); });
  const float value = hn::GetLane(f(left, set(*b)));
  std::fill(y, y + count, value);
}

/// One row of y; an operand that does not move is a single number.
void arithmetic_row(Arithmetic kind, const float* a, bool a_moves, const float* b, bool b_moves,
                    float* y, std::int64_t count) {
  switch (kind) {
    case Arithmetic::Add:
      return rows(a, a_moves, b, b_moves, y, count, [](V l, V r) { return hn::Add(l, r); });
    case Arithmetic::Sub:
      return rows(a, a_moves, b, b_moves, y, count, [](V l, V r) { return hn::Sub(l, r); });
    case Arithmetic::Mul:
      return rows(a, a_moves, b, b_moves, y, count, [](V l, V r) { return hn::Mul(l, r); });
    case Arithmetic::Div:
      return rows(a, a_moves, b, b_moves, y, count, [](V l, V r) { return hn::Div(l, r); });
    case Arithmetic::Max:  // NaN wins
      return rows(a, a_moves, b, b_moves, y, count,
                  [](V l, V r) { return where(hn::Eq(l, l), where(hn::Gt(l, r), l, r), l); });
    case Arithmetic::Min:
      return rows(a, a_moves, b, b_moves, y, count,
                  [](V l, V r) { return where(hn::Eq(l, l), where(hn::Lt(l, r), l, r), l); });
    case Arithmetic::Prelu:
      return rows(a, a_moves, b, b_moves, y, count,
                  [](V l, V r) { return where(hn::Gt(l, zero()), l, hn::Mul(r, l)); });
  }
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime::kernels {
HWY_EXPORT(arithmetic_row);
namespace {

/// One long row, cut into chunks.
Kernel single_row(Arithmetic kind, bool a_moves, bool b_moves, std::int64_t count,
                  const float* other) {
  const bool constant = other != nullptr;
  return [=, value = constant ? *other : 0.0F](const KernelArgs& args, const RunContext& context) {
    const float* a = args.input(0);
    const float* b = constant ? &value : args.input(1);
    float* y = args.output();
    in_chunks(context.threads, count, [&](std::int64_t first, std::int64_t length) {
      HWY_DYNAMIC_DISPATCH(arithmetic_row)
      (kind, a_moves ? a + first : a, a_moves, b_moves ? b + first : b, b_moves, y + first, length);
    });
  };
}

/// Several rows, each with its own offset in a and b.
Kernel many_rows(Arithmetic kind, const Loops& loops) {
  const std::size_t outer = loops.depth() - 1;
  const std::int64_t row = loops.sizes[outer];
  const std::int64_t rows = loops.iterations(outer);
  const bool a_moves = loops.steps[0][outer] != 0;
  const bool b_moves = loops.steps[1][outer] != 0;
  return [=](const KernelArgs& args, const RunContext& context) {
    const std::int64_t block = std::max<std::int64_t>(1, kChunk / row);
    parallel_for(context.threads, (rows + block - 1) / block, [&](std::int64_t task) {
      for (std::int64_t r = task * block; r < std::min(rows, (task + 1) * block); ++r)
        HWY_DYNAMIC_DISPATCH(arithmetic_row)
      (kind, args.input(0) + loops.offset(0, outer, r), a_moves,
       args.input(1) + loops.offset(1, outer, r), b_moves, args.output() + r * row, row);
    });
  };
}

template <Arithmetic kKind>
Kernel make(const KernelCall& call) {
  if (!all_float(call)) return {};
  const Shape& out = call.out[0].shape;
  const std::int64_t count = numel(out);
  if (count == 0) return [](const KernelArgs& /*args*/, const RunContext& /*context*/) {};
  if (call.in.size() == 1) {
    const auto other = static_cast<float>(call.real("other"));
    return single_row(kKind, true, false, count, &other);
  }
  const Loops loops =
      merge_loops(out, {broadcast_steps(call.shape(0), out), broadcast_steps(call.shape(1), out)});
  if (loops.depth() > 1) return many_rows(kKind, loops);
  return single_row(kKind, loops.steps[0][0] != 0, loops.steps[1][0] != 0, count, nullptr);
}

Epilogue add_epilogue(const KernelCall& call, std::size_t from) {
  if (call.in.size() != 2 || call.in[0] != call.in[1]) return {};
  return {{.kind = EpilogueKind::Add, .operand = 1 - from}};
}

}  // namespace

std::vector<KernelDef> arithmetic() {
  return {{.op = "add",
           .make = make<Arithmetic::Add>,
           .layouts = same_layout,
           .epilogue = add_epilogue},
          {"sub", make<Arithmetic::Sub>, same_layout},
          {"mul", make<Arithmetic::Mul>, same_layout},
          {"div", make<Arithmetic::Div>, same_layout},
          {"maximum", make<Arithmetic::Max>, same_layout},
          {"minimum", make<Arithmetic::Min>, same_layout},
          {"prelu", make<Arithmetic::Prelu>, same_layout}};
}

}  // namespace chop::runtime::kernels
#endif
