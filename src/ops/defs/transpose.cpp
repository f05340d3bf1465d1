// y = x with the dimensions dim0 and dim1 exchanged
#include <numeric>

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::transpose {
namespace {

Result<std::vector<std::size_t>> order_of(const Call& call, std::size_t rank) {
  CH_TRY(const std::size_t a, axis_of(call.integer("dim0"), rank));
  CH_TRY(const std::size_t b, axis_of(call.integer("dim1"), rank));
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (rank > 0) std::swap(order[a], order[b]);
  return order;
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("transpose", {g.output_grad()},
                 {{"dim0", g.call().integer("dim0")}, {"dim1", g.call().integer("dim1")}}));
}

}  // namespace

OpDef define() {
  return permute_op<order_of>({
      .name = "transpose",
      .doc = "x with the dimensions dim0 and dim1 exchanged",
      .method = "transpose",
      .torch = "torch.transpose(x, dim0, dim1)",
      .attrs = {{"dim0", 0, "one dimension", true}, {"dim1", 1, "the other", true}},
      .gradient = gradient,
      .samples = {{.attrs = {{"dim0", 0}, {"dim1", 1}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dim0", -1}, {"dim1", 0}}, .inputs = {{{2, 3, 4}}}},
                  {.attrs = {{"dim0", 1}, {"dim1", 1}}, .inputs = {{{2, 3}}}},
                  {.attrs = {{"dim0", 0}, {"dim1", -1}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"dim0", 0}, {"dim1", 2}}, .inputs = {{{0, 3, 1}}}},
                  {.attrs = {{"dim0", 0}, {"dim1", 1}}, .inputs = {truths({2, 3})}}},
  });
}

}  // namespace chop::ops::transpose
