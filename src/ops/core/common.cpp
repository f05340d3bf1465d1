#include "ops/core/common.hpp"

#include <deque>

#include "ops/core/rows.hpp"
#include "ops/families/elementwise/whole.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {
namespace {

void unary_forward(const ForwardCall& call) {
  if (call.in[0]->dtype() == DType::I64) {
    const auto x = call.indices(0);
    const auto y = call.out[0].mutable_data<std::int64_t>();
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = wrapped(call.op.unary.whole(x[i], call), call.out_types[0].dtype);
    return;
  }
  const auto x = call.x(0);
  const auto y = call.y();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = call.op.unary.value(x[i], call);
}

void unary_gradient(GradBuilder& g) {
  Attrs attrs = g.call().attrs;
  attrs["of"] = std::string(g.call().op.name);
  const Value kept = g.call().op.unary.from_output ? g.output() : g.input(0);
  g.set(0, g.add("unary_grad", {g.output_grad(), kept, g.output()}, std::move(attrs)));
}

}  // namespace

TypeList same_type(const TypedCall& call) {
  return std::vector<TensorType>{call.in[0]};
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t back = out.size() - i;  // aligned at the right
    const std::int64_t da = back <= a.size() ? a[a.size() - back] : 1;
    const std::int64_t db = back <= b.size() ? b[b.size() - back] : 1;
    if (da != db && da != 1 && db != 1)
      return Error{.what = cat("shapes ", to_string(a), " and ", to_string(b), " do not broadcast"),
                   .hint = "counted from the right, dimensions must be equal or 1"};
    out[i] = da == 1 ? db : da;
  }
  return out;
}

TypeList broadcast_type(const TypedCall& call) {
  TensorType type = call.in[0];
  for (std::size_t i = 1; i < call.in.size(); ++i) {
    CH_TRY(type.shape, broadcast(type.shape, call.shape(i)));
  }
  return std::vector<TensorType>{std::move(type)};
}

Result<std::int64_t> normal_axis(std::int64_t axis, std::size_t rank) {
  const auto limit = static_cast<std::int64_t>(rank);
  if (axis < -limit || axis >= limit)
    return Error{
        .what = cat("dimension ", axis, " is outside a tensor of rank ", rank),
        .hint = rank == 0 ? "the tensor is a scalar" : cat("use ", -limit, " to ", limit - 1)};
  return axis < 0 ? axis + limit : axis;
}

std::int64_t product(const Shape& shape, std::size_t from, std::size_t to) {
  std::int64_t result = 1;
  for (std::size_t i = from; i < to && i < shape.size(); ++i) result *= shape[i];
  return result;
}

BroadcastIndex::BroadcastIndex(const Shape& in, const Shape& out)
    : out_strides_(out.size()), in_strides_(out.size()) {
  std::int64_t out_stride = 1;
  std::int64_t in_stride = 1;
  for (std::size_t back = 1; back <= out.size(); ++back) {
    const std::size_t at = out.size() - back;
    const std::int64_t dim = back <= in.size() ? in[in.size() - back] : 1;
    out_strides_[at] = out_stride;
    in_strides_[at] = dim == 1 ? 0 : in_stride;
    out_stride *= out[at];
    in_stride *= dim;
  }
}

std::size_t BroadcastIndex::operator()(std::size_t flat) const {
  auto rest = static_cast<std::int64_t>(flat);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < out_strides_.size(); ++i) {
    at += rest / out_strides_[i] * in_strides_[i];
    rest %= out_strides_[i];
  }
  return static_cast<std::size_t>(at);
}

Cost per_element(const CostCall& call) {
  const std::int64_t count = numel(call.out[0].shape);
  return {.lab = count, .exact = count, .backward = count};
}

Cost per_element_forward(const CostCall& call) {
  const std::int64_t count = numel(call.out[0].shape);
  return {.lab = count, .exact = count};
}

Cost free_of_charge(const CostCall& /*call*/) {
  return {};
}

std::string_view kept(std::string text) {
  static std::deque<std::string> texts;  // they do not move when more come
  return texts.emplace_back(std::move(text));
}

OpDef torch_named(OpDef op, std::string_view arguments) {
  if (!op.module.empty() || !op.function.empty()) return op;
  if (op.mase_type == MaseType::ModuleRelatedFunc) op.mase_type = MaseType::BuiltinFunc;
  op.function = kept(cat("torch.", op.name));
  op.method = op.name;
  if (op.torch.empty()) op.torch = kept(cat(op.function, "(", arguments, ")"));
  return op;
}

Field inplace_attr() {
  return {.name = "inplace",
          .initial = false,
          .doc = "kept for its name in reports; results never depend on it",
          .ignored = true};
}

std::string named_arguments(const Call& call) {
  std::string text;
  for (const Field& field : call.op.attrs) {
    if (field.ignored && call.attr(field.name) == call.op.defaults.at(std::string(field.name)))
      continue;
    text += cat(text.empty() ? "" : ", ", field.name, "=", to_python(call.attr(field.name)));
  }
  return text;
}

std::vector<Sample> each_of(std::vector<SampleInput> inputs) {
  std::vector<Sample> samples;
  for (SampleInput& input : inputs) samples.push_back({.inputs = {std::move(input)}});
  return samples;
}

std::vector<Sample> usual_samples(double low, double high, double far_low, double far_high) {
  return each_of({{.shape = {4, 5}, .low = low, .high = high},
                  {.shape = {7}, .low = far_low, .high = far_high},
                  {.shape = {1}, .low = low, .high = high},
                  {.shape = {0, 3}}});
}

SampleInput wholes(Shape shape, double low, double high, DType dtype) {
  return {.shape = std::move(shape), .low = low, .high = high, .dtype = dtype};
}

SampleInput truths(Shape shape) {
  return wholes(std::move(shape), 0, 2, DType::Bool);
}

TypeList unary_type(const TypedCall& call) {
  CH_CHECK(call.op.unary.whole != nullptr ? need_number(call) : need_real(call));
  return same_type(call);
}

OpDef inplace_op(OpDef op) {
  op.fx = "x, inplace=inplace";
  op.attrs = {inplace_attr()};
  return unary_op(std::move(op));
}

OpDef unary_op(OpDef op) {
  op = torch_named(std::move(op), "x");
  op.traits = op.traits | Trait::Elementwise;
  if (op.infer == nullptr) op.infer = unary_type;
  op.forward = unary_forward;
  if (op.samples.empty()) op.samples = usual_samples();
  op.rows_apart = broadcast_by_row;
  const bool differentiable = !has(op.traits, Trait::NoGradient);
  if (differentiable) op.gradient = unary_gradient;
  if (op.cost == nullptr) op.cost = differentiable ? per_element : per_element_forward;
  const bool activation = op.mase_type == MaseType::ModuleRelatedFunc;
  if (activation && op.quantisable.empty()) op.quantisable = {"data_in"};
  return op;
}

}  // namespace chop::ops
