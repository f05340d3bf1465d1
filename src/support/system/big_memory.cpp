#include "support/system/big_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <mutex>
#include <new>

namespace chop::support {
namespace {

constexpr std::size_t kHuge = std::size_t{1} << 21;
constexpr std::size_t kLine = 64;

/// Beyond this size finding huge pages may take longer than they save. (Below it too, on a virtual
/// machine that has returned its free memory, but only once, while rows in random order are read
/// faster in every epoch.)
constexpr std::size_t kMostHuge = std::size_t{1} << 30;

/// The number in a file of a control group; `most` where there is none ("max", no such file).
std::uint64_t limit_in(const char* file, std::uint64_t most) {
  std::ifstream in(file);
  std::uint64_t bytes = 0;
  return in >> bytes ? std::min(bytes, most) : most;
}

std::uint64_t find_memory_limit() {
  const auto pages = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_PHYS_PAGES)));
  std::uint64_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  bytes = limit_in("/sys/fs/cgroup/memory.max", bytes);
  bytes = limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", bytes);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min<std::uint64_t>(bytes, limit.rlim_cur);
  return bytes;
}

std::shared_ptr<std::byte[]> allocate_small(std::size_t bytes) {
  constexpr std::align_val_t kAligned{kLine};
  auto* memory = static_cast<std::byte*>(::operator new(std::max<std::size_t>(bytes, 1), kAligned));
  std::memset(memory, 0, bytes);
  return {memory, [](std::byte* p) { ::operator delete(p, kAligned); }};
}

/// Memory mapped from the system, which is zero already, aligned to a huge page.
std::shared_ptr<std::byte[]> allocate_pages(std::size_t bytes) {
  // Linux may promise more than there is, and end the process when it is used.
  if (bytes > memory_limit()) throw std::bad_alloc();
  const std::size_t size = (bytes + kHuge - 1) / kHuge * kHuge;
  void* const all =
      mmap(nullptr, size + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(all);
  const std::size_t before = (kHuge - reinterpret_cast<std::uintptr_t>(all) % kHuge) % kHuge;
  std::byte* const memory = begin + before;
  if (before > 0) munmap(begin, before);
  munmap(memory + size, kHuge - before);
  if (size <= kMostHuge)
    madvise(memory, size, MADV_HUGEPAGE);  // only a hint: failure does not matter
  return {memory, [size](std::byte* p) { munmap(p, size); }};
}

/// Arrays of medium size share huge pages; a page is freed with the last array in it.
[[maybe_unused]] std::shared_ptr<std::byte[]> part_of_a_page(std::size_t bytes) {
  static std::mutex mutex;
  static std::weak_ptr<std::byte[]> page;
  static std::size_t used = 0;
  const std::lock_guard lock(mutex);
  std::shared_ptr<std::byte[]> current = page.lock();
  if (current == nullptr || used + bytes > kHuge) {
    current = allocate_pages(kHuge);
    page = current;
    used = 0;
  }
  std::byte* const at = current.get() + used;
  used += (bytes + kLine - 1) / kLine * kLine;
  // A separate owner for each array: use_count() must count references to the array, not to the
  // page.
  return {at, [current](std::byte*) {}};
}

}  // namespace

std::uint64_t memory_limit() {
  static const std::uint64_t limit = find_memory_limit();
  return limit;
}

std::shared_ptr<std::byte[]> allocate_zeroed(std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t kPages = kMostHuge;  // smaller arrays are those the sanitiser checks
#else
  constexpr std::size_t kPages = kHuge / 2;
#endif
  return bytes >= kPages ? allocate_pages(bytes) : allocate_small(bytes);
}

std::shared_ptr<std::byte[]> allocate_sparse(std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  return allocate_small(bytes);
#else
  void* const all =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  madvise(all, bytes, MADV_NOHUGEPAGE);
  return {static_cast<std::byte*>(all), [bytes](std::byte* p) { munmap(p, bytes); }};
#endif
}

std::shared_ptr<std::byte[]> allocate_together(std::size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__)
  if (bytes >= kHuge / 128 && bytes < kHuge / 2) {
    std::shared_ptr<std::byte[]> memory = part_of_a_page(bytes);
    std::memset(memory.get(), 0, bytes);
    return memory;
  }
#endif
  return allocate_zeroed(bytes);
}

}  // namespace chop::support
