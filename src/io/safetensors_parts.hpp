// What reading and writing safetensors share: the names of the header and the checksum.
#pragma once

#include "io/safetensors.hpp"

namespace chop::io {

using SafetensorsMetadata = std::map<std::string, std::string>;

inline constexpr std::size_t kLargestHeader = 100'000'000;
inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr const char* kChecksumKey = "chop.checksum";

/// "F32" and so on; "?" of a type that the format does not have.
std::string_view safetensors_name(DType dtype);
std::optional<DType> safetensors_dtype(std::string_view name);

/// Of everything a file says, but for the checksum itself.
class SafetensorsChecksum {
 public:
  explicit SafetensorsChecksum(int threads) : threads_(threads) {}

  void add(const SafetensorsMetadata& metadata);
  void add(std::string_view name, DType dtype, const Shape& shape,
           std::span<const std::byte> bytes);
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  void add(std::string_view text);
  void add(std::span<const std::byte> bytes);

  int threads_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace chop::io
