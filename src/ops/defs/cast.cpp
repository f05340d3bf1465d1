// y = x in another dtype
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::cast {
namespace {

TypeList infer(const TypedCall& call) {
  CH_TRY(const DType dtype, dtype_from_name(call.text("dtype")));
  return std::vector<TensorType>{{dtype, call.shape(0)}};
}

/// Through the dtype itself where it holds less than the reference does; f32 is not: here real
/// numbers of both widths are doubles.
void forward(const ForwardCall& call) {
  const DType wanted = dtype_from_name(call.text("dtype")).value();
  const DType through = wanted == DType::F32 ? DType::F64 : wanted;
  call.out[0] = call.in[0]->to(through).to(call.out[0].dtype());
}

void gradient(GradBuilder& g) {
  const DType from = g.dtype(g.input(0));
  if (!is_floating(from) || !is_floating(g.dtype(g.output()))) return;
  g.set(0, g.add("cast", {g.output_grad()}, {{"dtype", std::string(name_of(from))}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "cast",
      .doc =
          "x in another dtype. Real numbers become whole ones by dropping what is behind the "
          "point; numbers out of range become the nearest in range (PyTorch wraps them), NaN 0, "
          "and all that is not zero true. The gradient passes between real dtypes only",
      .mase_type = MaseType::ImplicitFunc,
      .method = "to",
      .torch =
          "x.to({'f32': x.dtype if x.is_floating_point() else torch.get_default_dtype(), "
          "'f64': torch.float64, 'f16': torch.float16, 'bf16': torch.bfloat16, "
          "'i64': torch.int64, 'i32': torch.int32, 'i8': torch.int8, 'u8': torch.uint8, "
          "'bool': torch.bool}[dtype])",
      .attrs = {{"dtype", "f32", "the dtype of the result: f32, i64, bool ...", true}},
      .traits = Trait::Elementwise,
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .rows_apart = broadcast_by_row,
      .onnx = {{"Cast", 9}},
      .samples = {{.attrs = {{"dtype", "i64"}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dtype", "f32"}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dtype", "f64"}}, .inputs = {{{2, 1, 3}}}},
                  {.attrs = {{"dtype", "bool"}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dtype", "bool"}}, .inputs = {wholes({9}, -1, 2)}},
                  {.attrs = {{"dtype", "f32"}}, .inputs = {truths({9})}},
                  {.attrs = {{"dtype", "f16"}}, .inputs = {wholes({9}, -5000, 5000)}},
                  {.attrs = {{"dtype", "u8"}}, .inputs = {{.shape = {9}, .low = 0, .high = 255}}},
                  {.attrs = {{"dtype", "i8"}}, .inputs = {wholes({}, -100, 100, DType::I32)}},
                  {.attrs = {{"dtype", "i64"}}, .inputs = {{{0, 3}}}}},
  };
}

}  // namespace chop::ops::cast
