#include "ops/core/rows.hpp"

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

bool first_by_row(const RowsCall& call) {
  return std::count(call.by_row.begin(), call.by_row.end(), true) == 1 && call.by_row[0] &&
         !call.shape(0).empty();
}

bool images_by_row(const RowsCall& call) {
  return first_by_row(call) && call.shape(0).size() == call.op.dims + 2;
}

bool broadcast_by_row(const RowsCall& call) {
  const Shape& out = call.out[0].shape;
  if (out.empty() || std::count(call.by_row.begin(), call.by_row.end(), true) == 0) return false;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    const Shape& in = call.shape(i);
    const bool whole_rank = in.size() == out.size();
    if (call.by_row[i] ? !whole_rank || in[0] != out[0] : whole_rank && in[0] != 1) return false;
  }
  return true;
}

bool lanes_by_row(const RowsCall& call) {
  if (!first_by_row(call)) return false;
  const auto axis = axis_of(call.integer("dim"), call.shape(0).size());
  return axis && axis.value() != 0;
}

bool reduced_by_row(const RowsCall& call) {
  if (!first_by_row(call)) return false;
  const auto axes = axes_of(call.ints("dim"), call.shape(0).size());
  return axes && !axes.value()[0];
}

bool reshaped_by_row(const RowsCall& call) {
  const Shape& in = call.shape(0);
  const Shape& out = call.out[0].shape;
  return first_by_row(call) && !out.empty() && call.ints("shape")[0] == -1 &&
         product(in, 1) == product(out, 1);
}

}  // namespace chop::ops
