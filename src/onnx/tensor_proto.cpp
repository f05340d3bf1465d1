// TensorProto to tensor and back: from its typed fields, its bytes, or a file beside the model.
#include "io/tensor_bytes.hpp"
#include "onnx/model_file.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

namespace fs = std::filesystem;

/// The position of a tensor's bytes in another file of the same folder.
struct External {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

Result<External> external_of(const proto::TensorProto& tensor) {
  External external;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") external.location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const auto number = parse_int(entry.value());
    if (!number || *number < 0)
      return Error{.what = cat("tensor '", tensor.name(), "': external data with the ", entry.key(),
                               " '", entry.value(), "'")};
    if (entry.key() == "offset") external.offset = static_cast<std::uint64_t>(*number);
    if (entry.key() == "length") external.length = static_cast<std::uint64_t>(*number);
  }
  return external;
}

/// The file a tensor names, which must be in the model's own folder or below it.
Result<fs::path> external_path(const proto::TensorProto& tensor, const External& external,
                               const OnnxFile& file) {
  const fs::path given(external.location);
  const Error outside{
      .what = cat("tensor '", tensor.name(), "' has its data in '", external.location,
                  "', which is not inside the model's folder"),
      .hint = "external data must lie beside the model; a path that leads elsewhere is refused"};
  if (external.location.empty() || given.is_absolute()) return outside;
  for (const fs::path& part : given)
    if (part == "..") return outside;
  if (file.folder.empty())
    return Error{.what = cat("tensor '", tensor.name(), "' has its data in another file, '",
                             external.location, "'")};
  std::error_code code;
  const fs::path folder = fs::weakly_canonical(file.folder, code);
  const fs::path path = fs::weakly_canonical(folder / given, code);
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  if (code || end != folder.end()) return outside;
  return path;
}

Result<Tensor> external_tensor(const proto::TensorProto& tensor, TensorType type,
                               const OnnxFile& file) {
  CH_TRY(const External external, external_of(tensor));
  CH_TRY(const fs::path path, external_path(tensor, external, file));
  CH_TRY(const MappedFile mapped, MappedFile::open(path));
  const std::span<const std::byte> bytes = mapped.bytes();
  const std::uint64_t wanted = type.bytes();
  const std::uint64_t length = external.length.value_or(wanted);
  if (length != wanted || external.offset > bytes.size() || wanted > bytes.size() - external.offset)
    return Error{.what = cat("tensor '", tensor.name(), "' of ", wanted, " bytes lies at ",
                             external.offset, " (", length, " bytes) in '", external.location,
                             "', which has ", bytes.size())};
  return tensor_from_bytes(type.dtype, std::move(type.shape),
                           bytes.subspan(external.offset, wanted));
}

template <class T, class Field>
Tensor narrowed(const TensorType& type, const Field& field) {
  Tensor tensor(type);
  const auto out = tensor.mutable_data<T>();
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<T>(field.Get(static_cast<int>(i)));
  return tensor;
}

/// From the typed fields: small types share int32_data.
Tensor typed_tensor(const proto::TensorProto& tensor, const TensorType& type) {
  switch (type.dtype) {
    case DType::F32:
      return narrowed<float>(type, tensor.float_data());
    case DType::F64:
      return narrowed<double>(type, tensor.double_data());
    case DType::I64:
      return narrowed<std::int64_t>(type, tensor.int64_data());
    case DType::U64:
      return narrowed<std::uint64_t>(type, tensor.uint64_data());
    case DType::U32:
      return narrowed<std::uint32_t>(type, tensor.uint64_data());
    case DType::I32:
      return narrowed<std::int32_t>(type, tensor.int32_data());
    case DType::I16:
      return narrowed<std::int16_t>(type, tensor.int32_data());
    case DType::I8:
      return narrowed<std::int8_t>(type, tensor.int32_data());
    case DType::U8:
      return narrowed<std::uint8_t>(type, tensor.int32_data());
    case DType::Bool:
      return narrowed<bool>(type, tensor.int32_data());
    case DType::F16:
    case DType::BF16:
    case DType::U16:
      return narrowed<std::uint16_t>(type, tensor.int32_data());
  }
  return Tensor(type);
}

