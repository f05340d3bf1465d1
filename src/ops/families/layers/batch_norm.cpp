// Batch normalisation, per channel c:
//   y = (x − mean) · invstd · weight + bias      invstd = 1/√(var + eps)
// In training, mean and (biased) var are the batch's own; otherwise the running ones, which
// training moves: running ← (1 − momentum)·running + momentum·batch, with unbiased var.
#include "ops/families/layers/batch_norm.hpp"

#include "ops/core/checks.hpp"
#include "ops/core/rows.hpp"
#include "ops/families/layers/window.hpp"
#include "support/text.hpp"

namespace chop::ops {
namespace {

bool updates_running(const Call& call) {
  return call.flag("training") && call.flag("track_running_stats");
}

Status check_rank(const Call& call, const Shape& x) {
  const bool fits =
      call.op.dims == 1 ? x.size() == 2 || x.size() == 3 : x.size() == call.op.dims + 2;
  const std::int64_t channels = call.integer("num_features");
  if (!fits)
    return Error{.what = cat(call.op.name, " cannot take ", to_string(x)),
                 .hint = call.op.dims == 1   ? "its input must be [N, C] or [N, C, L]"
                         : call.op.dims == 2 ? "its input must be [N, C, H, W]"
                                             : "its input must be [N, C, D, H, W]"};
  if (x[1] != channels)
    return Error{
        .what = cat(call.op.name, " with num_features=", channels, " cannot take ", to_string(x)),
        .hint = cat("dimension 1 of its input must be ", channels)};
  return {};
}

TypeList norm_infer(const TypedCall& call) {
  CH_CHECK(check_at_least(call, "num_features", 1));
  CH_CHECK(check_operands(call));
  const Shape& x = call.shape(0);
  CH_CHECK(check_rank(call, x));
  if (uses_batch_statistics(call) && ChannelLayout(x).per_channel() == 1)
    return Error{
        .what = cat("expected more than 1 value per channel when training, got ", to_string(x)),
        .hint = "use a batch of at least 2"};
  const TensorType per_channel = {call.in[0].dtype, {x[1]}};
  std::vector<TensorType> out(updates_running(call) ? 5 : 3, per_channel);
  out[0] = call.in[0];
  return out;
}

struct Moments {
  double mean = 0;
  double var = 0;  ///< biased
};

/// Of an empty batch: zeros.
Moments moments(const ChannelLayout& layout, std::span<const double> x, std::int64_t c) {
  const double count = std::max(1.0, static_cast<double>(layout.per_channel()));
  Moments m;
  layout.for_each(c, [&](auto i) { m.mean += x[i]; });
  m.mean /= count;
  layout.for_each(c, [&](auto i) { m.var += (x[i] - m.mean) * (x[i] - m.mean); });
  m.var /= count;
  return m;
}

/// A parameter's values; none when the call has no such parameter.
std::span<const double> param(const ForwardCall& call, std::string_view name) {
  const std::int64_t at = call.find(name);
  return at < 0 ? std::span<const double>() : call.x(static_cast<std::size_t>(at));
}

/// An empty batch leaves the running statistics alone.
void move_running(const ForwardCall& call, const ChannelLayout& layout, std::int64_t c,
                  const Moments& batch) {
  const double old_mean = param(call, "running_mean")[c];
  const double old_var = param(call, "running_var")[c];
  const auto count = static_cast<double>(layout.per_channel());
  const double momentum = count == 0 ? 0.0 : call.real("momentum");
  const double unbiased = count == 0 ? 0.0 : batch.var * count / (count - 1);
  call.y(3)[c] = (1 - momentum) * old_mean + momentum * batch.mean;
  call.y(4)[c] = (1 - momentum) * old_var + momentum * unbiased;
}

void norm_forward(const ForwardCall& call) {
  const ChannelLayout layout(call.in[0]->shape());
  const auto x = call.x(0);
  const auto y = call.y();
  const auto weight = param(call, "weight");
  const auto bias = param(call, "bias");
  const bool clamped = call.flag("relu");
  for (std::int64_t c = 0; c < layout.channels; ++c) {
    const Moments used = uses_batch_statistics(call) ? moments(layout, x, c)
                                                     : Moments{param(call, "running_mean")[c],
                                                               param(call, "running_var")[c]};
    const double invstd = 1.0 / std::sqrt(used.var + call.real("eps"));
    const double scale = weight.empty() ? 1.0 : weight[c];
    const double shift = bias.empty() ? 0.0 : bias[c];
    layout.for_each(c, [&](auto i) {
      y[i] = (x[i] - used.mean) * invstd * scale + shift;
      if (clamped && y[i] < 0) y[i] = 0;
    });
    call.y(1)[c] = used.mean;
    call.y(2)[c] = invstd;
    if (updates_running(call)) move_running(call, layout, c, used);
  }
}

void norm_gradient(GradBuilder& g) {
  std::vector<Value> inputs = {g.output_grad(), g.input(0), g.output(1), g.output(2)};
  const bool affine = g.call().flag("affine");
  if (affine) inputs.push_back(g.input(static_cast<std::size_t>(g.find("weight"))));
  Attrs attrs = {{"training", uses_batch_statistics(g.call())}, {"affine", affine}};
  if (g.call().flag("relu")) {
    inputs.push_back(g.output());
    attrs["relu"] = true;
  }
  const Value dx = g.add("batch_norm_grad", std::move(inputs), std::move(attrs));
  g.set(0, dx);
  if (!affine) return;
  g.set(static_cast<std::size_t>(g.find("weight")), {dx.node, 1});
  g.set(static_cast<std::size_t>(g.find("bias")), {dx.node, 2});
}

/// Per element: − mean, · invstd, · weight, + bias; for batch statistics also the additions
/// of the mean and the −, ·, + of the variance. Per channel: + eps, √, 1/.
Cost norm_cost(const CostCall& call) {
  const std::int64_t elements = numel(call.shape(0));
  const std::int64_t each =
      2 + (call.flag("affine") ? 2 : 0) + (uses_batch_statistics(call) ? 4 : 0);
  return {.lab = 4 * elements,
          .exact = each * elements + 3 * call.integer("num_features"),
          .backward = 4 * elements};
}

bool norm_rows_apart(const RowsCall& call) {
  return first_by_row(call) && !uses_batch_statistics(call);
}

std::string norm_repr(const Call& call) {
  return cat(call.integer("num_features"), ", eps=", python_repr(call.real("eps")),
             ", momentum=", python_repr(call.real("momentum")),
             ", affine=", to_python(call.attr("affine")),
             ", track_running_stats=", to_python(call.attr("track_running_stats")));
}

Shape channel_shape(const Call& call) {
  return {call.integer("num_features")};
}

}  // namespace

bool uses_batch_statistics(const Call& call) {
  return call.flag("training") || !call.flag("track_running_stats");
}

Attrs norm_attrs(std::int64_t features, Attrs more) {
  more.insert({"num_features", features});
  return more;
}

namespace {

std::vector<Sample> norm_samples(std::size_t dims) {
  return in_dims(
      dims,
      {{.attrs = norm_attrs(3), .inputs = {{{2, 3, 1, 2, 2}}}},
       {.attrs = norm_attrs(2, {{"training", true}}), .inputs = {{{2, 2, 2, 3, 2}}}},
       {.attrs = norm_attrs(2, {{"training", true}, {"relu", true}}),
        .inputs = {{{2, 2, 1, 3, 4}}}},
       {.attrs = norm_attrs(2, {{"training", true}, {"affine", false}}),
        .inputs = {{{1, 2, 2, 2, 3}}}},
       {.attrs = norm_attrs(1, {{"training", true}, {"track_running_stats", false}}),
        .inputs = {{{3, 1, 1, 1, 2}}}},
       {.attrs = norm_attrs(2, {{"training", true}, {"eps", 0.1}, {"momentum", 0.3}}),
        .inputs = {{{2, 2, 2, 1, 3}}}},
       {.attrs =
            norm_attrs(2, {{"training", true}, {"affine", false}, {"track_running_stats", false}}),
        .inputs = {{{4, 2, 1, 1, 1}}}},
       {.attrs = norm_attrs(2, {{"track_running_stats", false}}), .inputs = {{{1, 2, 1, 1, 4}}}},
       {.attrs = norm_attrs(1, {{"affine", false}, {"eps", 0.1}}), .inputs = {{{2, 1, 1, 1, 1}}}},
       {.attrs = norm_attrs(1), .inputs = {{{2, 1, 1, 1, 1}}}}});
}

}  // namespace

OpDef batch_norm_op(OpDef op) {
  op.mase_type = MaseType::Module;
  op.torch =
      "(F.relu if relu else torch.nn.Identity())(F.batch_norm(x, running_mean, running_var, "
      "weight, bias, training or not track_running_stats, momentum, eps))";
  op.attrs = {{"num_features", 0, "channels of the input", true},
              {"eps", 1e-5, "added to the variance"},
              {"momentum", 0.1, "how far one batch moves the running statistics"},
              {"affine", true, "whether weight and bias are applied"},
              {"track_running_stats", true, "whether running statistics exist"},
              {.name = "training",
               .initial = false,
               .doc = "set in training: normalise with the batch's statistics",
               .internal = true},
              {.name = "relu",
               .initial = false,
               .doc = "set by plans: whether y is clamped at zero",
               .internal = true}};
  op.params = {{"weight", channel_shape, {InitKind::Ones}, true, "affine"},
               {"bias", channel_shape, {InitKind::Zeros}, true, "affine"},
               {"running_mean", channel_shape, {InitKind::Zeros}, false, "track_running_stats"},
               {"running_var", channel_shape, {InitKind::Ones}, false, "track_running_stats"}};
  op.updates = {{3, "running_mean"}, {4, "running_var"}};
  op.infer = norm_infer;
  op.forward = norm_forward;
  op.gradient = norm_gradient;
  op.cost = norm_cost;
  op.rows_apart = norm_rows_apart;
  op.traits = op.traits | Trait::ChannelAffine | Trait::TrainingMode | Trait::TakesRelu;
  op.quantisable = {"data_in", {"weight", false}, {"bias", false}};
  op.onnx = {{"BatchNormalization", 9}};
  op.repr = norm_repr;
  const std::vector<Sample> samples = norm_samples(op.dims);
  op.samples.insert(op.samples.begin(), samples.begin(), samples.end());
  return op;
}

}  // namespace chop::ops
