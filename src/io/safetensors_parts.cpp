#include "io/safetensors_parts.hpp"

#include "support/checksum.hpp"

namespace chop::io {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 13> kNames = {{{"F32", DType::F32},
                                                                        {"F64", DType::F64},
                                                                        {"F16", DType::F16},
                                                                        {"BF16", DType::BF16},
                                                                        {"I64", DType::I64},
                                                                        {"I32", DType::I32},
                                                                        {"I16", DType::I16},
                                                                        {"I8", DType::I8},
                                                                        {"U64", DType::U64},
                                                                        {"U32", DType::U32},
                                                                        {"U16", DType::U16},
                                                                        {"U8", DType::U8},
                                                                        {"BOOL", DType::Bool}}};

}  // namespace

std::string_view safetensors_name(DType dtype) {
  for (const auto& [name, known] : kNames)
    if (known == dtype) return name;
  return "?";
}

std::optional<DType> safetensors_dtype(std::string_view name) {
  for (const auto& [known, dtype] : kNames)
    if (known == name) return dtype;
  return {};
}

void SafetensorsChecksum::add(const SafetensorsMetadata& metadata) {
  for (const auto& [key, value] : metadata)
    if (key != kChecksumKey) {
      add(key);
      add(value);
    }
}

void SafetensorsChecksum::add(std::string_view name, DType dtype, const Shape& shape,
                              std::span<const std::byte> bytes) {
  add(cat(name, safetensors_name(dtype), to_string(shape)));
  add(bytes);
}

std::string SafetensorsChecksum::text() const {
  const std::uint64_t sum = checksum(std::as_bytes(std::span(sums_)));
  std::string digits(16, '0');
  for (std::size_t i = 0; i < 16; ++i) digits[i] = "0123456789abcdef"[sum >> (60 - 4 * i) & 0xF];
  return digits;
}

void SafetensorsChecksum::add(std::string_view text) {
  add(std::as_bytes(std::span(text)));
}

void SafetensorsChecksum::add(std::span<const std::byte> bytes) {
  sums_.push_back(checksum(bytes, threads_));
}

}  // namespace chop::io