std::int64_t typed_count(const proto::TensorProto& tensor, DType dtype) {
  switch (dtype) {
    case DType::F32:
      return tensor.float_data_size();
    case DType::F64:
      return tensor.double_data_size();
    case DType::I64:
      return tensor.int64_data_size();
    case DType::U64:
    case DType::U32:
      return tensor.uint64_data_size();
    default:
      return tensor.int32_data_size();
  }
}

}  // namespace

Result<TensorType> type_of_tensor(const proto::TensorProto& tensor, const OnnxLimits& limits) {
  const std::optional<DType> dtype = dtype_of(tensor.data_type());
  if (!dtype)
    return Error{.what = cat("tensor '", tensor.name(), "' holds ",
                             onnx_type_name(tensor.data_type()), " elements"),
                 .hint = "real numbers, whole numbers and truth values can be read"};
  TensorType type{*dtype, {tensor.dims().begin(), tensor.dims().end()}};
  std::int64_t count = 1;
  for (const std::int64_t dim : type.shape) {
    if (dim < 0)
      return Error{.what = cat("tensor '", tensor.name(), "' has the negative dimension ", dim)};
    if (dim > 0 && (__builtin_mul_overflow(count, dim, &count) || count > limits.elements))
      return Error{.what = cat("tensor '", tensor.name(), "' of shape ", to_string(type.shape),
                               " has too many elements"),
                   .hint = cat("at most ", limits.elements, " are read")};
  }
  return type;
}

Result<Tensor> tensor_of(const proto::TensorProto& tensor, const OnnxFile& file,
                         const OnnxLimits& limits) {
  CH_TRY(TensorType type, type_of_tensor(tensor, limits));
  if (tensor.has_segment())
    return Error{.what = cat("tensor '", tensor.name(), "' is stored in segments")};
  if (tensor.data_location() == proto::TensorProto::EXTERNAL)
    return external_tensor(tensor, std::move(type), file);
  const std::int64_t elements = numel(type.shape);
  if (tensor.has_raw_data()) {
    const std::string& raw = tensor.raw_data();
    if (raw.size() != type.bytes())
      return Error{.what = cat("tensor '", tensor.name(), "' of shape ", to_string(type.shape),
                               " should have ", type.bytes(), " bytes, the file has ", raw.size())};
    return tensor_from_bytes(type.dtype, std::move(type.shape), std::as_bytes(std::span(raw)));
  }
  if (const std::int64_t given = typed_count(tensor, type.dtype); given != elements)
    return Error{.what = cat("tensor '", tensor.name(), "' of shape ", to_string(type.shape),
                             " should have ", elements, " elements, the file has ", given)};
  return typed_tensor(tensor, type);
}

proto::TensorProto to_proto(const Tensor& tensor, const std::string& name) {
  proto::TensorProto out;
  out.set_name(name);
  out.set_data_type(onnx_type_of(tensor.dtype()));
  for (const std::int64_t dim : tensor.shape()) out.add_dims(dim);
  out.set_raw_data(reinterpret_cast<const char*>(tensor.bytes()), tensor.size_in_bytes());
  return out;
}

Result<NamedTensor> read_tensor_file(const fs::path& path) {
  CH_TRY(const MappedFile mapped, MappedFile::open(path));
  const std::span<const std::byte> bytes = mapped.bytes();
  proto::TensorProto tensor;
  if (bytes.size() > 0x7FFFFFFFU ||
      !tensor.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return not_onnx(path.string(), "its bytes are not a TensorProto");
  CH_TRY(Tensor value, tensor_of(tensor, {nullptr, path.parent_path(), path.string()}));
  return NamedTensor{tensor.name(), std::move(value)};
}

}  // namespace chop::onnx
