// dx of strided_slice, given dy: zeros, with each dy where it was read from.
#include "ops/families/indexing/strided.hpp"

namespace chop::ops::strided_slice_grad {
namespace {

void gradient(GradBuilder& g) {
  Attrs attrs;
  for (const char* name : {"starts", "ends", "steps"}) attrs[name] = g.call().ints(name);
  g.set(0, g.add("strided_slice", {g.output_grad()}, std::move(attrs)));
}

}  // namespace

OpDef define() {
  return mapped_grad_op<strided_shape, strided_maps>({
      .name = "strided_slice_grad",
      .doc = "dx of strided_slice, given dy: zeros, with each dy where it was read from",
      .attrs = {{"starts", Ints{}, "first index in each dimension", true},
                {"ends", Ints{}, "the index before which each dimension ends", true},
                {"steps", Ints{}, "distance between indices; empty: 1 everywhere"}},
      .gradient = gradient,
      .cost = free_of_charge,
      .samples = {{.attrs = {{"input_shape", Ints{4, 5}},
                             {"starts", Ints{3, 0}},
                             {"ends", Ints{0, 5}},
                             {"steps", Ints{-2, 2}}},
                   .inputs = {{{2, 3}}}},
                  {.attrs = {{"input_shape", Ints{3}}, {"starts", Ints{2}}, {"ends", Ints{2}}},
                   .inputs = {{{0}}}}},
  });
}

}  // namespace chop::ops::strided_slice_grad
