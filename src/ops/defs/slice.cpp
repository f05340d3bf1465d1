// y = x at start .. start + length - 1 along `dim`
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::slice {
namespace {

/// A negative start counts from the end.
std::int64_t start_of(const Call& call, std::int64_t size) {
  const std::int64_t start = call.integer("start");
  return start < 0 ? start + size : start;
}

TypeList infer(const TypedCall& call) {
  TensorType y = call.in[0];
  CH_TRY(const std::int64_t dim, normal_axis(call.integer("dim"), y.shape.size()));
  const std::int64_t size = y.shape[static_cast<std::size_t>(dim)];
  const std::int64_t start = start_of(call, size);
  const std::int64_t length = call.integer("length");
  if (start < 0 || start > size || length < 0 || length > size - start)
    return Error{.what = cat("slice of ", length, " from ", call.integer("start"),
                             " is outside dimension ", dim, " of size ", size)};
  y.shape[static_cast<std::size_t>(dim)] = length;
  return std::vector<TensorType>{std::move(y)};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const std::size_t axis = axis_of(call.integer("dim"), shape.size()).value();
  const Lanes from = lanes_of(shape, axis);
  const Lanes to = lanes_of(call.out[0].shape(), axis);
  const auto start = static_cast<std::size_t>(start_of(call, shape[axis]));
  call.with_type(0, [&]<class T>(T) {
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    copy_lanes(x, {from, start}, y, {to}, to.size);
  });
}

void gradient(GradBuilder& g) {
  const Shape& shape = g.shape(g.input(0));
  const std::int64_t dim = g.call().integer("dim");
  const std::int64_t size = shape[axis_of(dim, shape.size()).value()];
  g.set(0, g.add("pad_slice", {g.output_grad()},
                 {{"dim", dim}, {"start", start_of(g.call(), size)}, {"size", size}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "slice",
      .doc = "x at start to start + length - 1 along `dim`",
      .mase_type = MaseType::ImplicitFunc,
      .method = "narrow",
      .torch = "torch.narrow(x, dim, start, length)",
      .attrs = {{"dim", 0, "the dimension that is cut", true},
                {"start", 0, "first index kept; negative counts from the end", true},
                {"length", 0, "how many elements are kept", true}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .rows_apart = lanes_by_row,
      .onnx = {{"Slice", 13}},
      .samples = {{.attrs = {{"dim", 1}, {"start", 2}, {"length", 3}}, .inputs = {{{2, 5}}}},
                  {.attrs = {{"dim", -2}, {"start", -2}, {"length", 1}}, .inputs = {{{2, 3, 2}}}},
                  {.attrs = {{"dim", 0}, {"start", 0}, {"length", 4}}, .inputs = {{{4}}}},
                  {.attrs = {{"dim", 0}, {"start", 3}, {"length", 0}}, .inputs = {{{3, 2}}}},
                  {.attrs = {{"dim", 0}, {"start", 1}, {"length", 2}},
                   .inputs = {{.shape = {4}, .dtype = DType::I64}}}},
  };
}

}  // namespace chop::ops::slice
