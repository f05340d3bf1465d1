// The parameters of a graph in training: all trainable ones in one array, their gradients in
// another of the same layout, so that an optimiser updates the whole network in one sweep.
#pragma once

#include "ir/graph.hpp"

namespace chop::train {

class ParameterStore {
 public:
  /// Copies the graph's parameters. Only f32 tensors can be trained; others are an error.
  static Result<ParameterStore> from(const Graph& graph);
  // Plans hold addresses inside, so a store moves but is never copied.
  ParameterStore(ParameterStore&&) = default;
  ParameterStore& operator=(ParameterStore&&) = default;
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  std::byte* memory(const std::string& name);
  std::byte* gradient_memory(const std::string& name);
  const std::vector<std::string>& trainable() const { return trainable_; }

  /// Values and gradients of all trainable parameters, each starting on 64 bytes; the gaps
  /// are zeros and stay zeros under any optimiser.
  std::span<float> values() { return {values_.mutable_data<float>().data(), size_}; }
  std::span<float> gradients() { return {gradients_.mutable_data<float>().data(), size_}; }

  /// Writes the current values and buffers into a graph with the same parameters.
  void write_to(Graph& graph) const;
  /// One array laid out like values() as named tensors, and back (optimiser state).
  std::vector<std::pair<std::string, Tensor>> split(std::span<const float> array,
                                                    const std::string& prefix) const;
  Status join(std::span<float> array, const std::map<std::string, Tensor>& tensors,
              const std::string& prefix) const;

 private:
  ParameterStore() = default;
  struct Slot {
    std::size_t offset = 0;  ///< in floats, for trainable ones
    Shape shape;
  };

  std::vector<std::string> trainable_;
  std::map<std::string, Slot> slots_;
  std::map<std::string, Tensor> buffers_;
  Tensor values_;
  Tensor gradients_;
  std::size_t size_ = 0;
};

}  // namespace chop::train
