// Memory for large arrays.
#pragma once

#include <cstddef>
#include <memory>

namespace chop {

/// Zeros, aligned to 64 bytes. The system is asked for huge pages, which arrays from 16 KB on
/// share: what is read once per run, as weights are, otherwise waits for the translation of
/// addresses.
std::shared_ptr<std::byte[]> allocate_zeroed(std::size_t bytes);

}  // namespace chop
