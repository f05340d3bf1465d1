// ONNX files as messages: read within limits, tensors decoded, nothing trusted.
#pragma once

#include <filesystem>

#include "onnx/proto.hpp"
#include "support/system/files.hpp"

namespace chop::onnx {

/// What a file may ask for before it is refused.
struct OnnxLimits {
  std::int64_t nodes = 100'000;                   ///< those of graphs inside nodes too
  std::int64_t parts = 1'000'000;                 ///< messages and texts of all kinds
  std::int64_t elements = std::int64_t{1} << 31;  ///< of one tensor
  int depth = 40;                                 ///< of messages inside messages
};

struct OnnxFile {
  std::unique_ptr<proto::ModelProto> model;
  std::filesystem::path folder;  ///< where external data may be; empty: it is not allowed
  std::string name;              ///< for messages
};

/// Whether the bytes begin as an ONNX model does; a guess, for files of unknown kind.
bool looks_like_onnx(std::span<const std::byte> bytes);

/// What is wrong with a file that cannot be read.
Error not_onnx(const std::string& name, const std::string& reason);

Result<OnnxFile> parse_onnx(std::span<const std::byte> bytes, std::string name,
                            const OnnxLimits& limits = {});
Result<OnnxFile> read_onnx(const MappedFile& mapped, const OnnxLimits& limits = {});
Result<OnnxFile> read_onnx(const std::filesystem::path& path, const OnnxLimits& limits = {});

/// The type a tensor of the file has; an error where its elements or dimensions make no sense.
Result<TensorType> type_of_tensor(const proto::TensorProto& tensor, const OnnxLimits& limits = {});
/// A tensor of the file, its data inside it or beside it in the same folder.
Result<Tensor> tensor_of(const proto::TensorProto& tensor, const OnnxFile& file,
                         const OnnxLimits& limits = {});
/// The message for one of our tensors.
proto::TensorProto to_proto(const Tensor& tensor, const std::string& name);

/// A single TensorProto file, as ONNX's test data have them (input_0.pb), and its name.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
Result<NamedTensor> read_tensor_file(const std::filesystem::path& path);

}  // namespace chop::onnx
