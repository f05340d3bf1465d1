// The files of a data set: which are there, and how the others get there.
#pragma once

#include "data/fetch/transfer.hpp"
#include "data/registry.hpp"

namespace chop::data {

struct SourceState {
  const DataSource* source = nullptr;
  std::filesystem::path path;  ///< the file, or where it belongs
  bool found = false;
  std::uint64_t bytes = 0;  ///< of the file, or of the part of it that has come
};

/// What is in the folder of the data set, source by source.
std::vector<SourceState> look_for_sources(const DatasetDef& def);

struct FetchOptions {
  Patience patience = {};
  /// Another address: that of the file, or, with "/" at its end, of the folder with the files.
  std::string url = {};
  bool again = false;  ///< also what is there already
  /// Called as bytes of `file` come; `total` is 0 where it is not known.
  std::function<void(const std::string& file, std::uint64_t done, std::uint64_t total)> progress =
      {};
};

struct FetchedFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::string sha256;  ///< empty when it was there already
  bool was_there = false;
  bool cancelled = false;  ///< so far `bytes`, the rest another time
};

/// Downloads what is missing, file by file, and says so in the log. A file takes its name when it
/// is whole and its sum is right: the published one, or that of the first download, which is kept
/// beside it (FILE.sha256). Ends with the first that was cancelled. $CH_DATA_MIRROR, where it is
/// set, is a folder with NAME/FILE for every data set, and is asked instead of the published
/// addresses.
Result<std::vector<FetchedFile>> fetch_sources(const DatasetDef& def, const FetchOptions& options);

}  // namespace chop::data
