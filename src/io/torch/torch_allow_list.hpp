// The allow list: which Python names a PyTorch checkpoint may mention, and what they mean.
// pickle_calls.cpp handles the opcodes that mention them; it asks this list.
#pragma once

#include "tensor/tensor.hpp"

namespace chop::io {

/// Whether the name means a tensor or plain data. None of them is ever called.
bool is_torch_name(std::string_view module, std::string_view name);

/// F32 for "torch.FloatStorage"; nothing for other names.
std::optional<DType> storage_dtype(std::string_view name);
/// A storage of bytes, whose dtype each tensor gives for itself.
bool is_untyped_storage(std::string_view name);
/// F32 for "torch.float32".
std::optional<DType> torch_dtype(std::string_view name);
/// "torch._utils._rebuild_tensor_v2" and similar functions: storage, offset, size, strides, ...
bool makes_tensor(std::string_view name);
/// "torch._utils._rebuild_parameter" and similar functions: a tensor, ...
bool makes_parameter(std::string_view name);

}  // namespace chop::io
