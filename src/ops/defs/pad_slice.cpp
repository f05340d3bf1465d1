// y = zeros of size `size` along `dim`, with x at start, start + 1, ... : the adjoint of slice
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::pad_slice {
namespace {

TypeList infer(const TypedCall& call) {
  TensorType y = call.in[0];
  CH_TRY(const std::int64_t dim, normal_axis(call.integer("dim"), y.shape.size()));
  std::int64_t& length = y.shape[static_cast<std::size_t>(dim)];
  const std::int64_t start = call.integer("start");
  const std::int64_t size = call.integer("size");
  if (start < 0 || size < length || start > size - length)
    return Error{.what = cat("pad_slice cannot place ", length, " from ", start, " within ", size)};
  length = size;
  return std::vector<TensorType>{std::move(y)};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const std::size_t axis = axis_of(call.integer("dim"), shape.size()).value();
  const Lanes from = lanes_of(shape, axis);
  const Lanes to = lanes_of(call.out[0].shape(), axis);
  const auto start = static_cast<std::size_t>(call.integer("start"));
  const auto x = call.x(0);
  const auto y = call.y();
  copy_lanes(x, {from}, y, {to, start}, from.size);
}

void gradient(GradBuilder& g) {
  const Shape& shape = g.shape(g.input(0));
  const std::int64_t dim = g.call().integer("dim");
  g.set(0, g.add("slice", {g.output_grad()},
                 {{"dim", dim},
                  {"start", g.call().integer("start")},
                  {"length", shape[axis_of(dim, shape.size()).value()]}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "pad_slice",
      .doc = "zeros of size `size` along `dim`, with x from `start` on; the adjoint of slice",
      .mase_type = MaseType::Gradient,
      .attrs = {{"dim", 0, "the dimension that is padded", true},
                {"start", 0, "where x begins", true},
                {"size", 0, "size of the result in that dimension", true}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .samples = {{.attrs = {{"dim", 1}, {"start", 2}, {"size", 6}}, .inputs = {{{2, 3}}}},
                  {.attrs = {{"dim", -2}, {"start", 0}, {"size", 2}}, .inputs = {{{2, 1, 2}}}},
                  {.attrs = {{"dim", 0}, {"start", 1}, {"size", 3}}, .inputs = {{{0, 2}}}}},
  };
}

}  // namespace chop::ops::pad_slice
