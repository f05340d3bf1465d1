// The gradients of einsum, given dy and its operands: for every product in the sum, each
// factor gets dy times the product of the others.
#include "ops/core/checks.hpp"
#include "ops/families/indexing/einsum.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::einsum_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  std::vector<Shape> shapes;
  for (const TensorType& type : call.in.subspan(1)) shapes.push_back(type.shape);
  CH_TRY(const EinsumPlan plan, plan_einsum(call, shapes));
  CH_CHECK(check_shape(call, 0, plan.out));
  return std::vector<TensorType>(call.in.begin() + 1, call.in.end());
}

void forward(const ForwardCall& call) {
  const std::size_t operands = call.out.size();
  std::vector<Shape> shapes;
  std::vector<std::span<const double>> x;
  std::vector<std::span<double>> dx;
  for (std::size_t k = 0; k < operands; ++k) {
    shapes.push_back(call.in[k + 1]->shape());
    x.push_back(call.x(k + 1));
    dx.push_back(call.y(k));
  }
  const auto dy = call.x(0);
  for_each_term(plan_einsum(call, shapes).value(), [&](const std::vector<std::size_t>& at) {
    for (std::size_t k = 0; k < operands; ++k) {
      double term = dy[at.back()];
      for (std::size_t other = 0; other < operands; ++other)
        if (other != k) term *= x[other][at[other]];
      dx[k][at[k]] += term;
    }
  });
}

Cost cost(const CostCall& call) {
  std::vector<Shape> shapes;
  for (const TensorType& type : call.in.subspan(1)) shapes.push_back(type.shape);
  const auto operands = static_cast<std::int64_t>(shapes.size());
  const std::int64_t macs = plan_einsum(call, shapes).value().products() * operands *
                            std::max<std::int64_t>(operands - 1, 1);
  return {.macs = macs, .lab = macs, .exact = 2 * macs};
}

}  // namespace

OpDef define() {
  return {
      .name = "einsum_grad",
      .doc =
          "the gradients of einsum, given dy and its operands: for every product in the sum, "
          "each factor gets dy times the product of the others",
      .mase_type = MaseType::Gradient,
      .min_inputs = 2,
      .max_inputs = kVariadic,
      .attrs = {{"equation", std::string(), "letters for the dimensions of each operand", true}},
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.attrs = {{"equation", "ij,jk->ik"}}, .inputs = {{{2, 2}}, {{2, 3}}, {{3, 2}}}},
                  {.attrs = {{"equation", "ii"}}, .inputs = {{.shape = {}}, {{2, 2}}}}},
  };
}

}  // namespace chop::ops::einsum_grad
