// y[..., j, ...] = 1 where x[...] = j, else 0; j runs along a new dimension of size `depth`
#include "ops/core/checks.hpp"
#include "ops/families/indexing/indexing.hpp"

namespace chop::ops::one_hot {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_whole(call, 0));
  CH_CHECK(check_at_least(call, "depth", 1));
  Shape y = call.shape(0);
  CH_TRY(const std::int64_t at, normal_axis(call.integer("dim"), y.size() + 1));
  y.insert(y.begin() + at, call.integer("depth"));
  CH_CHECK(check_size(call, y));
  return std::vector<TensorType>{{DType::F32, std::move(y)}};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.out[0].shape();
  const std::size_t axis = axis_of(call.integer("dim"), shape.size()).value();
  const Lanes to = lanes_of(shape, axis);
  const auto indices = call.indices(0);
  const auto y = call.y();
  for (std::size_t n = 0; n < indices.size(); ++n)
    if (const auto found = checked_index(indices[n], shape[axis]))
      y[to.at(n / to.inner, *found, n % to.inner)] = 1;
}

}  // namespace

OpDef define() {
  return {
      .name = "one_hot",
      .doc =
          "1 at the index each whole number names along a new dimension of size `depth`, 0 "
          "elsewhere. A negative number counts from the end; one that is outside gives zeros "
          "alone",
      .mase_type = MaseType::ImplicitFunc,
      .function = "torch.nn.functional.one_hot",
      .torch =
          "(F.one_hot(x % depth, depth) * ((x >= -depth) & (x < depth)).long().unsqueeze(-1))"
          ".movedim(-1, dim).to(torch.get_default_dtype())",
      .attrs = {{"depth", 0, "size of the new dimension", true},
                {"dim", -1, "where the new dimension is in y"}},
      .traits = Trait::NoGradient,
      .infer = infer,
      .forward = forward,
      .cost = free_of_charge,
      .samples = {{.attrs = {{"depth", 4}}, .inputs = {wholes({2, 3}, 0, 4)}},
                  {.attrs = {{"depth", 3}, {"dim", 0}}, .inputs = {wholes({4}, -3, 3)}},
                  {.attrs = {{"depth", 3}, {"dim", -2}}, .inputs = {wholes({2, 2}, 0, 3)}},
                  {.attrs = {{"depth", 1}}, .inputs = {wholes({}, 0, 1)}},
                  {.attrs = {{"depth", 2}}, .inputs = {wholes({0, 2}, 0, 1)}}},
  };
}

}  // namespace chop::ops::one_hot
