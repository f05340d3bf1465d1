// Zip archives byte by byte, so that tests can make the ones no honest program writes.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace chop::testing {

struct ZipPart {
  std::string name;
  std::string packed;        ///< the bytes as they lie in the archive
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint16_t flags = 0;   ///< 1: encrypted
  std::uint32_t size = 0;    ///< claimed unpacked size
  std::uint32_t crc = 0;
  std::uint32_t claimed_packed = 0;
};

inline ZipPart stored(std::string name, std::string bytes) {
  ZipPart part{.name = std::move(name), .packed = std::move(bytes)};
  part.size = static_cast<std::uint32_t>(part.packed.size());
  part.claimed_packed = part.size;
  part.crc = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(part.packed.data()), part.size));
  return part;
}

inline ZipPart deflated(std::string name, const std::string& bytes) {
  ZipPart part = stored(std::move(name), bytes);
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  part.packed.resize(deflateBound(&stream, bytes.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(part.packed.data());
  stream.avail_out = static_cast<uInt>(part.packed.size());
  deflate(&stream, Z_FINISH);
  part.packed.resize(stream.total_out);
  deflateEnd(&stream);
  part.method = 8;
  part.claimed_packed = static_cast<std::uint32_t>(part.packed.size());
  return part;
}

inline std::string zip_of(const std::vector<ZipPart>& parts) {
  std::string bytes;
  std::string directory;
  const auto put = [](std::string& out, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i, value = value >> 8) out += static_cast<char>(value & 0xFF);
  };
  for (const ZipPart& part : parts) {
    const std::size_t at = bytes.size();
    const auto common = [&](std::string& out) {
      put(out, 20, 2);
      put(out, part.flags, 2);
      put(out, part.method, 2);
      put(out, 0x00210000, 4);  // 1980-01-01
      put(out, part.crc, 4);
      put(out, part.claimed_packed, 4);
      put(out, part.size, 4);
      put(out, part.name.size(), 2);
      put(out, 0, 2);
    };
    bytes += "PK\x03\x04";
    common(bytes);
    bytes += part.name + part.packed;
    directory += "PK\x01\x02";
    put(directory, 20, 2);
    common(directory);
    put(directory, 0, 2 + 2 + 2 + 4);
    put(directory, at, 4);
    directory += part.name;
  }
  std::string end = "PK\x05\x06";
  put(end, 0, 4);
  put(end, parts.size(), 2);
  put(end, parts.size(), 2);
  put(end, directory.size(), 4);
  put(end, bytes.size(), 4);
  put(end, 0, 2);
  return bytes + directory + end;
}

}  // namespace chop::testing
