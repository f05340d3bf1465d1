// The allow list of PyTorch checkpoints: the names one may mention, and what they stand for.
#pragma once

#include <optional>
#include <string_view>

#include "tensor/tensor.hpp"

namespace chop::io {

/// Names that stand for tensors or for plain data. None of them is ever called.
bool is_torch_name(std::string_view module, std::string_view name);

/// F32 for "torch.FloatStorage"; nothing for what is no storage of one dtype.
std::optional<DType> storage_dtype(std::string_view name);
/// Bytes, to which every tensor gives its own dtype.
bool is_untyped_storage(std::string_view name);
/// F32 for "torch.float32".
std::optional<DType> torch_dtype(std::string_view name);
/// "torch._utils._rebuild_tensor_v2" and its kin: storage, offset, size, strides, ...
bool makes_tensor(std::string_view name);
/// "torch._utils._rebuild_parameter" and its kin: a tensor, ...
bool makes_parameter(std::string_view name);

}  // namespace chop::io
