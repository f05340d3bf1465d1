// tar archives byte by byte, so that tests can make the ones no honest program writes.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace chop::testing {

struct TarPart {
  std::string name;
  std::string bytes = {};
  char type = '0';
  std::string size = {};    ///< the field of the header; empty: as it should be
  std::string prefix = {};  ///< folders before the name
};

/// The header and the bytes, filled up to whole blocks.
inline std::string tar_entry(const TarPart& part) {
  const auto in_octal = [](std::uint64_t value, int digits) {
    std::string text;
    for (int i = 0; i < digits; ++i, value /= 8)
      text.insert(text.begin(), static_cast<char>('0' + value % 8));
    return text;
  };
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    header.replace(at, text.size(), text);
  };
  put(0, part.name.substr(0, 100));
  put(100, "0000644");
  put(124, part.size.empty() ? in_octal(part.bytes.size(), 11) : part.size);
  put(156, std::string(1, part.type));
  put(257, std::string("ustar\00000", 8));
  put(345, part.prefix);
  std::uint64_t sum = 8 * ' ';
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(148, in_octal(sum, 6) + '\0' + ' ');
  return header + part.bytes + std::string((512 - part.bytes.size() % 512) % 512, '\0');
}

inline std::string tar_of(const std::vector<TarPart>& parts) {
  std::string bytes;
  for (const TarPart& part : parts) bytes += tar_entry(part);
  return bytes + std::string(1024, '\0');
}

inline std::string gzipped(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace chop::testing
