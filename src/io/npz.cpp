#include "io/npz.hpp"

#include <zip.h>

#include <set>

#include "io/archives/zip_archive.hpp"
#include "io/npy.hpp"
#include "io/tensor_bytes.hpp"
#include "support/system/files.hpp"

namespace chop::io {
namespace {

/// Arrays of numbers shrink a few times when they are packed, masks and one-hot labels fifty times.
constexpr ZipLimits kArrayLimits{.expansion = kUnpackFactor, .free_bytes = kUnpackFreely};
/// Where only some rows are read, what the rest would unpack to does not matter.
constexpr ZipLimits kRowsLimits{.expansion = kLargestZipRatio, .free_bytes = kUnpackFreely};

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

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

Result<NpzArrays> read_npz(const std::filesystem::path& path, std::int64_t rows) {
  CH_TRY(const MappedFile file, MappedFile::open(path));
  CH_TRY(const ZipArchive archive,
         ZipArchive::parse(file.bytes(), path.string(), rows > 0 ? kRowsLimits : kArrayLimits));
  const std::uint64_t most = std::max(kUnpackFreely, file.bytes().size() * kUnpackFactor);
  NpzArrays tensors;
  for (const ZipEntry& entry : archive.entries()) {
    if (!entry.name.ends_with(".npy")) continue;
    const auto take = [&](std::size_t bytes) -> Result<std::string> {
      if (bytes > most)
        return Error{.what = cat("'", path.string(), "': ", rows, " rows of '", entry.name,
                                 "' would unpack to ", bytes, " bytes, and the archive has ",
                                 file.bytes().size()),
                     .hint = "read fewer rows, or write the file uncompressed: numpy.savez"};
      return archive.read(entry, bytes);
    };
    CH_TRY(Tensor tensor, parse_npy(take, entry.size, path.string() + ":" + entry.name, rows));
    tensors.emplace_back(entry.name.substr(0, entry.name.size() - 4), std::move(tensor));
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

}  // namespace chop::io
