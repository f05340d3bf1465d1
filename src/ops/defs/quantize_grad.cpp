// dx, and what the format learns, of quantize: given dy, x and the learned numbers if any.
#include "ops/core/quantise.hpp"

namespace chop::ops::quantize_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(check_shape(call, 0, call.shape(1)));
  CH_TRY(const Quantiser quantiser, quantiser_of(call, call.shape(1)));
  std::vector<TensorType> out = {call.in[1]};
  if (call.in.size() == 3) {
    CH_CHECK(check_shape(call, 2, {quantiser.learned_size()}));
    out.push_back(call.in[2]);
  }
  return out;
}

void forward(const ForwardCall& call) {
  Quantiser quantiser = quantiser_of(call, call.in[1]->shape()).value();
  const std::vector<float> dy = narrowed(call.x(0));
  const std::vector<float> x = narrowed(call.x(1));
  const std::vector<float> learned =
      call.in.size() == 3 ? narrowed(call.x(2)) : std::vector<float>();
  std::vector<float> dx(x.size());
  std::vector<float> d_learned(learned.size());
  quantiser.gradient(x.data(), dy.data(), dx.data(), learned, d_learned);
  std::copy(dx.begin(), dx.end(), call.y().begin());
  if (call.in.size() == 3) std::copy(d_learned.begin(), d_learned.end(), call.y(1).begin());
}

Sample sample(const char* format, const char* config, std::vector<SampleInput> inputs) {
  return {.attrs = {{"format", std::string(format)}, {"config", std::string(config)}},
          .inputs = std::move(inputs)};
}

}  // namespace

OpDef define() {
  return {
      .name = "quantize_grad",
      .doc = "dx of `quantize` by the format's rule, and the gradient of what the format learns",
      .mase_type = MaseType::Gradient,
      .min_inputs = 2,
      .max_inputs = 3,
      .attrs = quantise_attrs(),
      .infer = infer,
      .forward = forward,
      .cost = per_element,
      .samples =
          {sample("binary_residual", "{}", {{.shape = {4, 5}}, {.shape = {4, 5}}}),
           sample("lsq_integer", R"({"width": 4})",
                  {{.shape = {3, 4}}, {.shape = {3, 4}}, {.shape = {1}, .low = 0.2, .high = 0.5}})},
  };
}

}  // namespace chop::ops::quantize_grad
