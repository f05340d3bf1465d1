// The networks that works run: built, and quantised as the command line asks.
#pragma once

#include "ir/graph.hpp"
#include "work.hpp"

namespace chop {

/// `model` by name or TOML file. `fuse=1` folds batch norms into the layers before them.
/// `quantise=linear,relu` puts the operands of those ops in integer(8, data) and
/// integer(8, weight), where `data` and `weight` are bits after the point.
Result<Graph> network_of(const WorkArgs& args);

/// Fills with normally distributed numbers, always the same ones.
void fill_normal(std::span<float> values);

}  // namespace chop
