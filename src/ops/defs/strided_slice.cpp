// y = x[starts:ends:steps, ...] in every dimension, as Python slices: negative starts and ends
// count from the end, those outside are moved to it, a negative step walks backwards.
#include "ops/families/indexing/strided.hpp"

namespace chop::ops::strided_slice {
namespace {

TypeList infer(const TypedCall& call) {
  CH_TRY(const Shape y, strided_shape(call, call.shape(0)));
  return std::vector<TensorType>{{call.in[0].dtype, y}};
}

void forward(const ForwardCall& call) {
  mapped_forward(call, strided_maps(call, call.in[0]->shape()), 0);
}

void gradient(GradBuilder& g) {
  Attrs attrs = {{"input_shape", g.shape(g.input(0))}};
  for (const char* name : {"starts", "ends", "steps"}) attrs[name] = g.call().ints(name);
  g.set(0, g.add("strided_slice_grad", {g.output_grad()}, std::move(attrs)));
}

Attrs with(Ints starts, Ints ends, Ints steps) {
  return {{"starts", std::move(starts)}, {"ends", std::move(ends)}, {"steps", std::move(steps)}};
}

}  // namespace

OpDef define() {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kBegin = std::numeric_limits<std::int64_t>::min();
  return {
      .name = "strided_slice",
      .doc =
          "x[starts:ends:steps] with an entry for every dimension, as in Python: negative "
          "starts and ends count from the end, those outside are moved to it, a negative step "
          "walks backwards",
      .mase_type = MaseType::ImplicitFunc,
      .function = "operator.getitem",
      .torch =
          "x[torch.meshgrid(*[torch.tensor(list(range(n)[s:e:t]), dtype=torch.long) for n, s, "
          "e, t in zip(x.shape, starts, ends, steps or [1] * x.dim())], indexing='ij')] if x.dim() "
          "else x",
      .attrs = {{"starts", Ints{}, "first index in each dimension", true},
                {"ends", Ints{}, "the index before which each dimension ends", true},
                {"steps", Ints{}, "distance between indices; empty: 1 everywhere"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .samples = {{.attrs = with({1, 0}, {3, 5}, {1, 2}), .inputs = {{{4, 5}}}},
                  {.attrs = with({-1, -3}, {kBegin, kEnd}, {-1, 1}), .inputs = {{{3, 4}}}},
                  {.attrs = with({5, 4, 0}, {0, -5, 9}, {-2, -3, 4}), .inputs = {{{4, 5, 3}}}},
                  {.attrs = with({2, 0}, {1, 2}, {1, 1}), .inputs = {{{3, 2}}}},
                  {.attrs = {{"starts", Ints{0}}, {"ends", Ints{1}}}, .inputs = {{{1}}}},
                  {.attrs = with({}, {}, {}), .inputs = {{.shape = {}}}},
                  {.attrs = with({-100, 1}, {kEnd, 100}, {kEnd, kBegin + 1}),
                   .inputs = {{.shape = {3, 0}, .dtype = DType::I64}}},
                  {.attrs = with({-2}, {kBegin}, {-1}), .inputs = {truths({4})}}},
  };
}

}  // namespace chop::ops::strided_slice
