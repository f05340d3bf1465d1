// The names torch.fx gives to nodes.
#pragma once

#include <functional>

#include "support/layers.hpp"

namespace chop::ir {

/// A target as the start of a node's name: module `features.0.convA` gives features_0_conv_a.
std::string fx_name(std::string_view target);
/// Whether fx keeps the name for Python itself: keywords and builtins such as `sum`.
bool is_python_name(std::string_view name);
/// `wanted`, or with the next free number behind it: add, add_1; conv_1, conv_2.
std::string free_name(std::string wanted, const std::function<bool(const std::string&)>& is_taken);

}  // namespace chop::ir
