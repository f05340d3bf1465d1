// A training step allocates nothing: counted by replacing operator new in this file's program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "models/registry.hpp"
#include "train/optimiser.hpp"
#include "train/program.hpp"

namespace {
std::atomic<long> allocations{0};
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which have their own
namespace {
void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : alignment,
                     size == 0 ? 1 : size) != 0)
    throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
#endif

namespace chop {
namespace {

class Allocation : public testing::TestWithParam<const char*> {};

TEST_P(Allocation, NoneInATrainingStepOnOneThread) {
  const Graph graph = build_model(GetParam(), {.seed = 1}).value();
  ParameterStore store = ParameterStore::from(graph).value();
  Program program = Program::training(graph, store, 64, 1).value();
  std::vector<Tensor> slots(2,
                            Tensor(DType::F32, {static_cast<std::int64_t>(store.values().size())}));
  const OptimiserDef& adam = *find_optimiser("adam").value();
  const OptimiserSettings settings;
  OptimiserStep step{.values = store.values(),
                     .gradients = store.gradients(),
                     .slots = {slots[0].mutable_data<float>(), slots[1].mutable_data<float>()},
                     .settings = settings};
  EXPECT_TRUE(program.run());
  const long before = allocations;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(program.run({0, static_cast<std::uint64_t>(i)}));
    step.number = i + 1;
    adam.step(step);
  }
  EXPECT_EQ(allocations - before, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, Allocation,
                         testing::Values("jsc-tiny", "jsc-toy", "jsc-s", "jsc-trt", "jsc-deep"),
                         [](const auto& at) {
                           std::string name = at.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace chop
