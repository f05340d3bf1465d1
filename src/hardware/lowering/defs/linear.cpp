// y = x Wᵀ + b: one matrix, for every row of the last dimension.
#include "hardware/lowering/matrix.hpp"

namespace chop::hardware::lowerings::linear {
namespace {

Result<Traced> lower(LoweringCall& call) {
  CH_TRY(const LoweringCall::Scaled x, call.scaled_codes(0));
  const std::int64_t columns = call.type(0).shape.back();
  const std::int64_t rows = call.type(1).shape[0];
  const std::int64_t windows = std::ssize(call.at(x.node).type.ranges) / columns;
  Matrix matrix{.rows = rows, .columns = columns};
  for (std::int64_t i = 0; i < windows * columns; ++i) matrix.window.push_back(i);
  CH_TRY(Traced result, lower_matrix(call, x, std::move(matrix)));
  if (windows == 1) return result;
  // The integer op makes [row of the matrix, window]; the result is [..., window, row].
  Codes index;
  for (std::int64_t p = 0; p < windows; ++p)
    for (std::int64_t row = 0; row < rows; ++row) index.push_back(row * windows + p);
  return reordered(call, std::move(result), std::move(index));
}

}  // namespace

LoweringDef define() {
  return {.name = "linear",
          .takes = [](const Node& node, const OpDef& /*op*/) { return node.op == "linear"; },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::linear
