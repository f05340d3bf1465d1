#include "ops/families/elementwise/reduce.hpp"

#include <type_traits>

#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {
namespace {

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_same_v<T, double>)
    return std::isnan(value);
  else
    return false;
}

/// As number_reduce_type(); an error where a result would be made of nothing.
TypeList nonempty_reduce_type(const TypedCall& call) {
  CH_TRY(std::vector<TensorType> out, number_reduce_type(call));
  if (numel(out[0].shape) > 0 && numel(call.shape(0)) == 0)
    return Error{.what = cat(call.op.name, " of nothing: x has shape ", to_string(call.shape(0))),
                 .hint = "each result needs at least one element"};
  return out;
}

/// dy shared equally among the elements equal to y.
void extreme_gradient(GradBuilder& g) {
  g.set(0, g.add("extreme_grad", {g.output_grad(), g.input(0), g.output()},
                 {{"dim", g.call().ints("dim")}}));
}

TypeList arg_type(const TypedCall& call) {
  CH_CHECK(need_number(call));
  const Shape& in = call.shape(0);
  CH_TRY(const std::size_t axis, axis_of(call.integer("dim"), in.size()));
  if (!in.empty() && in[axis] == 0)
    return Error{.what = cat(call.op.name, " along dimension ", axis, " of ", to_string(in),
                             ", which is empty"),
                 .hint = "each result needs at least one element"};
  std::vector<bool> axes(in.size(), false);
  if (!in.empty()) axes[axis] = true;
  return std::vector<TensorType>{{DType::I64, reduced_shape(in, axes, call.flag("keepdim"))}};
}

/// One comparison (or product) per element but the first of each result.
Cost reduce_cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  const std::int64_t firsts = count == 0 ? 0 : numel(call.out[0].shape);
  return {.lab = count, .exact = count - firsts, .backward = count};
}

Cost arg_cost(const CostCall& call) {
  Cost cost = reduce_cost(call);
  cost.backward = 0;
  return cost;
}

}  // namespace

std::vector<std::vector<std::size_t>> reduced_groups(const Call& call, const Shape& in) {
  const std::vector<bool> axes = axes_of(call.ints("dim"), in.size()).value();
  const Shape kept = reduced_shape(in, axes, /*keepdim=*/true);
  const BroadcastIndex at(kept, in);
  std::vector<std::vector<std::size_t>> groups(static_cast<std::size_t>(numel(kept)));
  for (std::size_t i = 0; i < static_cast<std::size_t>(numel(in)); ++i) groups[at(i)].push_back(i);
  return groups;
}

TypeList number_reduce_type(const TypedCall& call) {
  CH_CHECK(need_number(call));
  CH_TRY(const std::vector<bool> axes, axes_of(call.ints("dim"), call.shape(0).size()));
  return std::vector<TensorType>{
      {call.in[0].dtype, reduced_shape(call.shape(0), axes, call.flag("keepdim"))}};
}

TypeList reduce_grad_type(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(const std::vector<bool> axes, axes_of(call.ints("dim"), call.shape(1).size()));
  const std::int64_t results = numel(reduced_shape(call.shape(1), axes, /*keepdim=*/true));
  const bool takes_y = call.in.size() > 2;
  if (numel(call.shape(0)) != results || (takes_y && numel(call.shape(2)) != results))
    return Error{.what = cat(call.op.name, " of ", to_string(call.shape(1)), " given dy ",
                             to_string(call.shape(0)),
                             takes_y ? cat(" and y ", to_string(call.shape(2))) : ""),
                 .hint = cat("there are ", results, " results")};
  return std::vector<TensorType>{{call.in[0].dtype, call.shape(1)}};
}

void extreme_forward(const ForwardCall& call, bool (*better)(double, double),
                     bool (*whole_better)(std::int64_t, std::int64_t)) {
  const auto groups = reduced_groups(call, call.in[0]->shape());
  const auto reduce = [&](auto zero, auto is_better) {
    using T = decltype(zero);
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t k = 0; k < y.size(); ++k) {
      y[k] = x[groups[k].front()];
      for (const std::size_t i : groups[k])
        if (!is_nan(y[k]) && (is_nan(x[i]) || is_better(x[i], y[k]))) y[k] = x[i];
    }
  };
  if (call.in[0]->dtype() == DType::F64)
    reduce(double{}, better);
  else
    reduce(std::int64_t{}, whole_better);
}

