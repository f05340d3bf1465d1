// The bytes of a download so far, and notes about where they come from.
#pragma once

#include <filesystem>

#include "data/fetch/transfer.hpp"

namespace chop::data {

class PartFile {
 public:
  static Result<PartFile> open(const std::filesystem::path& path);
  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&&) = delete;
  ~PartFile();

  std::uint64_t size() const { return size_; }
  std::uint64_t total() const { return total_; }  ///< of the whole file; 0: not known

  bool is_from(const std::string& url) const;
  /// The headers that ask `url` for the rest; none where what is here cannot be continued, because
  /// nothing would tell whether the rest is of the same file.
  std::vector<std::string> headers_to_continue(const std::string& url, bool summed) const;
  /// Whether the server sends, without regard to If-Range, the rest of another file.
  bool is_of_another_file(const Response& response) const;
  /// Drops what is here, and notes what `response` says about the whole file.
  Status start_over(const std::string& url, const Response& response);
  Status append(std::span<const std::byte> bytes);
  /// To the disk.
  Status finish();

 private:
  PartFile() = default;
  void read_notes();

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::string url_;        ///< where the bytes come from
  std::string validator_;  ///< an ETag or a date by which the server knows its file again
  std::uint64_t total_ = 0;
};

std::filesystem::path notes_of(const std::filesystem::path& part);

}  // namespace chop::data
