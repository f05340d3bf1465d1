#include "io/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "io/tensor_bytes.hpp"
#include "support/files.hpp"

namespace chop {
namespace {

Error broken(const std::filesystem::path& path, const std::string& reason) {
  return Error{
      .what = cat("'", path.string(), "' is not a readable idx file: ", reason),
      .hint = "download it again; MNIST's files are named like train-images-idx3-ubyte.gz"};
}

/// At most `limit` bytes of a file, unpacked when it is gzipped. The memory grows with what
/// really comes, whatever the file claims.
Result<std::string> unpack(gzFile file, std::size_t limit, const std::filesystem::path& path) {
  std::string bytes;
  while (bytes.size() < limit) {
    const std::size_t before = bytes.size();
    const std::size_t step = std::min(limit - before, std::size_t{1} << 22);
    bytes.resize(before + step);
    const int got = gzread(file, bytes.data() + before, static_cast<unsigned>(step));
    bytes.resize(before + static_cast<std::size_t>(std::max(got, 0)));
    int code = Z_OK;
    gzerror(file, &code);
    if (got < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR)
      return broken(path, "its compressed data is damaged or truncated");
    if (got == 0) break;
  }
  return bytes;
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

struct Header {
  DType dtype = DType::U8;
  Shape shape;
};

Result<Header> read_header(gzFile file, const std::filesystem::path& path) {
  CH_TRY(const std::string magic, unpack(file, 4, path));
  if (magic.size() < 4) return broken(path, "it ends inside the header");
  const std::optional<DType> dtype = dtype_of(static_cast<unsigned char>(magic[2]));
  const auto rank = static_cast<unsigned char>(magic[3]);
  if (magic[0] != 0 || magic[1] != 0 || !dtype || rank == 0)
    return broken(path, "its magic number is not one of idx");
  CH_TRY(const std::string dims, unpack(file, 4U * rank, path));
  if (dims.size() < 4U * rank) return broken(path, "it ends inside the header");
  Header header{.dtype = *dtype, .shape = {}};
  for (std::size_t k = 0; k < rank; ++k) {
    std::int64_t dim = 0;
    for (std::size_t i = 0; i < 4; ++i)
      dim = dim << 8 | static_cast<unsigned char>(dims[4 * k + i]);
    header.shape.push_back(dim);
  }
  return header;
}

}  // namespace

Result<Tensor> read_idx(const std::filesystem::path& path) {
  CH_TRY(const MappedFile readable, MappedFile::open(path));  // for its clear messages
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file) return broken(path, "it cannot be opened");
  gzbuffer(file.get(), 1U << 18);
  CH_TRY(const Header header, read_header(file.get(), path));
  const std::optional<std::size_t> size = checked_bytes(header.dtype, header.shape);
  if (!size)
    return broken(path, cat("its dimensions ", to_string(header.shape), " are impossible"));
  CH_TRY(std::string bytes, unpack(file.get(), *size, path));
  if (bytes.size() < *size)
    return broken(path, cat("its dimensions ", to_string(header.shape), " need ", *size,
                            " bytes, but only ", bytes.size(), " follow"));
  CH_TRY(const std::string more, unpack(file.get(), 1, path));
  if (!more.empty())
    return broken(path, cat("its dimensions ", to_string(header.shape), " leave bytes over"));
  const std::size_t width = size_of(header.dtype);
  for (std::size_t i = 0; width > 1 && i < bytes.size(); i += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
  return tensor_from_bytes(header.dtype, header.shape, std::as_bytes(std::span(bytes)));
}

}  // namespace chop
