#include "io/npz.hpp"

#include <zip.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include "io/npy.hpp"
#include "support/files.hpp"

namespace chop {
namespace {

/// zlib cannot do better than 1:1032, so a larger claim is a lie.
constexpr zip_uint64_t kLargestRatio = 1032;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

Error broken(const std::filesystem::path& path, const std::string& reason) {
  return Error{.what = cat("'", path.string(), "' is not a readable .npz file: ", reason),
               .hint = "numpy.savez('x.npz', x=..., y=...) writes files that can be read"};
}

Result<Archive> open_archive(const std::filesystem::path& path) {
  CH_TRY(const MappedFile readable, MappedFile::open(path));  // for its clear messages
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  return broken(path, reason);
}

/// The contents of one entry; the memory grows with the bytes that really come.
Result<std::string> entry_bytes(zip_t* archive, const zip_stat_t& entry,
                                const std::filesystem::path& path) {
  if (entry.size / kLargestRatio > entry.comp_size)
    return broken(path, cat("entry '", entry.name, "' claims ", entry.size, " bytes packed in ",
                            entry.comp_size));
  const std::unique_ptr<zip_file_t, Discard> file(zip_fopen_index(archive, entry.index, 0));
  if (!file) return broken(path, cat("entry '", entry.name, "': ", zip_strerror(archive)));
  std::string bytes;
  while (bytes.size() < entry.size) {
    const std::size_t before = bytes.size();
    const std::size_t step = std::min<std::size_t>(entry.size - before, std::size_t{1} << 24);
    bytes.resize(before + step);
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + before, step);
    if (got <= 0) return broken(path, cat("entry '", entry.name, "' is truncated or damaged"));
    bytes.resize(before + static_cast<std::size_t>(got));
  }
  // Only the read that meets the end compares the checksum.
  char beyond = 0;
  if (zip_fread(file.get(), &beyond, 1) != 0)
    return broken(path, cat("entry '", entry.name, "' is damaged (its checksum differs)"));
  return bytes;
}

Status add_entry(zip_t* archive, const std::string& name, const std::string& bytes) {
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  const std::string file = name + ".npy";
  const zip_int64_t index =
      source == nullptr ? -1 : zip_file_add(archive, file.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return Error{.what = cat("cannot add '", name, "' to the archive: ", zip_strerror(archive))};
  }
  const auto at = static_cast<zip_uint64_t>(index);
  zip_set_file_compression(archive, at, ZIP_CM_STORE, 0);
  zip_file_set_dostime(archive, at, 0, 0x21, 0);  // 1980-01-01: same tensors, same bytes
  return {};
}

/// The finished archive inside `source`.
Result<std::string> source_bytes(zip_source_t* source) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0)
    return Error{.what = "cannot read back the finished archive"};
  std::string bytes(stat.size, '\0');
  const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(bytes.size()))
    return Error{.what = "cannot read back the finished archive"};
  return bytes;
}

/// Builds the archive in memory.
Result<std::string> pack(const NpzArrays& tensors) {
  std::vector<std::string> contents;
  for (const auto& [name, tensor] : tensors) {
    CH_TRY(contents.emplace_back(), format_npy(tensor));
  }
  zip_error_t error;
  zip_error_init(&error);
  const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> source(
      zip_source_buffer_create(nullptr, 0, 0, &error), &zip_source_free);
  if (!source) return Error{.what = "cannot make an archive in memory"};
  zip_source_keep(source.get());
  Archive archive(zip_open_from_source(source.get(), ZIP_TRUNCATE, &error));
  if (!archive) {
    zip_source_free(source.get());
    return Error{.what = cat("cannot make an archive: ", zip_error_strerror(&error))};
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    CH_CHECK(add_entry(archive.get(), tensors[i].first, contents[i]));
  if (zip_close(archive.get()) != 0)
    return Error{.what = cat("cannot finish the archive: ", zip_strerror(archive.get()))};
  archive.release();
  return source_bytes(source.get());
}

}  // namespace

Result<NpzArrays> read_npz(const std::filesystem::path& path) {
  CH_TRY(const Archive archive, open_archive(path));
  NpzArrays tensors;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t entry;
    zip_stat_init(&entry);
    if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(i), 0, &entry) != 0 ||
        (entry.valid & ZIP_STAT_SIZE) == 0 || (entry.valid & ZIP_STAT_COMP_SIZE) == 0)
      return broken(path, cat("entry ", i, " cannot be read"));
    std::string name = entry.name;
    if (!name.ends_with(".npy")) continue;
    CH_TRY(const std::string bytes, entry_bytes(archive.get(), entry, path));
    CH_TRY(Tensor tensor, parse_npy(std::as_bytes(std::span(bytes)), path.string() + ":" + name));
    name.resize(name.size() - 4);
    tensors.emplace_back(std::move(name), std::move(tensor));
  }
  return tensors;
}

Status write_npz(const std::filesystem::path& path, const NpzArrays& tensors) {
  std::set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    if (!names.insert(name).second)
      return Error{.what = cat("two arrays named '", name, "' for '", path.string(), "'")};
  }
  CH_TRY(const std::string bytes, pack(tensors));
  return write_file(path, bytes);
}

}  // namespace chop
