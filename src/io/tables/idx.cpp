#include "io/tables/idx.hpp"

#include "io/archives/gzip_source.hpp"
#include "io/tensor_bytes.hpp"
#include "support/system/files.hpp"

namespace chop::io {
namespace {

Error broken_idx(const std::string& name, const std::string& reason) {
  return Error{
      .what = cat("'", name, "' is not a readable idx file: ", reason),
      .hint = "download it again; MNIST's files are named like train-images-idx3-ubyte.gz"};
}

std::optional<DType> dtype_of(unsigned char code) {
  switch (code) {
    case 0x08:
      return DType::U8;
    case 0x09:
      return DType::I8;
    case 0x0B:
      return DType::I16;
    case 0x0C:
      return DType::I32;
    case 0x0D:
      return DType::F32;
    case 0x0E:
      return DType::F64;
    default:
      return std::nullopt;
  }
}

struct IdxHeader {
  DType dtype = DType::U8;
  Shape shape;
};

Result<IdxHeader> read_header(GzipSource& source, const std::string& name) {
  CH_TRY(const std::string magic, source.take(4));
  if (magic.size() < 4) return broken_idx(name, "it ends inside the header");
  const std::optional<DType> dtype = dtype_of(static_cast<unsigned char>(magic[2]));
  const auto rank = static_cast<unsigned char>(magic[3]);
  if (magic[0] != 0 || magic[1] != 0 || !dtype || rank == 0)
    return broken_idx(name, "its magic number is not one of idx");
  CH_TRY(const std::string dims, source.take(4U * rank));
  if (dims.size() < 4U * rank) return broken_idx(name, "it ends inside the header");
  IdxHeader header{.dtype = *dtype, .shape = {}};
  for (std::size_t k = 0; k < rank; ++k) {
    std::int64_t dim = 0;
    for (std::size_t i = 0; i < 4; ++i)
      dim = dim << 8 | static_cast<unsigned char>(dims[4 * k + i]);
    header.shape.push_back(dim);
  }
  return header;
}

}  // namespace

Result<Tensor> parse_idx(std::span<const std::byte> file, const std::string& name,
                         std::int64_t rows) {
  GzipSource source(file, name, broken_idx);
  CH_TRY(IdxHeader header, read_header(source, name));
  const bool cut = rows > 0 && header.shape[0] > rows;
  if (cut) header.shape[0] = rows;
  const std::optional<std::size_t> size = checked_bytes(header.dtype, header.shape);
  if (!size)
    return broken_idx(name, cat("its dimensions ", to_string(header.shape), " are impossible"));
  if (source.is_packed() &&
      *size > std::max<std::size_t>(kUnpackFreely, file.size() * kUnpackFactor))
    return broken_idx(name, cat("its dimensions ", to_string(header.shape), " need ", *size,
                                " bytes, and the file has ", file.size()));
  CH_TRY(std::string bytes, source.take(*size));
  if (bytes.size() < *size)
    return broken_idx(name, cat("its dimensions ", to_string(header.shape), " need ", *size,
                                " bytes, but only ", bytes.size(), " follow"));
  CH_TRY(const std::string more, source.take(1));
  if (!cut && !more.empty())
    return broken_idx(name, cat("its dimensions ", to_string(header.shape), " leave bytes over"));
  const std::size_t width = size_of(header.dtype);
  for (std::size_t i = 0; width > 1 && i < bytes.size(); i += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
  return tensor_from_bytes(header.dtype, header.shape, std::as_bytes(std::span(bytes)));
}

Result<Tensor> read_idx(const std::filesystem::path& path, std::int64_t rows) {
  CH_TRY(const MappedFile file, MappedFile::open(path));
  return parse_idx(file.bytes(), path.string(), rows);
}

}  // namespace chop::io
