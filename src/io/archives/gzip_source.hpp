// The bytes of a file in order, unpacked when they are gzipped.
#pragma once

#include "support/result.hpp"

namespace chop::io {

/// Memory grows with the bytes that arrive, whatever the file claims.
class GzipSource {
 public:
  using Broken = Error (*)(const std::string& name, const std::string& reason);

  /// `bytes` must outlive it. `broken` makes the error for damaged data of the file called `name`.
  GzipSource(std::span<const std::byte> bytes, std::string name, Broken broken);
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource();

  bool is_packed() const { return stream_ != nullptr; }
  /// The next bytes, at most `limit`; fewer at the end of the file.
  Result<std::string> take(std::size_t limit);

 private:
  struct Stream;

  bool starts_member() const;
  std::size_t copy_into(std::span<char> room);
  Result<std::size_t> inflate_into(std::span<char> room);

  std::span<const std::byte> rest_;
  std::string name_;
  Broken broken_;
  std::unique_ptr<Stream> stream_;  ///< of packed bytes
  bool done_ = false;               ///< the last packed member has ended
};

}  // namespace chop::io
