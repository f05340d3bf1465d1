// TensorBoard event files: scalars that TensorBoard itself can read.
//
// A file is a row of records: length (8 bytes), masked CRC of it, data, masked CRC of the
// data; CRC-32C, all little-endian. The data is an Event protobuf; the first one carries
// the file version "brain.Event:2".
#pragma once

#include <cstdio>
#include <filesystem>

#include "report/table.hpp"

namespace chop::report {

/// CRC-32C (Castagnoli): crc32c("123456789") is 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);
/// The CRC as records store it: rotated and shifted, so that a CRC of data holding CRCs
/// stays meaningful.
std::uint32_t masked_crc32c(std::string_view bytes);

/// One Event message, encoded: the opening one, and one scalar.
std::string encode_file_version_event(double wall_time);
std::string encode_scalar_event(double wall_time, std::int64_t step, std::string_view tag,
                                float value);
/// `data` framed as one record.
std::string encode_record(std::string_view data);

class EventWriter {
 public:
  /// Creates `folder` and a new file events.out.tfevents.<unix time>.<host>.<pid> in it; with
  /// that name taken, a ".1", ".2", ... follows.
  static Result<EventWriter> open(const std::filesystem::path& folder);

  /// Appends one value and hands it to the system, so that TensorBoard sees it at once.
  Status add_scalar(std::string_view tag, double value, std::int64_t step);

  const std::filesystem::path& path() const { return path_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  Status append(std::string_view record);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

/// Creates <root>/version_N with the smallest N above all that exist, as Lightning does.
Result<std::filesystem::path> create_version_folder(const std::filesystem::path& root);

/// "name: value" lines, the hparams.yaml beside an event file. Texts that YAML would read as
/// something else are quoted; no value is null.
std::string to_yaml(std::span<const std::pair<std::string, Cell>> entries);

}  // namespace chop::report
