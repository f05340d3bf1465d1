#include "io/weights_file.hpp"

#include "io/safetensors.hpp"
#include "io/tensor_bytes.hpp"
#include "io/torch/torch_checkpoint.hpp"

namespace chop::io {
namespace {

namespace fs = std::filesystem;

struct TypeName {
  LoadType type;
  std::string_view name;
  std::string_view description;
};
constexpr std::array<TypeName, 7> kTypes = {{
    {LoadType::Auto, "auto", "a file of weights"},
    {LoadType::Pt, "pt", "a PyTorch checkpoint"},
    {LoadType::Pl, "pl", "a PyTorch Lightning checkpoint"},
    {LoadType::Mz, "mz", "a checkpoint of ours"},
    {LoadType::Safetensors, "safetensors", "a safetensors file"},
    {LoadType::Onnx, "onnx", "an ONNX model"},
    {LoadType::Hf, "hf", "a Hugging Face folder"},
}};

Result<WeightsFile> read_torch(const MappedFile& mapped) {
  CH_TRY(TorchCheckpoint opened, TorchCheckpoint::of(mapped));
  const auto checkpoint = std::make_shared<const TorchCheckpoint>(std::move(opened));
  WeightsFile file{.type = checkpoint->is_lightning() ? LoadType::Pl : LoadType::Pt,
                   .metadata = checkpoint->metadata(),
                   .prefix = checkpoint->prefix(),
                   .notes = checkpoint->notes()};
  for (const TorchTensor& tensor : checkpoint->tensors())
    file.tensors.push_back({.name = tensor.name,
                            .dtype = tensor.dtype,
                            .shape = tensor.shape,
                            .read = [checkpoint, &tensor] { return checkpoint->read(tensor); }});
  return file;
}

Result<WeightsFile> read_safetensors_file(const MappedFile& mapped) {
  CH_TRY(SafetensorsView opened, SafetensorsView::of(mapped));
  const auto view = std::make_shared<const SafetensorsView>(std::move(opened));
  WeightsFile file{
      .type = view->metadata().contains(kGraphMetadata) ? LoadType::Mz : LoadType::Safetensors,
      .metadata = view->metadata()};
  for (const SafetensorsEntry& entry : view->entries())
    file.tensors.push_back({.name = entry.name,
                            .dtype = entry.dtype,
                            .shape = entry.shape,
                            .read = [view, &entry]() -> Result<Tensor> {
                              return tensor_from_bytes(entry.dtype, entry.shape, entry.bytes);
                            }});
  return file;
}

/// The header begins after the eight bytes of its length; the reader reports what is wrong with
/// either.
bool looks_like_safetensors(std::span<const std::byte> bytes) {
  return bytes.size() > 8 && bytes[8] == std::byte{'{'};
}

using Reader = Result<WeightsFile> (*)(const MappedFile&);

/// The reader of a file that begins with these bytes; null when there is none.
Reader reader_for(std::span<const std::byte> bytes) {
  if (looks_like_safetensors(bytes)) return read_safetensors_file;
  if (TorchCheckpoint::looks_like_one(bytes)) return read_torch;
  return nullptr;
}

/// The reader of a type; null when there is none.
Reader reader_for(LoadType type) {
  switch (type) {
    case LoadType::Pt:
    case LoadType::Pl:
      return read_torch;
    case LoadType::Mz:
    case LoadType::Safetensors:
      return read_safetensors_file;
    default:
      return nullptr;
  }
}

/// Ours are safetensors files, and Lightning's are PyTorch's; not the other way round.
bool is_of(LoadType wanted, LoadType found) {
  return wanted == found || (wanted == LoadType::Safetensors && found == LoadType::Mz) ||
         (wanted == LoadType::Pt && found == LoadType::Pl);
}

}  // namespace

Result<LoadType> load_type_from_name(std::string_view name) {
  for (const TypeName& each : kTypes)
    if (each.name == name) return each.type;
  return Error{.what = cat("no load type '", name, "'"),
               .hint = "auto, pt, pl, mz and safetensors are read"};
}

std::vector<std::string_view> load_type_names() {
  std::vector<std::string_view> names;
  for (const TypeName& each : kTypes) names.push_back(each.name);
  return names;
}

std::string_view name_of(LoadType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::string_view describe(LoadType type) {
  return kTypes[static_cast<std::size_t>(type)].description;
}

Result<WeightsFile> read_weights_file(const MappedFile& mapped, LoadType type) {
  const bool guess = type == LoadType::Auto;
  const Reader read = guess ? reader_for(mapped.bytes()) : reader_for(type);
  const std::string path = mapped.path().string();
  if (read == nullptr && guess)
    return Error{.what = cat("'", path, "' is no file of weights that is known here"),
                 .hint =
                     "PyTorch and Lightning checkpoints, safetensors files and checkpoints "
                     "of `ch train` are read"};
  if (read == nullptr)
    return Error{.what = cat("weights of type '", name_of(type), "' cannot be read yet"),
                 .hint = "--load-type auto, pt, pl, mz and safetensors are"};
  CH_TRY(WeightsFile file, read(mapped));
  if (!guess && !is_of(type, file.type))
    return Error{.what = cat("'", path, "' is ", describe(file.type), ", not ", describe(type)),
                 .hint = "leave --load-type out: the content says what a file is"};
  return file;
}

Result<WeightsFile> read_weights_file(const fs::path& path, LoadType type) {
  CH_TRY(const MappedFile mapped, MappedFile::open(path));
  return read_weights_file(mapped, type);
}

}  // namespace chop::io
