#include "ops/families/indexing/scatter.hpp"

namespace chop::ops {
namespace {

template <Scatter kKind>
TypeList infer(const TypedCall& call) {
  CH_CHECK(need_whole(call, 1));
  CH_CHECK(check_scatter(call, kKind, call.shape(0), call.shape(1), call.shape(2)));
  const bool both_real = is_floating(call.in[0].dtype) && is_floating(call.in[2].dtype);
  if (call.in[0].dtype != call.in[2].dtype && !both_real)
    return Error{.what = cat(call.op.name, " cannot put ", name_of(call.in[2].dtype), " into ",
                             name_of(call.in[0].dtype)),
                 .hint = "x and the updates must have one type"};
  return std::vector<TensorType>{call.in[0]};
}

/// Whole numbers wrap around.
template <class T, class Operation>
T combine(T a, T b, Operation operation) {
  if constexpr (std::is_floating_point_v<T>)
    return operation(a, b);
  else
    return static_cast<T>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

template <Scatter kKind>
void forward(const ForwardCall& call) {
  const Ints positions = scatter_positions(call, kKind, call.in[0]->shape(), *call.in[1]);
  const std::string& reduction = call.text("reduction");
  copy_forward(call);
  call.with_type(0, [&]<class T>(T) {
    const auto updates = call.in[2]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t k = 0; k < positions.size(); ++k) {
      if (positions[k] < 0) continue;
      T& to = y[static_cast<std::size_t>(positions[k])];
      if (reduction == "none")
        to = updates[k];
      else if (reduction == "add")
        to = combine(to, updates[k], [](auto a, auto b) { return a + b; });
      else
        to = combine(to, updates[k], [](auto a, auto b) { return a * b; });
    }
  });
}

template <Scatter kKind>
void gradient(GradBuilder& g) {
  constexpr bool kNd = kKind == Scatter::Nd;
  const char* own = kNd ? "batch_dims" : "dim";
  const Value dx =
      g.add("scatter_grad", {g.output_grad(), g.input(0), g.input(1), g.input(2)},
            {{"nd", kNd}, {own, g.call().integer(own)}, {"reduction", g.call().text("reduction")}});
  g.set(0, dx);
  g.set(2, {dx.node, 1});
}

Cost cost(const CostCall& call) {
  const std::int64_t count = call.text("reduction") == "none" ? 0 : numel(call.shape(2));
  return {.lab = count, .exact = count, .backward = count};
}

}  // namespace

Status check_scatter(const TypedCall& call, Scatter kind, const Shape& x, const Shape& indices,
                     const Shape& updates) {
  Shape wanted = indices;
  if (kind == Scatter::Elements) {
    CH_CHECK(check_elements(call, x, indices));
  } else {
    CH_TRY(wanted, nd_shape(call, x, indices));
  }
  if (updates != wanted)
    return Error{
        .what = cat(call.op.name, " cannot take updates of shape ", to_string(updates)),
        .hint = cat("with indices ", to_string(indices), " they must be ", to_string(wanted))};
  return {};
}

Ints scatter_positions(const Call& call, Scatter kind, const Shape& x, const Tensor& indices) {
  if (kind == Scatter::Nd)
    return nd_offsets(x, indices, static_cast<std::size_t>(call.integer("batch_dims")));
  return element_offsets(x, indices, axis_of(call.integer("dim"), x.size()).value());
}

Field reduction_attr() {
  return {.name = "reduction",
          .initial = "none",
          .doc =
              "what an update does to the element it meets: 'none' replaces it, 'add' is added, "
              "'mul' multiplies it",
          .choices = {"none", "add", "mul"}};
}

OpDef scatter_op(Scatter kind, OpDef op) {
  const bool nd = kind == Scatter::Nd;
  op.mase_type = MaseType::ImplicitFunc;
  op.min_inputs = 3;
  op.attrs.push_back(reduction_attr());
  op.infer = nd ? infer<Scatter::Nd> : infer<Scatter::Elements>;
  op.forward = nd ? forward<Scatter::Nd> : forward<Scatter::Elements>;
  op.gradient = nd ? gradient<Scatter::Nd> : gradient<Scatter::Elements>;
  op.cost = cost;
  op.indices = kind == Scatter::Nd ? indices_nd : indices_along_dim;
  return op;
}

}  // namespace chop::ops
