// Merging loops: neighbouring dimensions become one loop where every operand steps through them
// without a gap. [2, 3, 4] plus a bias [4] is two loops, 6 by 4: the bias has step 0 in the first
// loop and step 1 in the second (y: 4 and 1).
#include "runtime/loops.hpp"

namespace chop::runtime {

std::int64_t Loops::iterations(std::size_t count) const {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < count; ++i) product *= sizes[i];
  return product;
}

std::int64_t Loops::offset(std::size_t operand, std::size_t count, std::int64_t number) const {
  std::int64_t at = 0;
  for (std::size_t i = count; i-- > 0;) {
    at += number % sizes[i] * steps[operand][i];
    number /= sizes[i];
  }
  return at;
}

Loops merge_loops(const Shape& shape, std::vector<std::vector<std::int64_t>> steps) {
  Loops loops{{}, std::vector<std::vector<std::int64_t>>(steps.size())};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    // This dimension continues the previous loop when that one's step is this one's whole length.
    const bool joins = !loops.sizes.empty() && std::ranges::all_of(steps, [&](const auto& operand) {
      const auto k = static_cast<std::size_t>(&operand - steps.data());
      return loops.steps[k].back() == operand[d] * shape[d];
    });
    if (joins)
      loops.sizes.back() *= shape[d];
    else
      loops.sizes.push_back(shape[d]);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (joins)
        loops.steps[k].back() = steps[k][d];
      else
        loops.steps[k].push_back(steps[k][d]);
    }
  }
  if (loops.sizes.empty()) {
    loops.sizes = {1};
    for (auto& operand : loops.steps) operand = {0};
  }
  return loops;
}

std::vector<std::int64_t> broadcast_steps(const Shape& in, const Shape& out) {
  std::vector<std::int64_t> steps(out.size(), 0);
  std::int64_t step = 1;
  for (std::size_t back = 1; back <= in.size(); ++back) {
    const std::int64_t size = in[in.size() - back];
    if (size != 1) steps[out.size() - back] = step;
    step *= size;
  }
  return steps;
}

Reduction reduction_loops(const Shape& in, const Shape& kept) {
  const Loops loops = merge_loops(in, {broadcast_steps(in, in), broadcast_steps(kept, in)});
  Reduction result;
  const std::size_t last = loops.depth() - 1;
  result.inner = loops.sizes[last];
  result.inner_reduced = loops.steps[1][last] == 0;
  for (std::size_t i = 0; i < last; ++i) {
    Loops& list = loops.steps[1][i] == 0 ? result.reduced : result.kept;
    list.sizes.push_back(loops.sizes[i]);
    for (std::size_t k = 0; k < 2; ++k) list.steps[k].push_back(loops.steps[k][i]);
  }
  return result;
}

}  // namespace chop::runtime
