#include "support/system/big_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace chop {
namespace {

TEST(BigMemory, IsZeroedAlignedAndNotShared) {
  std::vector<std::pair<std::shared_ptr<std::byte[]>, std::size_t>> held;
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t bytes :
         {0U, 1U, 64U, 16383U, 16384U, 16385U, 700000U, 700000U, 700000U, 1U << 20, 3000001U}) {
      auto memory = round == 1 ? allocate_zeroed(bytes) : allocate_together(bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % 64, 0U);
      EXPECT_TRUE(std::all_of(memory.get(), memory.get() + bytes, [](std::byte b) {
        return b == std::byte{0};
      })) << bytes;
      std::memset(memory.get(), static_cast<int>(held.size() + 1), bytes);
      held.emplace_back(std::move(memory), bytes);
    }
    // Some go, in another order than they came; what is left keeps its contents.
    for (std::size_t i = 0; i < held.size(); i += 3) held[i] = {nullptr, 0};
    for (std::size_t i = 0; i < held.size(); ++i)
      EXPECT_TRUE(std::all_of(held[i].first.get(), held[i].first.get() + held[i].second,
                              [&](std::byte b) { return b == static_cast<std::byte>(i + 1); }));
  }
}

TEST(BigMemory, MoreThanTheMachineHasIsRefused) {
  EXPECT_GT(memory_limit(), std::uint64_t{1} << 26U);
  EXPECT_LT(memory_limit(), std::uint64_t{1} << 50U);
  EXPECT_THROW(allocate_zeroed(memory_limit() + 1), std::bad_alloc);
}

TEST(BigMemory, SparseMemoryReadsAsZeros) {
  constexpr std::size_t kBytes = std::size_t{1} << 21U;
  const auto memory = allocate_sparse(kBytes);
  memory[kBytes - 1] = std::byte{7};
  EXPECT_TRUE(std::all_of(memory.get(), memory.get() + kBytes - 1,
                          [](std::byte b) { return b == std::byte{0}; }));
}

TEST(BigMemory, HasOneOwnerAlsoWhereArraysShareAPage) {
  const auto a = allocate_together(20000);
  const auto b = allocate_together(20000);
  EXPECT_EQ(a.use_count(), 1);
  EXPECT_EQ(b.use_count(), 1);
}

}  // namespace
}  // namespace chop
