#include "io/tables/cifar10.hpp"

#include <cstring>

#include "support/system/files.hpp"

namespace chop::io {

Result<Cifar10Batch> parse_cifar10(std::span<const std::byte> bytes, const std::string& name) {
  constexpr std::size_t kPixels = 3 * 32 * 32;
  constexpr std::size_t kRecord = 1 + kPixels;
  if (bytes.empty() || bytes.size() % kRecord != 0)
    return Error{.what = cat("'", name, "' is not a CIFAR-10 batch: ", bytes.size(),
                             " bytes are not a whole number of 3073-byte records"),
                 .hint = "the binary version is needed (cifar-10-binary.tar.gz)"};
  const std::size_t count = bytes.size() / kRecord;
  const auto n = static_cast<std::int64_t>(count);
  Cifar10Batch batch{.images = Tensor(DType::U8, {n, 3, 32, 32}),
                     .labels = Tensor(DType::I64, {n})};
  const std::span<std::uint8_t> images = batch.images.mutable_data<std::uint8_t>();
  const std::span<std::int64_t> labels = batch.labels.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < count; ++i) {
    labels[i] = std::to_integer<std::int64_t>(bytes[i * kRecord]);
    if (labels[i] > 9)
      return Error{.what = cat("'", name, "': record ", i, " has label ", labels[i],
                               ", CIFAR-10 has 0 to 9"),
                   .hint = "CIFAR-100 and the Python version of the files are not read"};
    std::memcpy(&images[i * kPixels], &bytes[i * kRecord + 1], kPixels);
  }
  return batch;
}

Result<Cifar10Batch> read_cifar10(const std::filesystem::path& path) {
  CH_TRY(const MappedFile file, MappedFile::open(path));
  return parse_cifar10(file.bytes(), path.string());
}

}  // namespace chop::io
