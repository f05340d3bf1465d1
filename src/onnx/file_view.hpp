// What an ONNX file holds, without importing it: initialisers and metadata.
#pragma once

#include <filesystem>

#include "io/weights_file.hpp"

namespace chop::onnx {

/// Its initialisers as a file of weights. The metadata say who made it, for which operator sets,
/// with which operators, inputs and outputs. Works on files whose operators cannot be imported.
Result<WeightsFile> list_onnx(const MappedFile& mapped);

}  // namespace chop::onnx
