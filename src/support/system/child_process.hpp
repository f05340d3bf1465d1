// Work done in a child process (fork), for libraries that a damaged file can crash.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

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

/// Runs `work` in a child and gives what it wrote, in order. A child that crashes, or takes more
/// than `seconds` of processor time, is an error that says so.
Result<ChildBytes> run_in_child(const std::function<void(const ChildWrite&)>& work,
                                unsigned seconds);

}  // namespace chop::support
