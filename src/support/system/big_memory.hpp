// Memory for large arrays.
#pragma once

#include "support/layers.hpp"

namespace chop::support {

/// Bytes that this process can have: the machine's memory, or less where a control group (a
/// container, a job of a batch system) or `ulimit -v` gives less.
std::uint64_t memory_limit();

/// Zeros, aligned to 64 bytes. Large arrays ask for huge pages, because reading them in random
/// order is otherwise slowed down by TLB misses.
std::shared_ptr<std::byte[]> allocate_zeroed(std::size_t bytes);

/// Zeros in virtual memory; only pages that are written take memory. For sparse tables.
std::shared_ptr<std::byte[]> allocate_sparse(std::size_t bytes);

/// As allocate_zeroed, for arrays that live equally long, as a plan's do: those of 16 KB and more
/// share huge pages, which are freed with the last of them.
std::shared_ptr<std::byte[]> allocate_together(std::size_t bytes);

}  // namespace chop::support
