#include "data/fetch/part_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

Error cannot_write(const std::filesystem::path& path, int code) {
  const bool full = code == ENOSPC || code == EDQUOT || code == EFBIG;
  return Error{.what = cat("cannot write '", path.string(), "': ", std::strerror(code)),
               .hint = full ? "the disk is full; free some space, and the same command goes on "
                              "where this one stopped"
                            : "check the permissions of the file and its folder"};
}

/// A line of notes; whatever a server says stays on it.
std::string on_one_line(std::string text) {
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
  return text + "\n";
}

}  // namespace

std::filesystem::path notes_of(const std::filesystem::path& part) {
  std::filesystem::path notes = part;
  notes += ".from";
  return notes;
}

Result<PartFile> PartFile::open(const std::filesystem::path& path) {
  PartFile part;
  part.path_ = path;
  part.file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  struct stat status = {};
  if (part.file_ < 0 || ::fstat(part.file_, &status) != 0) return cannot_write(path, errno);
  if (!S_ISREG(status.st_mode))
    return Error{.what = cat("'", path.string(), "' is not a regular file")};
  part.size_ = static_cast<std::uint64_t>(status.st_size);
  part.read_notes();
  return part;
}

PartFile::PartFile(PartFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      url_(std::move(other.url_)),
      validator_(std::move(other.validator_)),
      total_(other.total_) {}

PartFile::~PartFile() {
  if (file_ >= 0) ::close(file_);
}

void PartFile::read_notes() {
  const Result<std::string> notes = read_file(notes_of(path_));
  if (!notes) return;
  const std::vector<std::string> lines = split(notes.value(), '\n');
  if (lines.size() < 3) return;
  url_ = lines[0];
  validator_ = lines[1];
  total_ = static_cast<std::uint64_t>(std::max<std::int64_t>(0, parse_int(lines[2]).value_or(0)));
}

bool PartFile::is_from(const std::string& url) const {
  return on_one_line(url) == url_ + "\n";
}

std::vector<std::string> PartFile::headers_to_continue(const std::string& url, bool summed) const {
  if (size_ == 0 || !is_from(url) || (validator_.empty() && !summed)) return {};
  std::vector<std::string> headers = {cat("Range: bytes=", size_, "-")};
  if (!validator_.empty()) headers.push_back("If-Range: " + validator_);
  return headers;
}

bool PartFile::is_of_another_file(const Response& response) const {
  const std::string& now = validator_.starts_with('"') ? response.etag : response.last_modified;
  return !validator_.empty() && !now.empty() && now != validator_;
}

Status PartFile::start_over(const std::string& url, const Response& response) {
  if (::ftruncate(file_, 0) != 0) return cannot_write(path_, errno);
  size_ = 0;
  url_ = on_one_line(url);
  url_.pop_back();
  // A weak ETag does not promise the same bytes.
  validator_ = response.etag.starts_with('"') ? response.etag : response.last_modified;
  total_ = response.length.value_or(0);
  return write_file(notes_of(path_), cat(on_one_line(url), on_one_line(validator_), total_, "\n"));
}

Status PartFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return cannot_write(path_, written < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
  return {};
}

Status PartFile::finish() {
  if (::fsync(file_) != 0) return cannot_write(path_, errno);
  return {};
}

}  // namespace chop::data
