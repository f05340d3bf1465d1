// One file from one address: written beside, continued where an earlier attempt stopped.
//
//   FILE.part        what has come so far
//   FILE.part.from   the address it came from, and what the server said to recognise the file by
#pragma once

#include <filesystem>

#include "data/fetch/transfer.hpp"

namespace chop::data {

struct DownloadRequest {
  std::string url;
  std::filesystem::path part;  ///< FILE.part
  std::uint64_t bytes = 0;     ///< of the file; 0: not known
  std::uint64_t limit = 0;     ///< the most that are accepted, where they are not known
  bool summed = false;         ///< a sum is known, so that parts of two files would be noticed
  /// Called as bytes come; `total` is 0 where it is not known.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

enum class DownloadEnd : std::uint8_t { Done, Cancelled };

/// The whole file is then in `part`. A connection that breaks off is taken up again (Range), as
/// long as it brings something new; a server that cannot do so, or has another file by now, starts
/// over. After an error and when cancelled the part stays, and the next call goes on with it.
Result<DownloadEnd> download(const DownloadRequest& request, const Patience& patience);

/// A short text, such as JSON.
Result<std::string> download_text(const std::string& url, std::uint64_t limit,
                                  const Patience& patience);

/// Removes a part and its notes.
void remove_part(const std::filesystem::path& part);

}  // namespace chop::data
