#include "data/fetch/download.hpp"

#include <chrono>
#include <thread>

#include "data/fetch/part_file.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

constexpr int kMostAttempts = 20;

std::string counted_bytes(std::uint64_t bytes) {
  return counted(static_cast<std::int64_t>(bytes), "byte");
}

/// One file on its way, through as many connections as it takes.
class Download {
 public:
  Download(const DownloadRequest& request, PartFile part)
      : request_(request), part_(std::move(part)) {}

  Result<DownloadEnd> run(const Patience& patience) {
    const Result<DownloadEnd> end = follow(patience);
    // What nothing would go on from.
    if ((!end || end.value() == DownloadEnd::Cancelled) && !can_continue())
      remove_part(request_.part);
    return end;
  }

 private:
  Result<DownloadEnd> follow(const Patience& patience) {
    std::uint64_t most = part_.size();
    for (int attempt = 1; !is_whole(); ++attempt) {
      Result<TransferResult> answer = transfer(request(), patience);
      // The server has another file by now, or no such range of it.
      if (!answer && restart_ && std::exchange(ranges_, false)) continue;
      CH_TRY(TransferResult result, std::move(answer));
      if (result.end == TransferEnd::Cancelled) return DownloadEnd::Cancelled;
      if (result.end == TransferEnd::Refused && result.response.status == 416 &&
          std::exchange(ranges_, false))
        continue;
      if (result.end == TransferEnd::Refused) return cannot(result);
      if (result.end == TransferEnd::Done && is_whole_by(result.response)) break;
      if (result.end == TransferEnd::Done) result.why = "the server ended it too early";
      if (part_.size() <= most || attempt == kMostAttempts) return cannot(result);
      most = part_.size();
      log_info(cat("Broken off after ", counted_bytes(most), " (", result.why, "); going on"));
      std::this_thread::sleep_for(std::chrono::milliseconds(100 * attempt));
    }
    CH_CHECK(part_.finish());
    return DownloadEnd::Done;
  }

  std::uint64_t expected() const { return request_.bytes > 0 ? request_.bytes : part_.total(); }
  bool is_whole() const {
    return part_.size() > 0 && part_.size() == expected() && part_.is_from(request_.url);
  }

  /// After an answer that came to its end.
  bool is_whole_by(const Response& response) const {
    if (expected() > 0) return part_.size() == expected();
    if (!response.shows_its_end && !request_.summed)
      log_warning(cat("'", request_.url,
                      "' does not say how long the file is, so this may be a part ",
                      "of it; --again downloads it once more and compares"));
    return true;
  }

  bool can_continue() const {
    return is_whole() || !part_.headers_to_continue(request_.url, request_.summed).empty();
  }

  Error cannot(const TransferResult& result) const {
    Error error = transfer_error(request_.url, result);
    if (can_continue())
      error.notes.push_back(cat(counted_bytes(part_.size()), " have come and are kept; the same ",
                                "command goes on from there"));
    return error;
  }

  Request request() {
    restart_ = false;
    Request made{.url = request_.url};
    if (ranges_) made.headers = part_.headers_to_continue(request_.url, request_.summed);
    asked_for_part_ = !made.headers.empty();
    made.begin = [this](const Response& response) { return begin(response); };
    made.body = [this](std::span<const std::byte> bytes) { return take(bytes); };
    return made;
  }

  Status begin(const Response& response) {
    if (response.status == 206) {
      restart_ = !asked_for_part_ || response.range_from != part_.size() ||
                 part_.is_of_another_file(response) ||
                 (expected() > 0 && response.total && *response.total != expected());
      if (restart_)
        return cannot(
            {.response = response, .why = "the server sends a part that was not asked for"});
      return {};
    }
    if (response.length) CH_CHECK(check_length(*response.length));
    return part_.start_over(request_.url, response);
  }

  Status check_length(std::uint64_t length) const {
    if (request_.bytes > 0 && length != request_.bytes)
      return Error{
          .what = cat("'", request_.url, "' is another file: it has ", counted_bytes(length),
                      " where ", counted_bytes(request_.bytes), " are expected"),
          .hint = "nothing was downloaded"};
    if (request_.limit > 0 && length > request_.limit) return too_much();
    std::error_code unknown;
    const auto room = std::filesystem::space(request_.part.parent_path(), unknown);
    if (!unknown && room.available < length)
      return Error{
          .what = cat("no room in '", request_.part.parent_path().string(), "': the file has ",
                      counted_bytes(length), ", and ", counted_bytes(room.available), " are free"),
          .hint = "free some space, or name another folder with CH_CACHE_DIR"};
    return {};
  }

  Error too_much() const {
    const std::uint64_t most = request_.bytes > 0 ? request_.bytes : request_.limit;
    return Error{.what = cat("'", request_.url, "' sends more than the ", counted_bytes(most),
                             request_.bytes > 0 ? " of the file" : " that are accepted"),
                 .hint = "what came was removed"};
  }

  Status take(std::span<const std::byte> bytes) {
    const std::uint64_t most = request_.bytes > 0 ? request_.bytes : request_.limit;
    if (most > 0 && bytes.size() > most - std::min(most, part_.size())) {
      remove_part(request_.part);
      return too_much();
    }
    CH_CHECK(part_.append(bytes));
    if (request_.progress) request_.progress(part_.size(), expected());
    return {};
  }

  const DownloadRequest& request_;
  PartFile part_;
  bool ranges_ = true;  ///< the rest of a part may be asked for
  bool asked_for_part_ = false;
  bool restart_ = false;  ///< what came does not fit the part
};

}  // namespace

void remove_part(const std::filesystem::path& part) {
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  std::filesystem::remove(notes_of(part), ignored);
}

Result<DownloadEnd> download(const DownloadRequest& request, const Patience& patience) {
  CH_TRY(PartFile part, PartFile::open(request.part));
  return Download(request, std::move(part)).run(patience);
}

Result<std::string> download_text(const std::string& url, std::uint64_t limit,
                                  const Patience& patience) {
  std::string text;
  Request request{.url = url};
  request.begin = [](const Response&) { return Status(); };
  request.body = [&](std::span<const std::byte> bytes) -> Status {
    if (bytes.size() > limit - text.size())
      return Error{.what = cat("'", url, "' sends more than the ", counted_bytes(limit),
                               " that are accepted")};
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  CH_TRY(const TransferResult result, transfer(request, patience));
  if (result.end == TransferEnd::Done) return text;
  if (result.end == TransferEnd::Cancelled) return std::string();
  return transfer_error(url, result);
}

}  // namespace chop::data
