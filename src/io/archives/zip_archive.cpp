#include "io/archives/zip_archive.hpp"

#include <zip.h>

#include "io/archives/entry_name.hpp"
#include "support/escape.hpp"

namespace chop::io {
namespace {

/// The record that ends every archive.
constexpr std::size_t kSmallest = 22;

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// Why an entry cannot be what it claims.
std::string wrong_packing(const zip_stat_t& stat, std::string_view name) {
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((stat.valid & kNeeded) != kNeeded)
    return cat("entry '", shown_in_message(name), "' cannot be read");
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
    return cat("entry '", shown_in_message(name), "' is encrypted");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    return cat("entry '", shown_in_message(name), "' is packed by method ", stat.comp_method,
               "; stored and deflated entries are read");
  if (stat.comp_method == ZIP_CM_STORE && stat.size != stat.comp_size)
    return cat("entry '", shown_in_message(name), "' is stored as it is, but claims ", stat.size,
               " bytes in ", stat.comp_size);
  if (stat.size / kLargestZipRatio > stat.comp_size)
    return cat("entry '", shown_in_message(name), "' claims ", stat.size, " bytes packed in ",
               stat.comp_size);
  return {};
}

}  // namespace

struct ZipArchive::Handle {
  zip_t* archive = nullptr;

  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (archive != nullptr) zip_discard(archive);
  }
};

Error ZipArchive::broken(const std::string& reason) const {
  return Error{.what = cat("'", name_, "' is not a readable zip archive: ", reason),
               .hint = "the file may be truncated or damaged; write or download it again"};
}

Status ZipArchive::list_entries(std::uint64_t archive_bytes, const ZipLimits& limits) {
  const zip_int64_t count = zip_get_num_entries(handle_->archive, 0);
  const std::uint64_t most = std::max(limits.free_bytes, archive_bytes * limits.expansion);
  std::uint64_t unpacked = 0;
  std::uint64_t packed = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    const auto index = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(handle_->archive, index, 0, &stat) != 0 || stat.name == nullptr)
      return broken(cat("entry ", i, " cannot be read"));
    if (const std::string why = wrong_entry_name(stat.name); !why.empty()) return broken(why);
    if (const std::string why = wrong_packing(stat, stat.name); !why.empty()) return broken(why);
    // Each term is below 2^64 / 2 once it has passed its own test, so no sum wraps round.
    if (stat.comp_size > archive_bytes || (packed += stat.comp_size) > archive_bytes)
      return broken(cat("its entries claim more packed bytes than the ", archive_bytes,
                        " of the archive, so that they overlap"));
    if (stat.size > most || (unpacked += stat.size) > most) {
      Error bomb = broken(cat("it would unpack to more than ", most, " bytes, and the archive has ",
                              archive_bytes, ": a zip bomb"));
      bomb.hint =
          "if it is a file of yours, write it uncompressed: numpy.savez, not "
          "savez_compressed; --rows N reads the first rows alone";
      return bomb;
    }
    entries_.push_back(
        {.name = stat.name, .index = index, .size = stat.size, .packed = stat.comp_size});
    if (!by_name_.emplace(stat.name, entries_.size() - 1).second)
      return broken(cat("two entries are named '", shown_in_message(stat.name), "'"));
  }
  return {};
}

Result<ZipArchive> ZipArchive::parse(std::span<const std::byte> bytes, std::string_view name,
                                     const ZipLimits& limits) {
  ZipArchive opened;
  opened.name_ = name;
  if (bytes.size() < kSmallest)
    return opened.broken(cat("it has ", bytes.size(), " bytes, fewer than any archive"));
  opened.handle_ = std::make_shared<Handle>();
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source != nullptr) {
    opened.handle_->archive = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (opened.handle_->archive == nullptr) zip_source_free(source);
  }
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (opened.handle_->archive == nullptr) return opened.broken(reason);
  CH_CHECK(opened.list_entries(bytes.size(), limits));
  return opened;
}

Result<ZipArchive> ZipArchive::open(const std::filesystem::path& path, const ZipLimits& limits) {
  CH_TRY(MappedFile file, MappedFile::open(path));
  CH_TRY(ZipArchive archive, parse(file.bytes(), path.string(), limits));
  archive.file_ = std::move(file);
  return archive;
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

Result<std::string> ZipArchive::read(const ZipEntry& entry, std::uint64_t size) const {
  zip_t* archive = handle_->archive;
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(archive, entry.index, 0));
  if (!file)
    return broken(cat("entry '", shown_in_message(entry.name), "': ", zip_strerror(archive)));
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t before = bytes.size();
    const std::size_t step = std::min<std::size_t>(size - before, std::size_t{1} << 24);
    bytes.resize(before + step);
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + before, step);
    if (got <= 0)
      return broken(cat("entry '", shown_in_message(entry.name), "' is truncated or damaged"));
    bytes.resize(before + static_cast<std::size_t>(got));
  }
  // Only the read that meets the end compares the checksum.
  char beyond = 0;
  if (size == entry.size && zip_fread(file.get(), &beyond, 1) != 0)
    return broken(
        cat("entry '", shown_in_message(entry.name), "' is damaged (its checksum differs)"));
  return bytes;
}

}  // namespace chop::io