void arg_forward(const ForwardCall& call, bool (*better)(double, double),
                 bool (*whole_better)(std::int64_t, std::int64_t)) {
  const Shape& shape = call.in[0]->shape();
  const Lanes lanes = lanes_of(shape, axis_of(call.integer("dim"), shape.size()).value());
  const bool last = call.flag("select_last");
  const auto y = call.out[0].mutable_data<std::int64_t>();
  const auto find = [&](auto zero, auto is_better) {
    using T = decltype(zero);
    const auto x = call.in[0]->data<T>();
    for (std::size_t o = 0; o < lanes.outer; ++o)
      for (std::size_t i = 0; i < lanes.inner; ++i) {
        std::size_t best = 0;
        for (std::size_t j = 1; j < lanes.size; ++j) {
          const T a = x[lanes.at(o, j, i)];
          const T b = x[lanes.at(o, best, i)];
          const bool same = a == b || (is_nan(a) && is_nan(b));
          if (same ? last : !is_nan(b) && (is_nan(a) || is_better(a, b))) best = j;
        }
        y[o * lanes.inner + i] = static_cast<std::int64_t>(best);
      }
  };
  if (call.in[0]->dtype() == DType::F64)
    find(double{}, better);
  else
    find(std::int64_t{}, whole_better);
}

OpDef reduce_op(OpDef op) {
  op.mase_type = MaseType::BuiltinFunc;
  if (op.attrs.empty())
    op.attrs = {{"dim", Ints{}, "dimensions to reduce; empty means all"},
                {"keepdim", false, "whether they stay, with size one"}};
  if (op.cost == nullptr) op.cost = reduce_cost;
  op.rows_apart = reduced_by_row;
  for (OnnxName& name : op.onnx)
    if (name.attrs.empty()) name.attrs = {{"axes", "dim"}, {"keepdims", "keepdim"}};
  const std::vector<Sample> samples = {
      {.inputs = {{.shape = {4, 5}, .distinct = true}}},
      {.attrs = {{"dim", Ints{1}}}, .inputs = {{.shape = {4, 5}, .distinct = true}}},
      {.attrs = {{"dim", Ints{0, -1}}}, .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
      {.attrs = {{"dim", Ints{-2}}, {"keepdim", true}},
       .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
      {.attrs = {{"keepdim", true}}, .inputs = {{.shape = {2, 1}, .distinct = true}}},
      {.inputs = {{.shape = {}}}},
      {.attrs = {{"dim", Ints{1}}}, .inputs = {{{0, 3}}}}};
  op.samples.insert(op.samples.begin(), samples.begin(), samples.end());
  return op;
}

OpDef reduce_grad_op(OpDef op) {
  op.mase_type = MaseType::Gradient;
  op.attrs = {{"dim", Ints{}, "the dimensions that were reduced; empty means all"}};
  op.infer = reduce_grad_type;
  return op;
}

OpDef extreme_op(OpDef op) {
  op.infer = nonempty_reduce_type;
  op.gradient = extreme_gradient;
  op.samples = {{.attrs = {{"dim", Ints{1}}}, .inputs = {wholes({3, 4}, -9, 9)}},
                {.inputs = {wholes({9}, 0, 200, DType::U8)}}};
  return reduce_op(std::move(op));
}

OpDef arg_op(OpDef op) {
  op.mase_type = MaseType::BuiltinFunc;
  op.attrs = {{"dim", 0, "the dimension searched"},
              {"keepdim", false, "whether it stays, with size one"},
              {"select_last", false, "whether the last of equal elements counts, not the first"}};
  op.traits = Trait::NoGradient;
  op.infer = arg_type;
  op.cost = arg_cost;
  op.rows_apart = lanes_by_row;
  for (OnnxName& name : op.onnx)
    name.attrs = {{"axis", "dim"}, {"keepdims", "keepdim"}, {"select_last_index", "select_last"}};
  op.samples = {{.inputs = {{.shape = {4, 5}, .distinct = true}}},
                {.attrs = {{"dim", 1}}, .inputs = {{.shape = {4, 5}, .distinct = true}}},
                {.attrs = {{"dim", -2}, {"keepdim", true}},
                 .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
                {.attrs = {{"dim", -1}, {"select_last", true}},
                 .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
                {.attrs = {{"dim", 1}}, .inputs = {wholes({4, 9}, 0, 3)}},
                {.attrs = {{"dim", 1}, {"select_last", true}}, .inputs = {wholes({4, 9}, 0, 3)}},
                {.inputs = {{.shape = {}}}},
                {.attrs = {{"dim", 1}}, .inputs = {{{0, 3}}}}};
  return op;
}

}  // namespace chop::ops
