// Limits for readers of graphs: what a file claims is not enough to allocate memory.
#pragma once

#include "tensor/tensor.hpp"

namespace chop::ir {

struct ReadLimits {
  std::int64_t elements = std::int64_t{1} << 31;  ///< of one tensor
  std::uint64_t bytes = std::uint64_t{4} << 30;   ///< of all tensors read without values
};

/// No dimension is negative and the product of those that are not zero keeps the limit.
Status check_shape(const Shape& shape, const ReadLimits& limits = {});

/// Gives out zero tensors until the limit of bytes is reached.
class ZeroTensors {
 public:
  explicit ZeroTensors(const ReadLimits& limits) : limits_(limits) {}
  Result<Tensor> make(const TensorType& type);

 private:
  ReadLimits limits_;
  std::uint64_t used_ = 0;
};

}  // namespace chop::ir
