#include "support/big_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

namespace chop {
namespace {

constexpr std::size_t kHuge = std::size_t{1} << 21;
constexpr std::size_t kLine = 64;

std::shared_ptr<std::byte[]> allocate(std::size_t bytes, std::size_t alignment) {
  const std::align_val_t aligned{alignment};
  const std::size_t size =
      (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  auto* memory = static_cast<std::byte*>(::operator new(size, aligned));
  if (alignment == kHuge) madvise(memory, size, MADV_HUGEPAGE);  // without it all works as well
  return {memory, [aligned](std::byte* p) { ::operator delete(p, aligned); }};
}

/// Arrays of medium size share huge pages; a page goes when the last of them has gone.
std::shared_ptr<std::byte[]> part_of_a_page(std::size_t bytes) {
  static std::mutex mutex;
  static std::weak_ptr<std::byte[]> page;
  static std::size_t used = 0;
  const std::lock_guard lock(mutex);
  std::shared_ptr<std::byte[]> current = page.lock();
  if (current == nullptr || used + bytes > kHuge) {
    current = allocate(kHuge, kHuge);
    page = current;
    used = 0;
  }
  std::byte* const at = current.get() + used;
  used += (bytes + kLine - 1) / kLine * kLine;
  return {std::move(current), at};
}

}  // namespace

std::shared_ptr<std::byte[]> allocate_zeroed(std::size_t bytes) {
  const bool large = bytes >= kHuge / 2;
  const bool medium = !large && bytes >= kHuge / 128;
  const std::shared_ptr<std::byte[]> memory =
      medium ? part_of_a_page(bytes) : allocate(bytes, large ? kHuge : kLine);
  std::memset(memory.get(), 0, bytes);
  return memory;
}

}  // namespace chop
