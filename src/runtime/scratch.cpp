// Scratch memory: two blocks for each thread, one per use, replaced by a larger one when asked for
// more.
#include "runtime/scratch.hpp"

#include <new>

namespace chop::runtime {
namespace {

constexpr std::align_val_t kScratchAlignment{64};

struct Release {
  void operator()(std::byte* memory) const { ::operator delete(memory, kScratchAlignment); }
};

struct ScratchBlock {
  std::unique_ptr<std::byte, Release> memory;
  std::size_t size = 0;
};

}  // namespace

std::byte* thread_scratch(std::size_t bytes, ScratchFor use) {
  thread_local std::array<ScratchBlock, 2> blocks;
  ScratchBlock& block = blocks.at(static_cast<std::size_t>(use));
  if (block.memory == nullptr || block.size < bytes) {
    block.memory.reset();
    block.memory.reset(static_cast<std::byte*>(::operator new(bytes + 64, kScratchAlignment)));
    block.size = bytes;
  }
  return block.memory.get();
}

}  // namespace chop::runtime
