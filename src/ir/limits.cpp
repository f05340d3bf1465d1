#include "ir/limits.hpp"

#include "support/text.hpp"

namespace chop::ir {

Status check_shape(const Shape& shape, const ReadLimits& limits) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) {
    if (dim < 0) return Error{.what = cat("shape ", to_string(shape), " has a negative dimension")};
    if (dim == 0) continue;
    if (dim > limits.elements / count)
      return Error{.what = cat("shape ", to_string(shape), " has more than ",
                               with_commas(limits.elements), " elements")};
    count *= dim;
  }
  return {};
}

Result<Tensor> ZeroTensors::make(const TensorType& type) {
  CH_CHECK(check_shape(type.shape, limits_));
  // At most 2^31 elements of 8 bytes: the sum cannot overflow before the limit stops it.
  if (used_ + type.bytes() > limits_.bytes)
    return Error{
        .what = cat("tensors without values would take more than ", human_bytes(limits_.bytes))};
  used_ += type.bytes();
  return Tensor(type);
}

}  // namespace chop::ir
