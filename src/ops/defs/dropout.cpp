// y = x · mask while training, mask = 0 with probability p, otherwise 1/(1-p); else y = x
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"

namespace chop::ops::dropout {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  const double p = call.real("p");
  if (!(p >= 0 && p <= 1))
    return Error{.what = cat("dropout with p=", python_repr(p)),
                 .hint = "p is a probability, from 0 to 1"};
  std::vector<TensorType> out = {call.in[0]};
  if (call.flag("training")) out.push_back(call.in[0]);
  return out;
}

/// The i-th element's fate depends on seed, step, the node's name and i alone.
void forward(const ForwardCall& call) {
  if (!call.flag("training")) return copy_forward(call);
  const double p = call.real("p");
  const Stream stream(call.state.seed, cat("dropout/", call.node_name), call.state.step);
  const auto x = call.x(0);
  const auto y = call.y(0);
  const auto mask = call.y(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    mask[i] = stream.uniform(i) >= p ? 1 / (1 - p) : 0.0;
    y[i] = x[i] * mask[i];
  }
}

void gradient(GradBuilder& g) {
  g.set(0,
        g.call().flag("training") ? g.add("mul", {g.output_grad(), g.output(1)}) : g.output_grad());
}

/// Nothing but a copy when not training; else one product per element.
Cost cost(const CostCall& call) {
  return {.exact = call.flag("training") ? numel(call.shape(0)) : 0};
}

bool rows_apart(const RowsCall& call) {
  return first_by_row(call) && !call.flag("training");
}

std::string repr(const Call& call) {
  return cat("p=", python_repr(call.real("p")), ", inplace=", to_python(call.attr("inplace")));
}

}  // namespace

OpDef define() {
  return {
      .name = "dropout",
      .doc =
          "y = x · mask while training, where mask is 0 with probability p and 1/(1-p) "
          "otherwise; y = x when not. Training calls return the mask as well",
      .module = "Dropout",
      .torch = "F.dropout(x, p, training)",
      .fx = "x, p=p, training=True, inplace=inplace",
      .attrs = {{"p", 0.5, "probability that an element becomes 0"},
                {.name = "training",
                 .initial = false,
                 .doc = "set when a graph is lowered for training",
                 .internal = true},
                inplace_attr()},
      .traits = Trait::Random | Trait::View | Trait::TrainingMode,  // a view unless training
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .rows_apart = rows_apart,
      .onnx = {{"Dropout", 13}},
      .repr = repr,
      .samples = {{.inputs = {{{4, 5}}}},
                  {.attrs = {{"p", 0.25}}, .inputs = {{{3, 1, 7}}}},
                  {.attrs = {{"p", 0.0}}, .inputs = {{{3}}}},
                  {.attrs = {{"p", 1.0}}, .inputs = {{{2, 2}}}},
                  {.inputs = {{{0, 3}}}}},
  };
}

}  // namespace chop::ops::dropout
