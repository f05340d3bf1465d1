// The inputs of an ONNX file, and their shapes where the user says them: --shape NAME=DIM,DIM,...
#pragma once

#include "onnx/model_file.hpp"

namespace chop::onnx {

/// An input as the file declares it.
struct OnnxInput {
  std::string name;
  DType dtype = DType::F32;
  Shape shape = {};                    ///< -1 where the file leaves a dimension open
  std::vector<std::string> dims = {};  ///< as the file writes them: "3", "height", "?"
  bool has_shape = true;

  /// Whether a dimension is open, the batch included.
  bool is_open() const;
};

/// The inputs that are not initialisers.
Result<std::vector<OnnxInput>> onnx_inputs(const OnnxFile& file);
Result<std::vector<OnnxInput>> onnx_inputs(const MappedFile& mapped);

/// Gives inputs the shapes in `shapes`, by name; "" is the only input. -1 stands for the batch, as
/// the first dimension. Open dimensions that have the same name in the file become equal. A name or
/// shape that does not fit the file is an error.
Status set_shapes(std::vector<OnnxInput>& inputs, const std::map<std::string, Shape>& shapes);

/// "--shape x=1,3,224,224": flags that close all open dimensions, with a batch of 1 and sizes
/// that are only an example.
std::string example_of_shapes(const std::vector<OnnxInput>& inputs);

}  // namespace chop::onnx
