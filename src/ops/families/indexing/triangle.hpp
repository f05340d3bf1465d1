// tril and triu: the lower or upper triangle of the last two dimensions.
#pragma once

#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

/// Completes tril (`lower`) and triu: all but names.
OpDef triangle_op(bool lower, OpDef op);

}  // namespace chop::ops
