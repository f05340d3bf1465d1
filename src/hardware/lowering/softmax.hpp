// Softmax and the format behind it, as one integer node.
#pragma once

#include "formats/grid.hpp"
#include "hardware/lowering/lowering_def.hpp"

namespace chop::hardware {

/// The node for an operand that waits with a softmax. Exponentials get as many bits as give, for
/// lanes of few possible inputs, what the format makes of the real quotients, which is checked for
/// every input; for others, 16 bits more than the format.
Result<Traced> realise_softmax(LoweringCall& call, const formats::Grid& grid);

}  // namespace chop::hardware
