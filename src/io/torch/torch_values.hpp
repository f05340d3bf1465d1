// The storages and tensors that the pickle of a PyTorch checkpoint describes.
#pragma once

#include "io/torch/pickle.hpp"
#include "tensor/tensor.hpp"

namespace chop::io {

/// A tensor as a checkpoint describes it: a view of a storage.
struct TorchTensor {
  std::string name = {};
  DType dtype = DType::F32;
  Shape shape = {};
  Shape strides = {};
  std::int64_t offset = 0;   ///< of the first element, in elements
  std::string storage = {};  ///< the key of its storage

  std::size_t bytes() const { return static_cast<std::size_t>(numel(shape)) * size_of(dtype); }
};

/// What a checkpoint says about one storage; torch_checkpoint.cpp checks whether the bytes are
/// there.
struct TorchStorage {
  DType dtype = DType::U8;
  bool typed = true;  ///< false: bytes, whose dtype each tensor gives for itself
  std::size_t bytes = 0;
};
using TorchStorages = std::map<std::string, TorchStorage, std::less<>>;

/// Every storage the pickle mentions, wherever it does.
Result<TorchStorages> find_storages(const Pickle& pickle, std::string_view file);

/// Whether a value is a call that makes a tensor.
bool is_tensor(const Pickle& pickle, const PickleValue& value);
/// The tensor that `value` describes, checked against the size of its storage.
Result<TorchTensor> tensor_of(const Pickle& pickle, const PickleValue& value,
                              const TorchStorages& storages);

/// A whole number, a real number, a truth value or a text as text; nothing for other values.
std::optional<std::string> scalar_text(const PickleValue& value);

/// The elements of the view, row by row, out of the bytes of its storage.
Tensor copy_view(const TorchTensor& view, std::span<const std::byte> storage);

}  // namespace chop::io
