#include "data/fetch/sources.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "data/fetch/download.hpp"
#include "support/json.hpp"
#include "support/sha256.hpp"
#include "support/system/files.hpp"
#include "support/system/folder_lock.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestDescription = std::uint64_t{4} << 20U;

fs::path with_ending(fs::path path, const char* ending) {
  path += ending;
  return path;
}

std::uint64_t size_or_zero(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(path, missing);
  return missing ? 0 : size;
}

/// One source of a data set on its way into its folder.
class Fetch {
 public:
  Fetch(const DatasetDef& def, const DataSource& source, const FetchOptions& options)
      : def_(def),
        source_(source),
        options_(options),
        folder_(dataset_folder(def.name)),
        file_(folder_ / source.file),
        part_(with_ending(file_, ".part")) {}

  Result<FetchedFile> run() {
    Result<FetchedFile> fetched = fetch();
    if (size_or_zero(part_) == 0) remove_part(part_);
    if (fetched) return fetched;
    Error error = std::move(fetched).error();
    // Every failed download says how to fetch the file by hand.
    if (error.hint.empty())
      error.hint = cat("fetch ", by_hand(), " by hand and put it into ", folder_.string(), " as ",
                       source_.file);
    return error;
  }

 private:
  std::string by_hand() const {
    if (!address_.empty()) return address_;
    return source_.page.empty() ? source_.url : "the file of " + source_.page;
  }

  Result<FetchedFile> fetch() {
    std::error_code ignored;
    if (fs::exists(file_, ignored) && !fs::is_regular_file(file_, ignored))
      return Error{.what = cat("'", file_.string(), "' is there and is not a file"),
                   .hint = "move it away, and download again"};
    CH_TRY(const bool known, find_address());
    if (!known) return FetchedFile{.path = file_, .cancelled = true};
    log_info(cat("Downloading ", address_));
    DownloadRequest request{.url = address_,
                            .part = part_,
                            .bytes = source_.bytes,
                            .limit = source_.limit,
                            .summed = !source_.sha256.empty()};
    request.progress = [this](std::uint64_t done, std::uint64_t total) {
      if (options_.progress) options_.progress(source_.file, done, total);
    };
    CH_TRY(const DownloadEnd end, download(request, options_.patience));
    if (end == DownloadEnd::Cancelled)
      return FetchedFile{.path = file_, .bytes = size_or_zero(part_), .cancelled = true};
    return accept();
  }

  /// Fills address_; false when the user cancelled that.
  Result<bool> find_address() {
    const char* mirror = std::getenv("CH_DATA_MIRROR");
    if (!options_.url.empty()) {
      address_ = options_.url.ends_with('/') ? options_.url + source_.file : options_.url;
    } else if (mirror != nullptr && *mirror != '\0') {
      address_ = cat(mirror, std::string_view(mirror).ends_with('/') ? "" : "/", def_.name, "/",
                     source_.file);
    } else if (source_.address_entry.empty()) {
      address_ = source_.url;
    } else {
      return find_described_address();
    }
    return true;
  }

  Result<bool> find_described_address() {
    CH_TRY(const std::string text,
           download_text(source_.url, kLongestDescription, options_.patience));
    if (options_.patience.cancelled && options_.patience.cancelled()) return false;
    CH_TRY(const Tree description, parse_json(text, cat("the answer of '", source_.url, "'")));
    const Tree* entry = &description;
    for (const std::string& key : split(source_.address_entry, '.'))
      entry = entry == nullptr ? nullptr : entry->find(key);
    const std::string* address = entry == nullptr ? nullptr : entry->as_text();
    if (address == nullptr)
      return Error{.what = cat("the answer of '", source_.url, "' has no text '",
                               source_.address_entry, "'")};
    // A description that came encrypted names no address that is not.
    if (!address->starts_with("https://") &&
        (source_.url.starts_with("https://") || !address->starts_with("http://")))
      return Error{.what = cat("'", source_.url, "' names the address '", *address,
                               "', which is not https")};
    address_ = *address;
    return true;
  }

  /// The sum it must have, and who says so; nothing for a first download.
  struct KnownSum {
    std::string sum;
    std::string whose;
  };
  std::optional<KnownSum> known_sum() const {
    if (!source_.sha256.empty()) return KnownSum{source_.sha256, "published"};
    const Result<std::string> kept = read_file(with_ending(file_, ".sha256"));
    if (!kept) return std::nullopt;
    return KnownSum{kept.value().substr(0, kept.value().find_first_of(" \n")),
                    "of the first download"};
  }

