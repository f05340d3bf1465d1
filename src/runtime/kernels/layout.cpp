// expand, transpose and permute: copies of x in another order. Rows that lie together are
// copied whole; where rows become columns, tiles that fit the cache are turned one by one.
#include <cstring>
#include <numeric>

#include "ops/families/indexing/shapes.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/loops.hpp"

namespace chop::runtime::kernels {
namespace {

constexpr std::int64_t kTile = 32;

/// y, dense, read from x along `loops` (one operand: x). T has the size of an element.
template <class T>
Kernel copy_rows(const Loops& loops) {
  const std::size_t outer = loops.depth() - 1;
  const std::int64_t row = loops.sizes[outer];
  const std::int64_t rows = loops.iterations(outer);
  const bool moves = loops.steps[0][outer] != 0;
  return [=](const KernelArgs& args, const RunContext& context) {
    const std::int64_t block = std::max<std::int64_t>(1, kChunk / row);
    parallel_for(context.threads, (rows + block - 1) / block, [&](std::int64_t task) {
      for (std::int64_t r = task * block; r < std::min(rows, (task + 1) * block); ++r) {
        const T* x = args.input<T>(0) + loops.offset(0, outer, r);
        T* y = args.output<T>() + r * row;
        if (moves)
          std::memcpy(y, x, static_cast<std::size_t>(row) * sizeof(T));
        else
          std::fill(y, y + row, *x);
      }
    });
  };
}

/// Two loops of a copy: columns lie together in y, rows (as a rule) in x.
struct Turn {
  std::int64_t rows, columns;
  std::int64_t x_row, x_column, y_row;

  template <class T>
  void tile(const T* x, T* y, std::int64_t first_row, std::int64_t first_column) const {
    const std::int64_t last_row = std::min(rows, first_row + kTile);
    const std::int64_t last_column = std::min(columns, first_column + kTile);
    for (std::int64_t r = first_row; r < last_row; ++r)
      for (std::int64_t c = first_column; c < last_column; ++c)
        y[r * y_row + c] = x[r * x_row + c * x_column];
  }
};

template <class T>
Kernel turn_tiles(Loops loops) {
  const std::size_t inner = loops.depth() - 1;
  std::vector<std::int64_t> y_steps(loops.depth(), 1);
  for (std::size_t i = inner; i-- > 0;) y_steps[i] = y_steps[i + 1] * loops.sizes[i + 1];
  // Turn against the loop whose elements lie closest together in x.
  std::size_t against = 0;
  for (std::size_t i = 1; i < inner; ++i)
    if (loops.steps[0][i] != 0 && loops.steps[0][i] < loops.steps[0][against]) against = i;
  const Turn turn{loops.sizes[against], loops.sizes[inner], loops.steps[0][against],
                  loops.steps[0][inner], y_steps[against]};
  Loops outer{{}, {{}, {}}};
  for (std::size_t i = 0; i < inner; ++i) {
    if (i == against) continue;
    outer.sizes.push_back(loops.sizes[i]);
    outer.steps[0].push_back(loops.steps[0][i]);
    outer.steps[1].push_back(y_steps[i]);
  }
  const std::int64_t bands = (turn.rows + kTile - 1) / kTile;
  const std::int64_t tasks = outer.iterations(outer.depth()) * bands;
  const bool worth_it = tasks * kTile * turn.columns > kChunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(worth_it ? context.threads : 1, tasks, [&](std::int64_t task) {
      const T* x = args.input<T>(0) + outer.offset(0, outer.depth(), task / bands);
      T* y = args.output<T>() + outer.offset(1, outer.depth(), task / bands);
      for (std::int64_t c = 0; c < turn.columns; c += kTile)
        turn.tile(x, y, task % bands * kTile, c);
    });
  };
}

template <class T>
Kernel copy_elements(Loops loops) {
  if (loops.depth() == 1 || loops.steps[0].back() <= 1) return copy_rows<T>(loops);
  return turn_tiles<T>(std::move(loops));
}

Kernel copy(const TensorType& y, std::vector<std::int64_t> x_steps) {
  if (numel(y.shape) == 0) return [](const KernelArgs& /*args*/, const RunContext& /*context*/) {};
  Loops loops = merge_loops(y.shape, {std::move(x_steps)});
  switch (size_of(y.dtype)) {
    case 1:
      return copy_elements<std::uint8_t>(std::move(loops));
    case 2:
      return copy_elements<std::uint16_t>(std::move(loops));
    case 4:
      return copy_elements<std::uint32_t>(std::move(loops));
    default:
      return copy_elements<std::uint64_t>(std::move(loops));
  }
}

Kernel make_expand(const KernelCall& call) {
  return copy(call.out[0], broadcast_steps(call.shape(0), call.out[0].shape));
}

Kernel permuted(const KernelCall& call, const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> steps;
  for (const std::size_t from : order) steps.push_back(ops::product(call.shape(0), from + 1));
  return copy(call.out[0], std::move(steps));
}

Kernel make_permute(const KernelCall& call) {
  std::vector<std::size_t> order;
  for (const std::int64_t dim : call.ints("dims"))
    order.push_back(ops::axis_of(dim, call.shape(0).size()).value());
  return permuted(call, order);
}

Kernel make_transpose(const KernelCall& call) {
  const std::size_t rank = call.shape(0).size();
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (rank > 0)
    std::swap(order[ops::axis_of(call.integer("dim0"), rank).value()],
              order[ops::axis_of(call.integer("dim1"), rank).value()]);
  return permuted(call, order);
}

}  // namespace

std::vector<KernelDef> layout() {
  return {{"expand", make_expand}, {"permute", make_permute}, {"transpose", make_transpose}};
}

}  // namespace chop::runtime::kernels
