#include "io/archives/gzip_source.hpp"

#include <zlib.h>

#include <cstring>

namespace chop::io {

struct GzipSource::Stream {
  z_stream z = {};

  Stream() { inflateInit2(&z, 16 + MAX_WBITS); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { inflateEnd(&z); }
};

GzipSource::GzipSource(std::span<const std::byte> bytes, std::string name, Broken broken)
    : rest_(bytes), name_(std::move(name)), broken_(broken) {
  if (starts_member()) stream_ = std::make_unique<Stream>();
}

GzipSource::~GzipSource() = default;

Result<std::string> GzipSource::take(std::size_t limit) {
  std::string bytes;
  while (bytes.size() < limit) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min(limit - before, std::max(before, std::size_t{1} << 16)));
    const std::span<char> room = std::span(bytes).subspan(before);
    std::size_t got = 0;
    if (stream_ == nullptr) {
      got = copy_into(room);
    } else {
      CH_TRY(got, inflate_into(room));
    }
    bytes.resize(before + got);
    if (got == 0) break;
  }
  return bytes;
}

bool GzipSource::starts_member() const {
  return rest_.size() >= 2 && rest_[0] == std::byte{0x1F} && rest_[1] == std::byte{0x8B};
}

std::size_t GzipSource::copy_into(std::span<char> room) {
  const std::size_t count = std::min(room.size(), rest_.size());
  if (count > 0) std::memcpy(room.data(), rest_.data(), count);
  rest_ = rest_.subspan(count);
  return count;
}

/// As many bytes as there are, up to the room; 0 at the end of the last member.
Result<std::size_t> GzipSource::inflate_into(std::span<char> room) {
  z_stream& z = stream_->z;
  z.next_out = reinterpret_cast<Bytef*>(room.data());
  z.avail_out = static_cast<unsigned>(std::min(room.size(), std::size_t{1} << 30));
  const unsigned asked = z.avail_out;
  while (z.avail_out > 0 && !done_) {
    const auto step = static_cast<unsigned>(std::min(rest_.size(), std::size_t{1} << 30));
    z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest_.data()));
    z.avail_in = step;
    const int code = inflate(&z, Z_NO_FLUSH);
    rest_ = rest_.subspan(step - z.avail_in);
    if (code == Z_STREAM_END) {  // members may follow one another; anything else is ignored
      done_ = !starts_member();
      inflateReset(&z);
    } else if (code != Z_OK) {
      return broken_(name_, "its compressed data is damaged or truncated");
    }
  }
  return asked - z.avail_out;
}

}  // namespace chop::io
