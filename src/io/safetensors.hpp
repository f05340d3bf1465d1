// safetensors: a JSON header (names, dtypes, shapes, offsets), then the bytes of the tensors.
//
// Read by the published rules: header of at most 100 MB, metadata from text to text, every
// tensor inside the file, no overlap, no hole, nothing left over.
//
// Files written here carry a checksum of everything else in them as the metadata entry
// "chop.checksum". It is verified whenever such a file is opened, and is not part of metadata().
#pragma once

#include <filesystem>

#include "support/system/files.hpp"
#include "tensor/tensor.hpp"

namespace chop::io {

struct SafetensorsFile {
  std::map<std::string, std::string> metadata;
  std::vector<std::pair<std::string, Tensor>> tensors;  ///< in the order of the header
  bool has_checksum = false;                            ///< of a file that was read
};

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  std::span<const std::byte> bytes;  ///< not necessarily aligned
};

/// A checked file whose tensors stay in the mapped file until they are copied.
class SafetensorsView {
 public:
  static Result<SafetensorsView> open(const std::filesystem::path& path, int threads = 1);
  static Result<SafetensorsView> of(MappedFile file, int threads = 1);
  /// Of bytes the caller keeps alive; `name` is the file's name in messages.
  static Result<SafetensorsView> parse(std::span<const std::byte> bytes, std::string_view name,
                                       int threads = 1);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }
  const SafetensorsEntry* find(std::string_view name) const;
  /// Whether a checksum says that the file is as it was written.
  bool has_checksum() const { return has_checksum_; }

 private:
  MappedFile file_;
  std::map<std::string, std::string> metadata_;
  std::vector<SafetensorsEntry> entries_;
  bool has_checksum_ = false;
};

Result<SafetensorsFile> read_safetensors(MappedFile mapped);
Result<SafetensorsFile> read_safetensors(const std::filesystem::path& path);

/// The same contents give the same bytes. The header keeps the given order; the bytes are
/// ordered by falling element size, so that every tensor is aligned in a mapped file.
Status write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file,
                         int threads = 1);
/// The bytes write_safetensors() writes.
Result<std::string> format_safetensors(const SafetensorsFile& file);

}  // namespace chop::io
