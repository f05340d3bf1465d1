#include "ops/families/elementwise/shifts.hpp"

#include "ops/core/rows.hpp"
#include "ops/families/elementwise/binary.hpp"
#include "ops/families/elementwise/whole.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {
namespace {

bool is_unsigned(DType dtype) {
  return dtype == DType::U8 || dtype == DType::U16 || dtype == DType::U32 || dtype == DType::U64;
}

TypeList shift_type(const TypedCall& call) {
  for (std::size_t i = 0; i < call.in.size(); ++i)
    if (!is_unsigned(call.in[i].dtype))
      return Error{.what = cat(call.op.name, " shifts unsigned whole numbers, operand ", i, " is ",
                               name_of(call.in[i].dtype)),
                   .hint = "cast to u8, u16, u32 or u64"};
  CH_CHECK(need_alike(call));
  return broadcast_type(call);
}

}  // namespace

void shift_forward(const ForwardCall& call, std::uint64_t (*f)(std::uint64_t a, std::uint64_t b)) {
  const DType dtype = call.out_types[0].dtype;
  map_pairs<std::int64_t, std::int64_t, std::int64_t>(call, [&](std::int64_t a, std::int64_t b) {
    const std::uint64_t y = f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
    return wrapped(static_cast<std::int64_t>(y), dtype);
  });
}

OpDef shift_op(OpDef op) {
  op = torch_named(std::move(op), "x0, x1");
  op.min_inputs = 2;
  op.traits = op.traits | Trait::NoGradient;
  op.infer = shift_type;
  op.cost = per_element_forward;
  op.rows_apart = broadcast_by_row;
  op.samples = {{.inputs = {wholes({4, 5}, 0, 16, DType::U8), wholes({4, 5}, 0, 5, DType::U8)}},
                {.inputs = {wholes({4, 5}, 0, 1000, DType::U32), wholes({5}, 0, 9, DType::U32)}},
                {.inputs = {wholes({2, 1}, 0, 99, DType::U16), wholes({3}, 0, 9, DType::U16)}},
                {.inputs = {wholes({}, 0, 99, DType::U64), wholes({1}, 0, 9, DType::U64)}},
                {.inputs = {wholes({0, 3}, 0, 9, DType::U8), wholes({1, 3}, 0, 9, DType::U8)}}};
  return op;
}

}  // namespace chop::ops
