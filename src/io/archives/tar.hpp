// tar archives (ustar), gzipped or not, read in order in memory: nothing is ever unpacked to disk.
#pragma once

#include <filesystem>

#include "support/result.hpp"

namespace chop::io {

struct TarOptions {
  /// The files to read, by their names without folders; the others are passed over. Empty: all.
  std::vector<std::string> files = {};
  std::uint64_t largest = std::uint64_t{64} << 20U;  ///< bytes of a file that is read
};

/// The regular files of an archive by name: "folder/file". Folders, links and devices are passed
/// over. Names that lead out of the archive, two files of one name, damaged headers, lengths beyond
/// the archive and archives that unpack to far more than their size are errors.
using TarFiles = std::map<std::string, std::string>;
Result<TarFiles> read_tar(const std::filesystem::path& path, const TarOptions& options = {});
/// The same from bytes; `name` is the archive's name in messages.
Result<TarFiles> parse_tar(std::span<const std::byte> bytes, const std::string& name,
                           const TarOptions& options = {});

/// "b" of "a/b".
std::string_view without_folders(std::string_view name);

}  // namespace chop::io
