// Loops over operands of any dtype that broadcast, a row at a time: what kernels in plain C++
// share.
#pragma once

#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/loops.hpp"

namespace chop::runtime::kernels {

/// Calls f(T{}) with the type that elements of `dtype` are stored as, truth values being bytes.
/// False for types that references do not compute in their own arithmetic: f16, bf16, u64.
template <class F>
bool with_stored_type(DType dtype, F f) {
  switch (dtype) {
    case DType::F32:
      return f(float{}), true;
    case DType::F64:
      return f(double{}), true;
    case DType::I64:
      return f(std::int64_t{}), true;
    case DType::I32:
      return f(std::int32_t{}), true;
    case DType::I16:
      return f(std::int16_t{}), true;
    case DType::I8:
      return f(std::int8_t{}), true;
    case DType::U32:
      return f(std::uint32_t{}), true;
    case DType::U16:
      return f(std::uint16_t{}), true;
    case DType::U8:
    case DType::Bool:
      return f(std::uint8_t{}), true;
    case DType::F16:
    case DType::BF16:
    case DType::U64:
      break;
  }
  return false;
}

/// One row of operands: where each begins, and whether it moves along the row or is a single
/// number.
struct Row {
  const KernelArgs& args;
  std::span<const std::int64_t> at;  ///< by operand, in elements
  std::span<const bool> moves;
  std::int64_t y;  ///< where the row of the result begins
  std::int64_t count;

  template <class T>
  const T* in(std::size_t operand) const {
    return args.input<T>(operand) + at[operand];
  }
  template <class T>
  T* out() const {
    return args.output<T>() + y;
  }
};

/// Runs `row` for every row of result 0 over the `kOperands` first operands, which broadcast to it.
template <std::size_t kOperands, class RowRun>
Kernel broadcast_rows(const KernelCall& call, RowRun row) {
  const Shape& out = call.out[0].shape;
  if (numel(out) == 0) return [](const KernelArgs& /*args*/, const RunContext& /*context*/) {};
  std::vector<std::vector<std::int64_t>> steps;
  for (std::size_t k = 0; k < kOperands; ++k) steps.push_back(broadcast_steps(call.shape(k), out));
  const Loops loops = merge_loops(out, std::move(steps));
  const std::size_t outer = loops.depth() - 1;
  const std::int64_t length = loops.sizes[outer];
  const std::int64_t rows = loops.iterations(outer);
  // Long rows are cut, short ones taken together.
  const std::int64_t chunks = (length + kChunk - 1) / kChunk;
  const std::int64_t rows_per_task = chunks > 1 ? 1 : std::max<std::int64_t>(1, kChunk / length);
  const std::int64_t tasks = (rows * chunks + rows_per_task - 1) / rows_per_task;
  return [=](const KernelArgs& args, const RunContext& context) {
    std::array<bool, kOperands> moves;
    for (std::size_t k = 0; k < kOperands; ++k) moves[k] = loops.steps[k][outer] != 0;
    parallel_for(context.threads, tasks, [&](std::int64_t task) {
      const std::int64_t last = std::min(rows * chunks, (task + 1) * rows_per_task);
      for (std::int64_t i = task * rows_per_task; i < last; ++i) {
        const std::int64_t r = i / chunks;
        const std::int64_t first = i % chunks * kChunk;
        std::array<std::int64_t, kOperands> at;
        for (std::size_t k = 0; k < kOperands; ++k)
          at[k] = loops.offset(k, outer, r) + (moves[k] ? first : 0);
        row(Row{args, at, moves, r * length + first, std::min(kChunk, length - first)});
      }
    });
  };
}

/// y[i] = f(a[i], b[i])
template <class A, class B, class Y, class F>
void pair_row(const Row& row, F f) {
  const A* const a = row.in<A>(0);
  const B* const b = row.in<B>(1);
  Y* const y = row.out<Y>();
  if (row.moves[0] && row.moves[1]) {
    for (std::int64_t i = 0; i < row.count; ++i) y[i] = f(a[i], b[i]);
  } else if (row.moves[0]) {
    const B right = *b;
    for (std::int64_t i = 0; i < row.count; ++i) y[i] = f(a[i], right);
  } else if (row.moves[1]) {
    const A left = *a;
    for (std::int64_t i = 0; i < row.count; ++i) y[i] = f(left, b[i]);
  } else {
    std::fill(y, y + row.count, f(*a, *b));
  }
}

/// y = f(a, b) of two operands that broadcast.
template <class A, class B, class Y, class F>
Kernel pair_kernel(const KernelCall& call, F f) {
  return broadcast_rows<2>(call, [f](const Row& row) { pair_row<A, B, Y>(row, f); });
}

/// y[i] = f(x[i]) over all elements.
template <class X, class Y, class F>
Kernel each_element(const KernelCall& call, F f) {
  return [f, count = numel(call.out[0].shape)](const KernelArgs& args, const RunContext& context) {
    const X* const x = args.input<X>(0);
    Y* const y = args.output<Y>();
    in_chunks(context.threads, count, [&](std::int64_t first, std::int64_t length) {
      for (std::int64_t i = first; i < first + length; ++i) y[i] = f(x[i]);
    });
  };
}

}  // namespace chop::runtime::kernels
