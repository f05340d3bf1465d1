// Einstein sums: the equation, and the loops that the sum and its gradient share.
#pragma once

#include "ops/core/common.hpp"

namespace chop::ops {

/// An equation read for operands of known shapes. The loops run over every label once; `steps`
/// say how far each of them moves in each operand and, last, in the result.
struct EinsumPlan {
  Shape out;
  std::vector<std::int64_t> sizes;               ///< by label: those of the result come first
  std::vector<std::vector<std::int64_t>> steps;  ///< by operand, then label

  std::int64_t products() const { return product(sizes, 0); }
};

/// "ij,jk->ik", also without "->", with "..." and with letters repeated in one operand.
Result<EinsumPlan> plan_einsum(const Call& call, std::span<const Shape> operands);

/// Calls f(at) for every combination of labels, at[k] being the element of operand k, and
/// at.back() that of the result.
template <class F>
void for_each_term(const EinsumPlan& plan, F&& f) {
  std::vector<std::size_t> at(plan.steps.size());
  const std::int64_t count = plan.products();
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      std::int64_t rest = n;
      std::int64_t element = 0;
      for (std::size_t label = plan.sizes.size(); label-- > 0;) {
        element += rest % plan.sizes[label] * plan.steps[k][label];
        rest /= plan.sizes[label];
      }
      at[k] = static_cast<std::size_t>(element);
    }
    f(at);
  }
}

}  // namespace chop::ops
