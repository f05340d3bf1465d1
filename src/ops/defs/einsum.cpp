// y = Σ of products, named by letters: "ij,jk->ik" is y[i, k] = Σ_j a[i, j] · b[j, k]
#include "ops/families/indexing/einsum.hpp"

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::einsum {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  std::vector<Shape> shapes;
  for (const TensorType& type : call.in) shapes.push_back(type.shape);
  CH_TRY(const EinsumPlan plan, plan_einsum(call, shapes));
  return std::vector<TensorType>{{call.in[0].dtype, plan.out}};
}

void forward(const ForwardCall& call) {
  std::vector<Shape> shapes;
  std::vector<std::span<const double>> x;
  for (std::size_t k = 0; k < call.in.size(); ++k) {
    shapes.push_back(call.in[k]->shape());
    x.push_back(call.x(k));
  }
  const auto y = call.y();
  for_each_term(plan_einsum(call, shapes).value(), [&](const std::vector<std::size_t>& at) {
    double term = 1;
    for (std::size_t k = 0; k < x.size(); ++k) term *= x[k][at[k]];
    y[at.back()] += term;
  });
}

void gradient(GradBuilder& g) {
  std::vector<Value> inputs = {g.output_grad()};
  for (std::size_t k = 0; k < g.operands(); ++k) inputs.push_back(g.input(k));
  const Value dx =
      g.add("einsum_grad", std::move(inputs), {{"equation", g.call().text("equation")}});
  for (std::uint32_t k = 0; k < g.operands(); ++k) g.set(k, {dx.node, k});
}

/// A term takes a multiplication for each operand but the first; all but the first term of an
/// output are added. Of one operand there are additions alone.
Cost cost(const CostCall& call) {
  std::vector<Shape> shapes;
  for (const TensorType& type : call.in) shapes.push_back(type.shape);
  const std::int64_t terms = plan_einsum(call, shapes).value().products();
  const auto operands = static_cast<std::int64_t>(call.in.size());
  const std::int64_t macs = terms * (operands - 1);
  const std::int64_t lab = operands == 1 ? terms : macs;
  return {.macs = macs,
          .lab = lab,
          .exact = terms == 0 ? 0 : macs + terms - numel(call.out[0].shape),
          .backward = operands * lab};
}

Attrs with(const char* equation) {
  return {{"equation", std::string(equation)}};
}

}  // namespace

OpDef define() {
  return {
      .name = "einsum",
      .doc =
          "Σ of products over the letters that the result does not have: \"ij,jk->ik\" is "
          "y[i, k] = Σ_j a[i, j] · b[j, k]. Without \"->\" the result has the letters that "
          "occur once, in alphabetical order; \"...\" stands for any dimensions; a letter "
          "twice in one operand walks its diagonal",
      .mase_type = MaseType::BuiltinFunc,
      .torch = "torch.einsum(equation, *xs)",
      .fx = "equation, *xs",
      .max_inputs = kVariadic,
      .attrs = {{"equation", std::string(), "letters for the dimensions of each operand", true}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .onnx = {{"Einsum", 12, {{"equation", "equation"}}}},
      .samples = {{.attrs = with("ij,jk->ik"), .inputs = {{{2, 3}}, {{3, 4}}}},
                  {.attrs = with("bij, bjk"), .inputs = {{{2, 2, 3}}, {{2, 3, 1}}}},
                  {.attrs = with("...ij,...kj->...ik"), .inputs = {{{2, 1, 2, 3}}, {{3, 2, 3}}}},
                  {.attrs = with("i...->..."), .inputs = {{{3, 2, 2}}}},
                  {.attrs = with("ii->i"), .inputs = {{{3, 3}}}},
                  {.attrs = with("ii"), .inputs = {{{3, 3}}}},
                  {.attrs = with("ba"), .inputs = {{{2, 3}}}},
                  {.attrs = with("ij->"), .inputs = {{{2, 3}}}},
                  {.attrs = with("i,ij,jk->k"), .inputs = {{{2}}, {{2, 3}}, {{3, 2}}}},
                  {.attrs = with("ij,ij->ij"), .inputs = {{{2, 3}}, {{2, 3}}}},
                  {.attrs = with(",i->i"), .inputs = {{.shape = {}}, {{1}}}},
                  {.attrs = with("ij,jk->ik"), .inputs = {{{2, 0}}, {{0, 2}}}}},
  };
}

}  // namespace chop::ops::einsum
