// y = Π x over the dimensions `dim`
#include "ops/families/elementwise/reduce.hpp"
#include "ops/families/elementwise/whole.hpp"

namespace chop::ops::prod {
namespace {

void forward(const ForwardCall& call) {
  const auto groups = reduced_groups(call, call.in[0]->shape());
  if (call.in[0]->dtype() == DType::F64) {
    for (std::size_t k = 0; k < groups.size(); ++k) {
      double y = 1;
      for (const std::size_t i : groups[k]) y *= call.x(0)[i];
      call.y()[k] = y;
    }
    return;
  }
  const auto y = call.out[0].mutable_data<std::int64_t>();
  for (std::size_t k = 0; k < groups.size(); ++k) {
    y[k] = 1;
    for (const std::size_t i : groups[k]) y[k] = wrapping_mul(y[k], call.indices(0)[i]);
    y[k] = wrapped(y[k], call.out_types[0].dtype);
  }
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("prod_grad", {g.output_grad(), g.input(0)}, {{"dim", g.call().ints("dim")}}));
}

}  // namespace

OpDef define() {
  return reduce_op({
      .name = "prod",
      .doc = "y = Π x over the dimensions `dim`, 1 of nothing. Whole numbers keep their dtype",
      .function = "torch.prod",
      .method = "prod",
      .torch =
          "(lambda axes: x.permute([i for i in range(x.dim()) if i not in axes] + axes).reshape([n "
          "for i, n in enumerate(x.shape) if i not in axes] + [int(torch.tensor([x.shape[i] for i "
          "in axes]).prod())]).prod(-1).reshape([1 if i in axes else n for i, n in "
          "enumerate(x.shape) if keepdim or i not in axes]))([d % x.dim() for d in dim] or "
          "list(range(x.dim())))",
      .infer = number_reduce_type,
      .forward = forward,
      .gradient = gradient,
      .onnx = {{"ReduceProd", 13}},
      .samples = {{.attrs = {{"dim", Ints{1}}},
                   .inputs = {{.shape = {2, 3}, .low = 0, .high = 0}}},  // the product of zeros
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {{{2, 1}}}},
                  {.attrs = {{"dim", Ints{0}}}, .inputs = {{{0, 3}}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {wholes({3, 4}, -4, 5)}}},
  });
}

}  // namespace chop::ops::prod