  Result<FetchedFile> accept() {
    std::string sum;
    {
      CH_TRY(const MappedFile file, MappedFile::open(part_));
      CH_CHECK(check_beginning(file.text()));
      sum = sha256(file.bytes());
    }
    const std::optional<KnownSum> known = known_sum();
    if (known && known->sum != sum) {
      remove_part(part_);
      Error error{.what = cat("'", address_, "' is another file: its SHA-256 is ", sum, ", and ",
                              known->sum, " is that ", known->whose),
                  .hint = "what came was removed; "};
      error.hint += source_.sha256.empty()
                        ? cat("to accept it, remove ", with_ending(file_, ".sha256").string(),
                              " and download it again")
                        : cat("fetch it elsewhere and put it into ", folder_.string());
      return error;
    }
    if (!known) CH_CHECK(check_content());
    if (!known)
      CH_CHECK(write_file(with_ending(file_, ".sha256"), cat(sum, "  ", source_.file, "\n")));
    const std::uint64_t bytes = size_or_zero(part_);
    if (::rename(part_.c_str(), file_.c_str()) != 0)
      return Error{.what = cat("cannot rename '", part_.string(), "': ", std::strerror(errno))};
    remove_part(part_);
    return FetchedFile{.path = file_, .bytes = bytes, .sha256 = sum};
  }

  Status check_beginning(std::string_view text) {
    const std::string_view start = trim(text.substr(0, 64));
    const bool page = start.starts_with('<');
    if (!page && text.starts_with(source_.starts_with)) return {};
    return not_it(
        cat("is another file: ", page ? "a web page" : "it does not begin as such files do"));
  }

  /// Its sum is kept after this, so it must be the file, and the whole of it.
  Status check_content() {
    if (source_.check == nullptr) return {};
    const Status status = source_.check(part_);
    if (status) return {};
    return not_it(cat("is not the file, or not all of it: ", status.error().what));
  }

  Error not_it(const std::string& why) {
    remove_part(part_);
    const std::string from = source_.page.empty() ? source_.url : cat("the file of ", source_.page);
    return Error{.what = cat("'", address_, "' ", why),
                 .hint = cat("fetch ", from, " by hand and put it into ", folder_.string(), " as ",
                             source_.file)};
  }

  const DatasetDef& def_;
  const DataSource& source_;
  const FetchOptions& options_;
  fs::path folder_;
  fs::path file_;
  fs::path part_;
  std::string address_;
};

/// To fetch the files by hand, the addresses of all are needed.
Error with_the_others(Error error, const DatasetDef& def, const DataSource& failed) {
  std::vector<std::string> others;
  for (const SourceState& state : look_for_sources(def))
    if (!state.found && state.source != &failed) others.push_back(state.source->url);
  if (!others.empty()) error.notes.push_back(cat("missing as well: ", join(others, ", ")));
  return error;
}

FetchedFile found_file(const SourceState& state) {
  return {.path = state.path, .bytes = state.bytes, .was_there = true};
}

std::vector<FetchedFile> found_files(const DatasetDef& def) {
  std::vector<FetchedFile> files;
  for (const SourceState& state : look_for_sources(def))
    if (state.found) files.push_back(found_file(state));
  return files;
}

Result<FolderLock> lock_folder(const fs::path& folder) {
  Result<FolderLock> lock = FolderLock::take(folder, "downloading", FolderLock::Share::No,
                                             "wait until it has ended, then go on");
  if (lock) return lock;
  Error error = std::move(lock).error();
  if (error.hint.empty()) error.hint = "CH_CACHE_DIR names another folder for the files";
  return error;
}

}  // namespace

std::vector<SourceState> look_for_sources(const DatasetDef& def) {
  const fs::path folder = dataset_folder(def.name);
  std::vector<SourceState> states;
  for (const DataSource& source : def.sources) {
    SourceState state{.source = &source, .path = folder / source.file};
    std::vector<std::string> names = source.instead;
    names.insert(names.begin(), source.file);
    std::error_code ignored;
    for (const std::string& name : names) {
      if (state.found || !fs::is_regular_file(folder / name, ignored)) continue;
      state.found = true;
      state.path = folder / name;
    }
    state.bytes = size_or_zero(state.found ? state.path : with_ending(state.path, ".part"));
    states.push_back(std::move(state));
  }
  return states;
}

Result<std::vector<FetchedFile>> fetch_sources(const DatasetDef& def, const FetchOptions& options) {
  if (def.sources.empty())
    return Error{.what =
                     cat("data set '", def.name, "' is generated: there is nothing to download")};
  if (def.sources.size() > 1 && !options.url.empty() && !options.url.ends_with('/'))
    return Error{.what = cat("data set '", def.name, "' has ", def.sources.size(),
                             " files, and --url names one"),
                 .hint = "the address of a folder with the files ends in '/'"};
  std::vector<FetchedFile> files = options.again ? std::vector<FetchedFile>() : found_files(def);
  if (files.size() == def.sources.size()) return files;  // also in a folder that is read-only
  CH_TRY(const FolderLock lock, lock_folder(dataset_folder(def.name)));
  files.clear();
  for (const SourceState& state : look_for_sources(def)) {
    if (state.found && !options.again) {
      files.push_back(found_file(state));
      continue;
    }
    Result<FetchedFile> fetched = Fetch(def, *state.source, options).run();
    if (!fetched) return with_the_others(std::move(fetched).error(), def, *state.source);
    files.push_back(std::move(fetched).value());
    if (files.back().cancelled) break;
  }
  return files;
}

}  // namespace chop::data
