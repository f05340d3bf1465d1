// Points spread evenly over a space.
#pragma once

#include "search/space/space.hpp"

namespace chop::search {

enum class Scramble : bool { No, Yes };

/// Point `index` of Sobol's sequence, parameter i from dimension i. Scrambling depends on the seed
/// alone. Parameters beyond kSobolDimensions are drawn at random.
Point spread_point(const Space& space, std::uint64_t seed, std::int64_t index,
                   Scramble scramble = Scramble::Yes);

}  // namespace chop::search
