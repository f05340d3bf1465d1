// dx and dupdates of scatter_elements and scatter_nd, given dy, x, indices and updates.
//   none: the last update of an element gets its dy, x and earlier updates nothing
//   add:  all of them get it
//   mul:  each gets it times the product of the others
#include "ops/core/checks.hpp"
#include "ops/families/indexing/scatter.hpp"

namespace chop::ops::scatter_grad {
namespace {

Scatter kind_of(const Call& call) {
  return call.flag("nd") ? Scatter::Nd : Scatter::Elements;
}

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_whole(call, 2));
  CH_CHECK(check_scatter(call, kind_of(call), call.shape(1), call.shape(2), call.shape(3)));
  CH_CHECK(check_shape(call, 0, call.shape(1)));
  for (const std::size_t position : {0U, 1U, 3U})
    if (!is_floating(call.in[position].dtype))
      return Error{.what = cat("scatter_grad works on real numbers, operand ", position, " is ",
                               name_of(call.in[position].dtype))};
  return std::vector<TensorType>{call.in[1], call.in[3]};
}

/// The value of the element before each update, in order.
std::vector<double> found(const ForwardCall& call, const Ints& positions) {
  std::vector<double> y(call.x(1).begin(), call.x(1).end());
  std::vector<double> before(positions.size());
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (positions[k] < 0) continue;
    double& at = y[static_cast<std::size_t>(positions[k])];
    before[k] = at;
    at *= call.x(3)[k];
  }
  return before;
}

void forward(const ForwardCall& call) {
  const Ints positions = scatter_positions(call, kind_of(call), call.in[1]->shape(), *call.in[2]);
  const std::string& reduction = call.text("reduction");
  const bool product = reduction == "mul";
  const std::vector<double> before = product ? found(call, positions) : std::vector<double>();
  const auto updates = call.x(3);
  const auto dx = call.y(0);  // on the way: what reaches the element after update k
  const auto du = call.y(1);
  copy_forward(call);
  for (std::size_t k = positions.size(); k-- > 0;) {
    if (positions[k] < 0) continue;
    double& reaches = dx[static_cast<std::size_t>(positions[k])];
    du[k] = product ? reaches * before[k] : reaches;
    if (product) reaches *= updates[k];
    if (reduction == "none") reaches = 0;
  }
}

Cost cost(const CostCall& call) {
  return {.exact = call.text("reduction") == "mul" ? 3 * numel(call.shape(3)) : 0};
}

}  // namespace

OpDef define() {
  const SampleInput indices = wholes({4, 2}, -3, 3);
  return {
      .name = "scatter_grad",
      .doc = "dx and dupdates of scatter_elements or scatter_nd, given dy, x, indices and updates",
      .mase_type = MaseType::Gradient,
      .min_inputs = 4,
      .attrs = {{"nd", false, "whether it was scatter_nd"},
                {"dim", 0, "of scatter_elements"},
                {"batch_dims", 0, "of scatter_nd"},
                reduction_attr()},
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.inputs = {{{3, 2}}, {{3, 2}}, indices, {{4, 2}}}},
                  {.attrs = {{"reduction", "mul"}},
                   .inputs = {{{3, 2}}, {{3, 2}}, indices, {{4, 2}}}},
                  {.attrs = {{"reduction", "add"}, {"nd", true}},
                   .inputs = {{{3, 3}}, {{3, 3}}, indices, {{4}}}}},
  };
}

}  // namespace chop::ops::scatter_grad
