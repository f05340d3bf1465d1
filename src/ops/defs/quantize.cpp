// y = q(x): the values as a number format holds them. `lower` puts these calls before (and
// behind) the operands that carry a format; they are not written by hand.
//
// The gradient is the format's rule, not a derivative: a staircase has none worth having.
#include "ops/core/quantise.hpp"
#include "ops/core/rows.hpp"

namespace chop::ops::quantize {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(const Quantiser quantiser, quantiser_of(call, call.shape(0)));
  if (call.in.size() == 2) CH_CHECK(check_shape(call, 1, {quantiser.learned_size()}));
  return std::vector<TensorType>{call.in[0]};
}

/// Formats are defined on float32, so the reference narrows, quantises and widens.
void forward(const ForwardCall& call) {
  Quantiser quantiser = quantiser_of(call, call.in[0]->shape()).value();
  const std::vector<float> x = narrowed(call.x(0));
  const std::vector<float> learned =
      call.in.size() == 2 ? narrowed(call.x(1)) : std::vector<float>();
  std::vector<float> y(x.size());
  quantiser.run_plainly(x.data(), y.data(),
                        {.learned = learned,
                         .seed = quantise_seed(call.state, call.node_name),
                         .step = call.state.step});
  const auto out = call.y();
  for (std::size_t i = 0; i < y.size(); ++i) out[i] = static_cast<double>(y[i]);
}

void gradient(GradBuilder& g) {
  const FormatDef& format = format_of(g.call());
  if (format.gradient == GradientRule::StraightThrough) {
    g.set(0, g.output_grad());
    return;
  }
  std::vector<Value> inputs = {g.output_grad(), g.input(0)};
  if (g.operands() == 2) inputs.push_back(g.input(1));
  const Value dx = g.add("quantize_grad", inputs, g.call().attrs);
  g.set(0, dx);
  if (g.operands() == 2) g.set(1, {dx.node, 1});
}

/// Formats without blocks that draw no numbers.
bool rows_apart(const RowsCall& call) {
  const auto quantiser = quantiser_of(call, call.shape(0));
  return first_by_row(call) && quantiser && quantiser.value().groups() == 0 &&
         !quantiser.value().is_random();
}

Sample sample(Shape shape, const char* format, const char* config) {
  return {.attrs = {{"format", std::string(format)}, {"config", std::string(config)}},
          .inputs = {{.shape = std::move(shape)}}};
}

}  // namespace

OpDef define() {
  return {
      .name = "quantize",
      .doc = "y = q(x), with a number format's own rule as gradient; lowering adds these calls",
      .mase_type = MaseType::ImplicitFunc,
      .max_inputs = 2,
      .attrs = quantise_attrs(),
      .traits = Trait::Elementwise | Trait::Random | Trait::Surrogate,
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = per_element,
      .rows_apart = rows_apart,
      .samples = {sample({4, 5}, "integer", R"({"width": 8, "frac_width": 4})"),
                  sample({3, 8}, "block_fp",
                         R"({"width": 6, "exponent_width": 8, "block_size": [4]})"),
                  sample({2, 3, 4}, "minifloat_ieee", R"({"width": 8, "exponent_width": 4})"),
                  {.attrs = {{"format", "lsq_integer"}, {"config", std::string(R"({"width": 4})")}},
                   .inputs = {{.shape = {4, 6}}, {.shape = {1}, .low = 0.2, .high = 0.5}}},
                  sample({0, 3}, "integer", R"({"width": 8, "frac_width": 4})")},
  };
}

}  // namespace chop::ops::quantize
