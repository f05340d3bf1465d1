// Graphs as ONNX models.
#pragma once

#include <filesystem>

#include "ir/graph.hpp"

namespace chop::onnx {

/// How number formats are written.
enum class QuantStyle : std::uint8_t {
  Qdq,   ///< QuantizeLinear and DequantizeLinear, as ONNX Runtime wants them
  Qonnx  ///< Quant and BipolarQuant of the domain qonnx.custom_op.general
};

struct OnnxExportOptions {
  QuantStyle style = QuantStyle::Qdq;
};

/// The model as the bytes of a file, opset 17. What ONNX cannot say is an error that names every
/// such node.
Result<std::string> export_onnx(const Graph& graph, const OnnxExportOptions& options = {});
Status write_onnx(const std::filesystem::path& path, const Graph& graph,
                  const OnnxExportOptions& options = {});

}  // namespace chop::onnx
