// Memory for large arrays.
#pragma once

#include <cstddef>
#include <memory>

#include "support/layers.hpp"

namespace chop::support {

/// Zeros, aligned to 64 bytes. For large arrays the system is asked for huge pages: what is read
/// once per run, or here and there, otherwise waits for the translation of addresses.
std::shared_ptr<std::byte[]> allocate_zeroed(std::size_t bytes);

/// Zeros, of which only pages that are written to take memory: for tables with large gaps.
std::shared_ptr<std::byte[]> allocate_sparse(std::size_t bytes);

/// As allocate_zeroed, for arrays that live equally long, as a plan's do: those from 16 KB on share
/// huge pages, which go when the last of them has gone.
std::shared_ptr<std::byte[]> allocate_together(std::size_t bytes);

}  // namespace chop::support
