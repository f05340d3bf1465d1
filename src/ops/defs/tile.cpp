// y = x written repeats[d] times one after the other along each dimension d
#include "ops/families/indexing/indexing.hpp"

namespace chop::ops::tile {
namespace {

/// As PyTorch: the shorter of x's shape and repeats gets ones in front.
Shape with_ones(const Shape& list, std::size_t rank) {
  Shape out(rank - std::min(rank, list.size()), 1);
  out.insert(out.end(), list.begin(), list.end());
  return out;
}

std::size_t rank_of(const Call& call, const Shape& x) {
  return std::max(x.size(), call.ints("repeats").size());
}

TypeList infer(const TypedCall& call) {
  const std::size_t rank = rank_of(call, call.shape(0));
  const Shape x = with_ones(call.shape(0), rank);
  Shape y = with_ones(call.ints("repeats"), rank);
  CH_CHECK(check_size(call, y));
  for (std::size_t d = 0; d < rank; ++d)
    if (__builtin_mul_overflow(y[d], x[d], &y[d]))
      return Error{.what = cat("tile with repeats=", to_string(call.ints("repeats")),
                               " cannot take ", to_string(call.shape(0))),
                   .hint = "that is more elements than fit in memory"};
  CH_CHECK(check_size(call, y));
  return std::vector<TensorType>{{call.in[0].dtype, std::move(y)}};
}

void forward(const ForwardCall& call) {
  const Shape& y = call.out[0].shape();
  const Shape x = with_ones(call.in[0]->shape(), y.size());
  const IndexMaps maps = tiled_maps(x, y);
  call.with_type(0, [&]<class T>(T) {
    const auto from = call.in[0]->data<T>();
    const auto to = call.out[0].mutable_data<T>();
    for_each_mapped(maps, x, [&](auto i, auto at) { to[i] = from[static_cast<std::size_t>(at)]; });
  });
}

/// dy reshaped to [repeats[0], x[0], repeats[1], x[1], ...], summed over the repeats.
void gradient(GradBuilder& g) {
  const Shape shape = g.shape(g.input(0));
  const std::size_t rank = rank_of(g.call(), shape);
  const Shape x = with_ones(shape, rank);
  const Shape repeats = with_ones(g.call().ints("repeats"), rank);
  Shape split;
  Ints summed;
  for (std::size_t d = 0; d < rank; ++d) {
    summed.push_back(static_cast<std::int64_t>(split.size()));
    split.insert(split.end(), {repeats[d], x[d]});
  }
  Value dx = g.add("reshape", {g.output_grad()}, {{"shape", split}});
  if (rank > 0) dx = g.add("sum", {dx}, {{"dim", summed}});
  g.set(0, g.add("reshape", {dx}, {{"shape", shape}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "tile",
      .doc =
          "x repeated repeats[d] times along each dimension d; where x or "
          "repeats is shorter, ones are put in front",
      .mase_type = MaseType::ImplicitFunc,
      .method = "tile",
      .torch = "torch.tile(x, repeats)",
      .fx = "x, (repeats)",
      .attrs = {{"repeats", Ints{}, "how often in each dimension", true}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .samples = {{.attrs = {{"repeats", Ints{2, 3}}}, .inputs = {{{2, 2}}}},
                  {.attrs = {{"repeats", Ints{2}}}, .inputs = {{{2, 3}}}},
                  {.attrs = {{"repeats", Ints{2, 1, 2}}}, .inputs = {{{3}}}},
                  {.attrs = {{"repeats", Ints{1, 0}}}, .inputs = {{{2, 3}}}},
                  {.attrs = {{"repeats", Ints{2, 2}}}, .inputs = {{{0, 3}}}},
                  {.attrs = {{"repeats", Ints{}}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"repeats", Ints{3}}},
                   .inputs = {{.shape = {2}, .dtype = DType::I64}}}},
  };
}

}  // namespace chop::ops::tile
