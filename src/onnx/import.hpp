// ONNX models as graphs.
#pragma once

#include <filesystem>

#include "ir/graph.hpp"
#include "onnx/model_file.hpp"

namespace chop::onnx {

struct OnnxImportOptions {
  std::string name = "onnx";  ///< of the graph
  /// Values of inputs. Their shapes become the network's, and where an operator needs a value
  /// at import (the shape of a Reshape), it is taken from here.
  std::map<std::string, Tensor> given = {};
  /// Shapes of inputs, as if the file said so (set_shapes() in onnx/inputs.hpp).
  std::map<std::string, Shape> shapes = {};
  /// Whether the first dimension of the inputs may become the batch where the file says 1.
  bool open_batch = true;
};

struct OnnxImport {
  Graph graph;
  bool opened_batch = false;       ///< the file says 1, the graph takes any batch
  std::vector<std::string> fixed;  ///< inputs whose given values are part of the graph now
  std::vector<std::string> notes;  ///< notes for the user
};

Result<OnnxImport> import_onnx(const OnnxFile& file, const OnnxImportOptions& options = {});
Result<OnnxImport> import_onnx(const MappedFile& mapped, const OnnxImportOptions& options = {});

}  // namespace chop::onnx
