// Counts that several ops share. Exactly counted, a comparison, a division, a root, an
// exponential and the like are one operation each.
#pragma once

#include "ops/core/common.hpp"

namespace chop::ops {

/// One `lab` operation per element, as for relu; exactly `kExact`.
template <int kExact>
Cost elementwise(const CostCall& call) {
  Cost cost = per_element(call);
  cost.exact *= kExact;
  return cost;
}

/// So many operations for each element of operand `kOperand`.
template <int kLab, int kExact, int kBackward = 0, std::size_t kOperand = 0>
Cost per_input(const CostCall& call) {
  const std::int64_t count = numel(call.shape(kOperand));
  return {.lab = kLab * count, .exact = kExact * count, .backward = kBackward * count};
}

/// Multiplications and additions of `outputs` sums of `terms` products each.
inline std::int64_t exact_sums(std::int64_t outputs, std::int64_t terms) {
  return terms == 0 ? 0 : outputs * (2 * terms - 1);
}

/// Products of matrices: each output sums as many products as operand 0 has columns.
inline Cost matrix_product_cost(const CostCall& call) {
  const std::int64_t outputs = numel(call.out[0].shape);
  const std::int64_t terms = call.shape(0).back();
  return {.macs = outputs * terms,
          .lab = outputs * terms,
          .exact = exact_sums(outputs, terms),
          .backward = 2 * outputs * terms};
}

}  // namespace chop::ops
