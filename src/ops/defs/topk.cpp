// The k largest (or smallest) elements of each lane along `dim`, best first, and their indices.
// Equal elements come in the order of their indices; NaN counts as larger than everything.
#include <numeric>

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::topk {
namespace {

TypeList infer(const TypedCall& call) {
  Shape y = call.shape(0);
  CH_TRY(const std::size_t axis, axis_of(call.integer("dim"), y.size()));
  const std::int64_t size = y.empty() ? 1 : y[axis];
  const std::int64_t k = call.integer("k");
  if (k < 0 || k > size)
    return Error{.what = cat("topk cannot take the best ", k, " of ", size),
                 .hint = cat("k must be from 0 to ", size)};
  if (!y.empty()) y[axis] = k;
  if (y.empty() && k == 0)
    return Error{.what = "topk cannot take the best 0 of a scalar", .hint = "k must be 1"};
  return std::vector<TensorType>{{call.in[0].dtype, y}, {DType::I64, y}};
}

template <class T>
bool is_larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  }
  return a > b;
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const std::size_t axis = axis_of(call.integer("dim"), shape.size()).value();
  const Lanes from = lanes_of(shape, axis);
  const Lanes to = lanes_of(call.out[0].shape(), axis);
  const bool largest = call.flag("largest");
  const auto indices = call.out[1].mutable_data<std::int64_t>();
  std::vector<std::size_t> order(from.size);
  call.with_type(0, [&]<class T>(T) {
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t o = 0; o < to.outer; ++o)
      for (std::size_t i = 0; i < to.inner; ++i) {
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
          const T left = x[from.at(o, a, i)];
          const T right = x[from.at(o, b, i)];
          return largest ? is_larger(left, right) : is_larger(right, left);
        });
        for (std::size_t j = 0; j < to.size; ++j) {
          y[to.at(o, j, i)] = x[from.at(o, order[j], i)];
          indices[to.at(o, j, i)] = static_cast<std::int64_t>(order[j]);
        }
      }
  });
}

void gradient(GradBuilder& g) {
  const Value zeros = g.add("full", {}, {{"shape", g.shape(g.input(0))}});
  g.set(0, g.add("scatter_elements", {zeros, g.output(1), g.output_grad()},
                 {{"dim", g.call().integer("dim")}}));
}

/// A comparison of each element with each of the k best so far, at most.
Cost cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  return {.lab = count, .exact = count * std::max<std::int64_t>(call.integer("k"), 0)};
}

}  // namespace

OpDef define() {
  return {
      .name = "topk",
      .doc =
          "the k largest elements along `dim` (the smallest, unless `largest`), best first, "
          "and as second result their indices. Equal ones come in the order of their indices",
      .mase_type = MaseType::ImplicitFunc,
      .method = "topk",
      .torch = "torch.topk(x, k, dim, largest, sorted)[0]",
      .attrs = {{"k", 1, "how many", true},
                {"dim", -1, "the dimension searched"},
                {"largest", true, "whether the largest are wanted, or the smallest"},
                {"sorted", true, "accepted because PyTorch has it; the result is always sorted"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .samples = {{.attrs = {{"k", 2}}, .inputs = {{.shape = {3, 5}, .distinct = true}}},
                  {.attrs = {{"k", 3}, {"dim", 0}, {"largest", false}},
                   .inputs = {{.shape = {4, 2}, .distinct = true}}},
                  {.attrs = {{"k", 1}, {"dim", -2}, {"sorted", false}},
                   .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
                  {.attrs = {{"k", 0}}, .inputs = {{{2, 3}}}},
                  {.attrs = {{"k", 2}}, .inputs = {{{0, 3}}}},
                  {.attrs = {{"k", 1}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"k", 4}}, .inputs = {{.shape = {2, 4}, .dtype = DType::I64}}}},
  };
}

}  // namespace chop::ops::topk
