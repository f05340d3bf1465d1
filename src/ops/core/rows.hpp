// Which calls work row by row, so that a batch may be cut into slices: the answers that ops share.
#pragma once

#include "ops/core/op_def.hpp"

namespace chop::ops {

/// Operand 0 is by row and no other is.
bool first_by_row(const RowsCall& call);
/// Elementwise ops, over operands that broadcast: those by row have the result's rows, and the
/// others are stretched over them.
bool broadcast_by_row(const RowsCall& call);
/// Images [n, c, ...] with a batch.
bool images_by_row(const RowsCall& call);
/// The attribute `dim` names one dimension, which is not the rows'.
bool lanes_by_row(const RowsCall& call);
/// The attribute `dim` lists dimensions, none of them the rows'.
bool reduced_by_row(const RowsCall& call);
/// The attribute `shape` leaves the number of rows open, and rows keep their size.
bool reshaped_by_row(const RowsCall& call);

/// What the op says of the call; no when it says nothing.
inline bool works_by_row(const RowsCall& call) {
  return call.op.rows_apart != nullptr && call.op.rows_apart(call);
}

}  // namespace chop::ops
