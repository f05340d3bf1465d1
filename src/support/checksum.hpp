// A checksum against damage on disk or in transit; not against people who can compute it too.
#pragma once

#include "support/layers.hpp"

namespace chop::support {

/// 64 bits, the same for any number of threads. A change within eight bytes always changes it.
std::uint64_t checksum(std::span<const std::byte> bytes, int threads = 1);

}  // namespace chop::support
