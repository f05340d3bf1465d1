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
  op.samples = {{.inputs = {{.shape = {4, 5}, .low = 0, .high = 16, .dtype = DType::U8},
                            {.shape = {4, 5}, .low = 0, .high = 5, .dtype = DType::U8}}},
                {.inputs = {{.shape = {4, 5}, .low = 0, .high = 1000, .dtype = DType::U32},
                            {.shape = {5}, .low = 0, .high = 9, .dtype = DType::U32}}},
                {.inputs = {{.shape = {2, 1}, .low = 0, .high = 99, .dtype = DType::U16},
                            {.shape = {3}, .low = 0, .high = 9, .dtype = DType::U16}}},
                {.inputs = {{.shape = {}, .low = 0, .high = 99, .dtype = DType::U64},
                            {.shape = {1}, .low = 0, .high = 9, .dtype = DType::U64}}},
                {.inputs = {{.shape = {0, 3}, .low = 0, .high = 9, .dtype = DType::U8},
                            {.shape = {1, 3}, .low = 0, .high = 9, .dtype = DType::U8}}}};
  return op;
}

}  // namespace chop::ops
