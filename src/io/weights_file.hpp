// One interface for files of weights: PyTorch checkpoints, Lightning checkpoints, safetensors files
// and our own checkpoints, recognised by content, not by name.
#pragma once

#include <filesystem>
#include <functional>

#include "support/system/files.hpp"
#include "tensor/tensor.hpp"

namespace chop::io {

/// What a file of weights is, and what --load-type may ask for.
enum class LoadType { Auto, Pt, Pl, Mz, Safetensors, Onnx, Hf };
Result<LoadType> load_type_from_name(std::string_view name);
/// "pt"
std::string_view name_of(LoadType type);
/// "a PyTorch checkpoint", for sentences.
std::string_view describe(LoadType type);

struct WeightsEntry {
  std::string name;
  DType dtype = DType::F32;  ///< as stored
  Shape shape;
  std::function<Result<Tensor>()> read;  ///< the elements, in the stored dtype

  std::int64_t elements() const { return numel(shape); }
  std::size_t bytes() const { return static_cast<std::size_t>(elements()) * size_of(dtype); }
};

struct WeightsFile {
  LoadType type = LoadType::Auto;  ///< what it is; never Auto
  std::vector<WeightsEntry> tensors = {};
  std::map<std::string, std::string> metadata = {};
  std::string prefix = {};              ///< taken off every name, such as "model."
  std::vector<std::string> notes = {};  ///< which part of the file was taken
};

/// Lists what a file holds. Tensors stay in the file until they are read. With Auto the content
/// decides; a file that is not of the type asked for is an error.
Result<WeightsFile> read_weights_file(const MappedFile& file, LoadType type = LoadType::Auto);
Result<WeightsFile> read_weights_file(const std::filesystem::path& path,
                                      LoadType type = LoadType::Auto);
/// "auto", "pt" ...: what --load-type takes.
std::vector<std::string_view> load_type_names();

/// Metadata key under which our own checkpoints keep the graph.
inline constexpr const char* kGraphMetadata = "chop.graph";

}  // namespace chop::io
