// Layout: trainable parameters one after the other, each from a multiple of 64 bytes on; gradients
// in a second array at the same offsets. Buffers (running means) are kept apart, as the optimiser
// leaves them alone.
#include "train/parameter_store.hpp"

#include <cstring>

namespace chop::train {
namespace {

constexpr std::size_t kLine = 16;  // floats in 64 bytes

}  // namespace

Result<ParameterStore> ParameterStore::from(const Graph& graph) {
  ParameterStore store;
  for (const Parameter& parameter : graph.parameters()) {
    if (!parameter.trainable) {
      store.buffers_.emplace(parameter.name, parameter.value);
      store.buffers_.at(parameter.name).mutable_bytes();  // our own copy, at a fixed address
      continue;
    }
    if (parameter.value.dtype() != DType::F32)
      return Error{.what =
                       cat("parameter '", parameter.name, "' is ", name_of(parameter.value.dtype()),
                           "; only f32 parameters can be trained")};
    store.trainable_.push_back(parameter.name);
    store.slots_[parameter.name] = {store.size_, parameter.value.shape()};
    store.size_ += (static_cast<std::size_t>(parameter.value.size()) + kLine - 1) / kLine * kLine;
  }
  store.values_ = Tensor(DType::F32, {static_cast<std::int64_t>(store.size_)});
  store.gradients_ = Tensor(DType::F32, {static_cast<std::int64_t>(store.size_)});
  for (const Parameter& parameter : graph.parameters())
    if (parameter.trainable)
      std::memcpy(store.memory(parameter.name), parameter.value.bytes(),
                  parameter.value.size_in_bytes());
  return store;
}

std::byte* ParameterStore::memory(const std::string& name) {
  if (const auto found = slots_.find(name); found != slots_.end())
    return reinterpret_cast<std::byte*>(values_.mutable_data<float>().data() +
                                        found->second.offset);
  const auto buffer = buffers_.find(name);
  assert(buffer != buffers_.end() && "a plan reads only parameters the graph holds");
  return buffer->second.mutable_bytes();
}

std::byte* ParameterStore::gradient_memory(const std::string& name) {
  return reinterpret_cast<std::byte*>(gradients_.mutable_data<float>().data() +
                                      slots_.at(name).offset);
}

void ParameterStore::write_to(Graph& graph) const {
  for (Parameter& parameter : graph.parameters()) {
    if (const auto slot = slots_.find(parameter.name); slot != slots_.end()) {
      Tensor value(DType::F32, slot->second.shape);
      std::memcpy(value.mutable_bytes(), values_.data<float>().data() + slot->second.offset,
                  value.size_in_bytes());
      parameter.value = std::move(value);
    } else if (const auto buffer = buffers_.find(parameter.name); buffer != buffers_.end()) {
      Tensor value(buffer->second.type());
      std::memcpy(value.mutable_bytes(), buffer->second.bytes(), value.size_in_bytes());
      parameter.value = std::move(value);
    }
  }
}

std::vector<std::pair<std::string, Tensor>> ParameterStore::split(std::span<const float> array,
                                                                  const std::string& prefix) const {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const std::string& name : trainable_) {
    const Slot& slot = slots_.at(name);
    Tensor tensor(DType::F32, slot.shape);
    std::memcpy(tensor.mutable_bytes(), array.data() + slot.offset, tensor.size_in_bytes());
    tensors.emplace_back(prefix + name, std::move(tensor));
  }
  return tensors;
}

Status ParameterStore::join(std::span<float> array, const std::map<std::string, Tensor>& tensors,
                            const std::string& prefix) const {
  for (const std::string& name : trainable_) {
    const Slot& slot = slots_.at(name);
    const auto found = tensors.find(prefix + name);
    if (found == tensors.end() || found->second.dtype() != DType::F32 ||
        found->second.shape() != slot.shape)
      return Error{.what = cat("the checkpoint holds no usable '", prefix, name, "'")};
    std::memcpy(array.data() + slot.offset, found->second.bytes(), found->second.size_in_bytes());
  }
  return {};
}

}  // namespace chop::train
