#include "ops/families/indexing/shapes.hpp"

#include "ops/core/rows.hpp"

#include <cstring>

#include "ops/families/elementwise/whole.hpp"

namespace chop::ops {

Result<std::size_t> axis_of(std::int64_t axis, std::size_t rank) {
  CH_TRY(const std::int64_t at, normal_axis(axis, std::max<std::size_t>(rank, 1)));
  return static_cast<std::size_t>(at);
}

Result<std::vector<bool>> axes_of(const Ints& axes, std::size_t rank) {
  std::vector<bool> named(rank, axes.empty());
  for (const std::int64_t axis : axes) {
    CH_TRY(const std::size_t at, axis_of(axis, rank));
    if (rank == 0) continue;
    if (named[at])
      return Error{.what = cat("dimension ", at, " is named twice"),
                   .hint = "name each dimension once; negative ones count from the end"};
    named[at] = true;
  }
  return named;
}

Lanes lanes_of(const Shape& shape, std::size_t axis) {
  if (shape.empty()) return {};
  return {static_cast<std::size_t>(product(shape, 0, axis)), static_cast<std::size_t>(shape[axis]),
          static_cast<std::size_t>(product(shape, axis + 1))};
}

Status need_real(const TypedCall& call) {
  for (std::size_t i = 0; i < call.in.size(); ++i)
    if (!is_floating(call.in[i].dtype))
      return Error{.what = cat(call.op.name, " works on real numbers, operand ", i, " is ",
                               name_of(call.in[i].dtype))};
  return {};
}

Status need_number(const TypedCall& call) {
  for (std::size_t i = 0; i < call.in.size(); ++i)
    if (call.in[i].dtype == DType::Bool)
      return Error{.what = cat(call.op.name, " works on numbers, operand ", i, " is bool"),
                   .hint = "cast makes numbers of truth values"};
  return {};
}

Status need_alike(const TypedCall& call, std::size_t first) {
  const DType wanted = call.in[first].dtype;
  for (std::size_t i = first + 1; i < call.in.size(); ++i) {
    const DType dtype = call.in[i].dtype;
    if (dtype == wanted || (is_floating(dtype) && is_floating(wanted))) continue;
    return Error{
        .what = cat(call.op.name, " cannot combine ", name_of(wanted), " and ", name_of(dtype)),
        .hint = "cast makes one of the other"};
  }
  return {};
}

Status check_size(const Call& call, const Shape& result) {
  constexpr std::int64_t kMostNumbers = std::int64_t{1}
                                        << 40;  // of all dimensions that are not empty
  std::int64_t count = 1;
  for (const std::int64_t dim : result) {
    if (dim < 0)
      return Error{.what = cat(call.op.name, " cannot make the shape ", to_string(result)),
                   .hint = "dimensions must not be negative"};
    if (dim > kMostNumbers || (dim > 0 && __builtin_mul_overflow(count, dim, &count)) ||
        count > kMostNumbers)
      return Error{.what = cat(call.op.name, " cannot make the shape ", to_string(result)),
                   .hint = "that is more elements than fit in memory"};
  }
  return {};
}

namespace {

Error wrong_count(const Shape& from, const Ints& wanted, std::string hint) {
  return Error{.what = cat("cannot give ", to_string(from), " the shape ", to_string(wanted)),
               .hint = std::move(hint)};
}

Result<Shape> resolve(const Shape& from, const Ints& wanted) {
  Shape shape = wanted;
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::int64_t& dim : shape) {
    if (dim < -1)
      return wrong_count(from, wanted, "dimensions are positive; -1 stands for what is left over");
    if (dim == -1 && open != nullptr)
      return wrong_count(from, wanted, "only one dimension can be -1");
    if (dim == -1) {
      open = &dim;
    } else if (__builtin_mul_overflow(known, dim, &known)) {
      return wrong_count(from, wanted, "that is more elements than fit in memory");
    }
  }
  const std::int64_t count = numel(from);
  if (open != nullptr && known == 0)
    return wrong_count(from, wanted, "beside a dimension of size 0, -1 could be any number");
  if (open != nullptr && count % known != 0)
    return wrong_count(from, wanted, cat(count, " elements are not divisible by ", known));
  if (open != nullptr)
    *open = count / known;
  else if (known != count)
    return wrong_count(from, wanted, cat("one has ", count, " elements, the other ", known));
  return shape;
}

}  // namespace

TypeList reshape_type(const TypedCall& call) {
  CH_TRY(Shape shape, resolve(call.shape(0), call.ints("shape")));
  return std::vector<TensorType>{{call.in[0].dtype, std::move(shape)}};
}

void copy_forward(const ForwardCall& call) {
  std::memcpy(call.out[0].mutable_bytes(), call.in[0]->bytes(), call.in[0]->size_in_bytes());
}

