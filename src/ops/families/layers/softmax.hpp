// What softmax and log_softmax share, and what their gradients do.
#pragma once

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

/// Of one lane: m, the largest x, and Σ e^(x - m), which does not overflow.
struct ExpSum {
  double largest = 0;
  double sum = 0;
};
ExpSum exp_sum(std::span<const double> x, const Lanes& lanes, std::size_t outer, std::size_t inner);

/// y = f(x - m, Σ e^(x - m)) along `dim`, m the largest x there (so nothing overflows).
void softmax_forward(const ForwardCall& call, double (*f)(double shifted, double sum));
/// dx = f(dy, y, Σ term(dy, y)) along `dim`.
void softmax_grad_forward(const ForwardCall& call, double (*term)(double dy, double y),
                          double (*f)(double dy, double y, double sum));

/// Five operations per element, less `free` for each lane along `dim`.
Cost softmax_cost(const CostCall& call, std::int64_t free);

/// Completes softmax or log_softmax: all but names, `dim`'s text, forward, cost and ONNX name. Its
/// gradient is the op NAME_grad of dy and y.
OpDef softmax_op(OpDef op);
/// Completes such a gradient from its doc, `dim`'s text and forward.
OpDef softmax_grad_op(OpDef op);

}  // namespace chop::ops
