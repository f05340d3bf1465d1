// Work done in a child process (fork), for libraries that a damaged file can crash.
#pragma once

#include <functional>

#include "support/result.hpp"

namespace chop::support {

/// What a child wrote.
class ChildBytes {
 public:
  ChildBytes(std::shared_ptr<const std::byte> memory, std::size_t size)
      : memory_(std::move(memory)), size_(size) {}
  std::span<const std::byte> bytes() const { return {memory_.get(), size_}; }

 private:
  std::shared_ptr<const std::byte> memory_;
  std::size_t size_ = 0;
};

using ChildWrite = std::function<void(std::span<const std::byte>)>;

struct ChildLimits {
  unsigned processor_seconds = 10;
  unsigned seconds = 60;                      ///< by the clock on the wall
  std::size_t bytes = std::size_t{1} << 30U;  ///< more than this process has now
};

/// Runs `work` in a child and gives what it wrote, in order. A child that crashes, is killed or
/// exceeds a limit is an error that says which. It does not outlive this process.
Result<ChildBytes> run_in_child(const std::function<void(const ChildWrite&)>& work,
                                const ChildLimits& limits);

}  // namespace chop::support
