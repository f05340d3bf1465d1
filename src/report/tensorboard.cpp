#include "report/tensorboard.hpp"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::report {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  constexpr std::uint32_t kReversedPolynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kCrcTable = make_crc_table();

/// Little-endian bytes of an unsigned integer, whatever the machine's order.
template <class Unsigned>
void put_fixed(std::string& out, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

/// Wire types of protobuf.
enum class Wire : std::uint64_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

void put_key(std::string& out, std::uint64_t field, Wire wire) {
  put_varint(out, field << 3 | static_cast<std::uint64_t>(wire));
}

void put_bytes(std::string& out, std::uint64_t field, std::string_view bytes) {
  put_key(out, field, Wire::Bytes);
  put_varint(out, bytes.size());
  out += bytes;
}

void put_wall_time(std::string& out, double wall_time) {
  put_key(out, 1, Wire::Fixed64);
  put_fixed(out, std::bit_cast<std::uint64_t>(wall_time));
}

double unix_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

Error cannot_write(const fs::path& path, int code) {
  return {.what = cat("cannot write '", path.string(), "': ", std::strerror(code)),
          .hint = "check the permissions of its folder and the space on the disk"};
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes)
    crc = (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8u;
}

std::string encode_file_version_event(double wall_time) {
  std::string event;
  put_wall_time(event, wall_time);
  put_bytes(event, 3, "brain.Event:2");
  return event;
}

std::string encode_scalar_event(double wall_time, std::int64_t step, std::string_view tag,
                                float value) {
  std::string plugin;  // SummaryMetadata.PluginData.plugin_name
  put_bytes(plugin, 1, "scalars");
  std::string metadata;  // SummaryMetadata.plugin_data
  put_bytes(metadata, 1, plugin);

  std::string entry;  // Summary.Value
  put_bytes(entry, 1, tag);
  put_key(entry, 2, Wire::Fixed32);
  put_fixed(entry, std::bit_cast<std::uint32_t>(value));
  put_bytes(entry, 9, metadata);

  std::string summary;
  put_bytes(summary, 1, entry);

  std::string event;
  put_wall_time(event, wall_time);
  put_key(event, 2, Wire::Varint);
  put_varint(event, static_cast<std::uint64_t>(step));
  put_bytes(event, 5, summary);
  return event;
}

std::string encode_record(std::string_view data) {
  std::string record;
  put_fixed(record, static_cast<std::uint64_t>(data.size()));
  put_fixed(record, masked_crc32c(record));
  record += data;
  put_fixed(record, masked_crc32c(data));
  return record;
}

Result<EventWriter> EventWriter::open(const fs::path& folder) {
  CH_CHECK(ensure_writable_folder(folder));
  const double now = unix_time();
  const std::string name = cat("events.out.tfevents.", static_cast<std::int64_t>(now), ".",
                               host_name(), ".", ::getpid());
  EventWriter writer;
  for (int twin = 0; writer.file_ == nullptr; ++twin) {
    writer.path_ = folder / (twin == 0 ? name : cat(name, ".", twin));
    writer.file_.reset(std::fopen(writer.path_.c_str(), "wbxe"));  // x: never onto another's file
    if (writer.file_ == nullptr && errno != EEXIST) return cannot_write(writer.path_, errno);
  }
  CH_CHECK(writer.append(encode_record(encode_file_version_event(now))));
  return writer;
}

Status EventWriter::add_scalar(std::string_view tag, double value, std::int64_t step) {
  return append(
      encode_record(encode_scalar_event(unix_time(), step, tag, static_cast<float>(value))));
}

Status EventWriter::append(std::string_view record) {
  const bool written = std::fwrite(record.data(), 1, record.size(), file_.get()) == record.size();
  if (!written || std::fflush(file_.get()) != 0) return cannot_write(path_, errno);
  return {};
}

Result<fs::path> create_version_folder(const fs::path& root) {
  CH_CHECK(ensure_writable_folder(root));
  std::int64_t next = 0;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("version_")) continue;
    const auto number = parse_int(std::string_view(name).substr(8));
    if (number && *number >= next && *number < INT64_MAX) next = *number + 1;
  }
  // Two runs may look at the same moment; the one that creates the folder gets the number.
  for (int attempt = 0; attempt < 1000; ++attempt, ++next) {
    const fs::path folder = root / cat("version_", next);
    if (fs::create_directory(folder, failure)) return folder;
    if (failure) return cannot_write(folder, failure.value());
  }
  return Error{.what = cat("no free version folder in '", root.string(), "'")};
}

}  // namespace chop::report
