// y[i_dims] = x[i]: dimension k of y is dimension dims[k] of x
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::permute {
namespace {

Result<std::vector<std::size_t>> order_of(const Call& call, std::size_t rank) {
  const Ints& dims = call.ints("dims");
  if (dims.size() != rank)
    return Error{.what = cat("permute with dims=", to_string(dims), " of a tensor of rank ", rank),
                 .hint = cat("name each of the ", rank, " dimensions once")};
  CH_TRY(const std::vector<bool> named, axes_of(dims, rank));
  static_cast<void>(named);
  std::vector<std::size_t> order;
  for (const std::int64_t dim : dims) {
    CH_TRY(const std::size_t at, axis_of(dim, rank));
    order.push_back(at);
  }
  return order;
}

void gradient(GradBuilder& g) {
  const auto order = order_of(g.call(), g.shape(g.input(0)).size()).value();
  Ints back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<std::int64_t>(i);
  g.set(0, g.add("permute", {g.output_grad()}, {{"dims", back}}));
}

}  // namespace

OpDef define() {
  return permute_op<order_of>({
      .name = "permute",
      .doc = "x with its dimensions in the order `dims`",
      .method = "permute",
      .torch = "torch.permute(x, dims)",
      .fx = "x, (dims)",
      .attrs = {{"dims", Ints{}, "which dimension of x each dimension of y is", true}},
      .gradient = gradient,
      .samples = {{.attrs = {{"dims", Ints{1, 0}}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dims", Ints{2, 0, 1}}}, .inputs = {{{2, 3, 4}}}},
                  {.attrs = {{"dims", Ints{0, -1, 1, -2}}}, .inputs = {{{2, 3, 1, 4}}}},
                  {.attrs = {{"dims", Ints{}}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"dims", Ints{1, 0, 2}}}, .inputs = {{{2, 0, 3}}}},
                  {.attrs = {{"dims", Ints{1, 0}}},
                   .inputs = {{.shape = {2, 3}, .dtype = DType::I64}}}},
  });
}

}  // namespace chop::ops::permute
