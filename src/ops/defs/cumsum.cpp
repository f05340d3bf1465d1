// y[j] = Σ x[k] over k ≤ j along `dim`
#include "ops/families/elementwise/whole.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::cumsum {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_number(call));
  CH_TRY(const std::size_t axis, axis_of(call.integer("dim"), call.shape(0).size()));
  static_cast<void>(axis);
  return same_type(call);
}

double sum(double a, double b) {
  return a + b;
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return wrapping_add(a, b);
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const Lanes lanes = lanes_of(shape, axis_of(call.integer("dim"), shape.size()).value());
  const bool exclusive = call.flag("exclusive");
  const bool reverse = call.flag("reverse");
  const DType dtype = call.out_types[0].dtype;
  call.with_type(0, [&](auto zero) {
    using T = decltype(zero);
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t o = 0; o < lanes.outer; ++o)
      for (std::size_t i = 0; i < lanes.inner; ++i) {
        T total = 0;
        for (std::size_t j = 0; j < lanes.size; ++j) {
          const std::size_t at = lanes.at(o, reverse ? lanes.size - 1 - j : j, i);
          const T next = sum(total, x[at]);
          y[at] = exclusive ? total : next;
          if constexpr (std::is_same_v<T, std::int64_t>) y[at] = wrapped(y[at], dtype);
          total = next;
        }
      }
  });
}

/// dx[k] is the sum of dy from k on: the same the other way round.
void gradient(GradBuilder& g) {
  Attrs attrs = g.call().attrs;
  attrs["reverse"] = !g.call().flag("reverse");
  g.set(0, g.add("cumsum", {g.output_grad()}, std::move(attrs)));
}

}  // namespace

OpDef define() {
  return {
      .name = "cumsum",
      .doc = "y[j] = Σ x[k] over k ≤ j along `dim`. Whole numbers keep their dtype",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.cumsum",
      .method = "cumsum",
      .torch =
          "(lambda turn: turn(torch.cumsum(turn(x), dim)) - (x if exclusive else 0))"
          "(lambda z: z.flip(dim) if reverse and z.dim() else z)",
      .attrs = {{"dim", 0, "the dimension to sum along", true},
                {"exclusive", false, "whether x[j] itself is left out of y[j]"},
                {"reverse", false, "whether sums start at the end"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = per_element,
      .onnx = {{"CumSum", 11, {{"exclusive", "exclusive"}, {"reverse", "reverse"}}}},
      .samples = {{.attrs = {{"dim", 1}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dim", 0}}, .inputs = {{{3, 1, 2}}}},
                  {.attrs = {{"dim", -2}, {"exclusive", true}}, .inputs = {{{2, 3, 2}}}},
                  {.attrs = {{"dim", -1}, {"reverse", true}}, .inputs = {{{2, 6}}}},
                  {.attrs = {{"dim", 0}, {"exclusive", true}, {"reverse", true}},
                   .inputs = {{.shape = {5}, .low = -1e4, .high = 1e4}}},
                  {.attrs = {{"dim", 0}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"dim", 1}}, .inputs = {{{2, 0}}}},
                  {.attrs = {{"dim", 1}, {"reverse", true}}, .inputs = {wholes({3, 4}, -9, 9)}}},
  };
}

}  // namespace chop::ops::cumsum
