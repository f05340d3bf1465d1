// One rounding with bounds where a network has several: a requantisation, a ReLU and another
// requantisation to the same grid are one requantisation.
#pragma once

#include "hardware/integer/integer_graph.hpp"

namespace chop::hardware {

/// The same numbers at the outputs. Because neither rounding nor clamping ever falls where its
/// input rises,
///   round(clamp(x, a, b)) = clamp(round(x), round(a), round(b))
/// so bounds move behind a rounding, and those that follow each other become one pair. What is left
/// has the name of the later node. Nodes that others read, or that are outputs, stay.
IntegerGraph merge_clamps(IntegerGraph graph);

}  // namespace chop::hardware
