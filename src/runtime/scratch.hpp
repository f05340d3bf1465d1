// Working memory for kernels: blocks per thread, shared by all kernels of all plans, that only
// ever grow. After the first run nothing is allocated.
#pragma once

#include "support/layers.hpp"

namespace chop::runtime {

/// What one call of a kernel shares among its tasks, and what one task has for itself.
enum class ScratchFor : std::uint8_t { Call, Task };

/// At least `bytes` bytes, 64-byte aligned, for this thread and use until it asks again.
std::byte* thread_scratch(std::size_t bytes, ScratchFor use = ScratchFor::Task);

}  // namespace chop::runtime
