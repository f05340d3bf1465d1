// Initial values of parameters, from the distributions the ops declare.
//
// Every parameter draws from its own random stream, keyed by the seed and its own name, so
// its values do not depend on which other layers the network has or in what order.
#pragma once

#include "ops/core/op_def.hpp"
#include "support/rng.hpp"

namespace chop::ops {

/// Overwrites an f32 tensor. Uniform: within ±scale; normal: mean 0, deviation `scale`.
void fill(Tensor& f32, InitKind kind, double scale, const Stream& stream);

/// The stream of the parameter called `name` ("seq_blocks.2.weight").
Stream init_stream(std::uint64_t seed, std::string_view name);

/// Adds the parameters and buffers a module at `target` with these (checked) attributes
/// owns, named `<target>.<param>`. An error when a size is not positive or absurdly large.
Status add_parameters(Graph& graph, const OpDef& op, const Attrs& attrs, std::string_view target,
                      std::uint64_t seed);

/// Sets to 0 the weights of a graph that their masks leave out.
void apply_masks(Graph& graph);

}  // namespace chop::ops