void reshape_gradient(GradBuilder& g) {
  g.set(0, g.add("reshape", {g.output_grad()}, {{"shape", g.shape(g.input(0))}}));
}

OpDef view_op(OpDef op) {
  op.mase_type = MaseType::ImplicitFunc;
  op.traits = Trait::View;
  op.forward = copy_forward;
  op.gradient = reshape_gradient;
  op.cost = free_of_charge;
  return op;
}

OpDef reshape_op(OpDef op) {
  op.attrs = {{"shape", Ints{}, "the new shape; -1 is computed from the other dimensions", true}};
  op.infer = reshape_type;
  op.rows_apart = reshaped_by_row;
  op.onnx = {{"Reshape", 5}};
  op.samples = {
      {.attrs = {{"shape", Ints{2, -1}}}, .inputs = {{{2, 3, 4}}}},
      {.attrs = {{"shape", Ints{-1}}}, .inputs = {{{4, 5}}}},
      {.attrs = {{"shape", Ints{3, 2, 1, 2}}}, .inputs = {{{4, 3}}}},
      {.attrs = {{"shape", Ints{}}}, .inputs = {{{1, 1}}}},
      {.attrs = {{"shape", Ints{1, -1}}}, .inputs = {{.shape = {}}}},
      {.attrs = {{"shape", Ints{-1, 6}}}, .inputs = {{{0, 3, 2}}}},
      {.attrs = {{"shape", Ints{3, -1}}}, .inputs = {{.shape = {6}, .dtype = DType::I64}}}};
  return view_op(std::move(op));
}

Shape reduced_shape(const Shape& shape, const std::vector<bool>& axes, bool keepdim) {
  Shape out;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!axes[i])
      out.push_back(shape[i]);
    else if (keepdim)
      out.push_back(1);
  }
  return out;
}

TypeList reduce_type(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(const std::vector<bool> axes, axes_of(call.ints("dim"), call.shape(0).size()));
  return std::vector<TensorType>{
      {call.in[0].dtype, reduced_shape(call.shape(0), axes, call.flag("keepdim"))}};
}

void sum_forward(const ForwardCall& call) {
  const Shape& in = call.in[0]->shape();
  const std::vector<bool> axes = axes_of(call.ints("dim"), in.size()).value();
  const BroadcastIndex at(reduced_shape(in, axes, /*keepdim=*/true), in);
  if (call.in[0]->dtype() == DType::I64) {
    const auto x = call.indices(0);
    const auto y = call.out[0].mutable_data<std::int64_t>();
    for (std::size_t i = 0; i < x.size(); ++i)
      y[at(i)] = wrapped(wrapping_add(y[at(i)], x[i]), call.out_types[0].dtype);
    return;
  }
  const auto x = call.x(0);
  const auto y = call.y();
  for (std::size_t i = 0; i < x.size(); ++i) y[at(i)] += x[i];
}

std::int64_t reduced_count(const Call& call, const Shape& in) {
  const std::vector<bool> axes = axes_of(call.ints("dim"), in.size()).value();
  std::int64_t count = 1;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (axes[i]) count *= in[i];
  return count;
}

Value expand_reduced(GradBuilder& g, Value gradient) {
  const Shape in = g.shape(g.input(0));
  const std::vector<bool> axes = axes_of(g.call().ints("dim"), in.size()).value();
  const Shape kept = reduced_shape(in, axes, /*keepdim=*/true);
  if (g.shape(gradient) != kept) gradient = g.add("reshape", {gradient}, {{"shape", kept}});
  return kept == in ? gradient : g.add("expand", {gradient}, {{"shape", in}});
}

Shape permuted(const Shape& shape, const std::vector<std::size_t>& order) {
  Shape out;
  for (const std::size_t from : order) out.push_back(shape[from]);
  return out;
}

void permute_forward(const ForwardCall& call, const std::vector<std::size_t>& order) {
  const Shape& in = call.in[0]->shape();
  std::vector<std::size_t> strides(in.size(), 1);  // of x, in the order of y's dimensions
  for (std::size_t i = 0; i < order.size(); ++i)
    strides[i] = static_cast<std::size_t>(product(in, order[i] + 1));
  const Shape& out = call.out[0].shape();
  call.with_type(0, [&]<class T>(T) {
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t flat = 0; flat < y.size(); ++flat) {
      std::size_t rest = flat;
      std::size_t from = 0;
      for (std::size_t d = out.size(); d-- > 0;) {
        const auto size = static_cast<std::size_t>(out[d]);
        from += rest % size * strides[d];
        rest /= size;
      }
      y[flat] = x[from];
    }
  });
}

}  // namespace chop::ops
