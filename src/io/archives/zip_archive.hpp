// Reads zip archives without trusting them: every name, size and packing is checked against
// the bytes that are there before anything is unpacked.
#pragma once

#include <filesystem>
#include <functional>

#include "support/system/files.hpp"

namespace chop::io {

/// zlib cannot do better than 1:1032, so a larger claim is false.
inline constexpr std::uint64_t kLargestZipRatio = 1032;

struct ZipEntry {
  std::string name;
  std::uint64_t index = 0;
  std::uint64_t size = 0;    ///< unpacked, as claimed
  std::uint64_t packed = 0;  ///< bytes in the archive
};

/// What an archive may claim. The entries together may unpack to `free_bytes`, or to
/// `expansion` times the bytes of the archive where that is more.
struct ZipLimits {
  std::uint64_t expansion = kLargestZipRatio;
  std::uint64_t free_bytes = std::uint64_t{1} << 20;
};

/// An opened archive whose entries have passed every check: relative names without "..",
/// each once; stored or deflated, not encrypted; sizes within the limits.
class ZipArchive {
 public:
  static Result<ZipArchive> open(const std::filesystem::path& path, const ZipLimits& limits = {});
  /// Of bytes the caller keeps alive; `name` is the file's name in messages.
  static Result<ZipArchive> parse(std::span<const std::byte> bytes, std::string_view name,
                                  const ZipLimits& limits = {});

  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;
  /// The unpacked bytes, whose checksum was compared. Memory grows with the bytes that arrive.
  Result<std::string> read(const ZipEntry& entry) const { return read(entry, entry.size); }
  /// The first `size` of them; the checksum is that of all and compared only when all are read.
  Result<std::string> read(const ZipEntry& entry, std::uint64_t size) const;

 private:
  struct Handle;

  ZipArchive() = default;
  Status list_entries(std::uint64_t archive_bytes, const ZipLimits& limits);
  Error broken(const std::string& reason) const;

  MappedFile file_;
  std::string name_;
  std::shared_ptr<Handle> handle_;
  std::vector<ZipEntry> entries_;  ///< in the order of the archive
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace chop::io
