// An archive is a sequence of blocks of 512 bytes: for each entry a header, then its bytes, filled
// up with zeros; a block of zeros ends it.
#include "io/archives/tar.hpp"

#include "io/archives/entry_name.hpp"
#include "io/archives/gzip_source.hpp"
#include "io/tensor_bytes.hpp"
#include "support/escape.hpp"
#include "support/system/files.hpp"

namespace chop::io {
namespace {

constexpr std::size_t kTarBlock = 512;

Error broken_tar(const std::string& name, const std::string& reason) {
  return Error{.what = cat("'", name, "' is not a readable tar archive: ", reason),
               .hint = "the file may be truncated or damaged; download it again"};
}

/// A field of a header up to its first NUL.
std::string_view field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view bytes = header.substr(at, size);
  return bytes.substr(0, bytes.find('\0'));
}

/// Octal digits with spaces around them.
std::optional<std::uint64_t> octal(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;  // twelve digits at most
  for (const char digit : text) {
    if (digit < '0' || digit > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(digit - '0');
  }
  return value;
}

struct TarEntry {
  std::string name;
  std::uint64_t size = 0;
  bool regular = false;
};

class TarReader {
 public:
  TarReader(std::span<const std::byte> bytes, const std::string& name, const TarOptions& options)
      : source_(bytes, name, broken_tar),
        name_(name),
        options_(options),
        most_(std::max<std::uint64_t>(kUnpackFreely, bytes.size() * kUnpackFactor)) {}

  Result<TarFiles> read() {
    while (true) {
      CH_TRY(const std::string header, source_.take(kTarBlock));
      if (header.empty() || header == std::string(kTarBlock, '\0')) break;
      CH_TRY(const TarEntry entry, read_header(header));
      CH_CHECK(read_entry(entry));
    }
    if (entries_ == 0) return broken_tar(name_, "it holds nothing");
    return std::move(files_);
  }

 private:
  Result<TarEntry> read_header(std::string_view header) {
    ++entries_;
    if (header.size() < kTarBlock) return broken_tar(name_, "it ends inside a header");
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kTarBlock; ++i)
      sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
    if (octal(field(header, 148, 8)) != sum)
      return broken_tar(name_, cat("the header of entry ", entries_, " is damaged"));
    TarEntry entry{.name = std::string(field(header, 0, 100))};
    if (const std::string_view prefix = field(header, 345, 155);
        header.substr(257, 5) == "ustar" && !prefix.empty())
      entry.name = cat(prefix, "/", entry.name);
    const std::optional<std::uint64_t> size = octal(field(header, 124, 12));
    if (!size)
      return broken_tar(name_, cat("entry '", shown_in_message(entry.name), "' has no length"));
    entry.size = *size;
    const char type = header[156];
    entry.regular = type == '0' || type == '\0' || type == '7';
    if (type >= '1' && type <= '6') {
      // Nothing follows the header of a link, a device or a folder.
      if (entry.size > 0)
        return broken_tar(
            name_, cat("entry '", shown_in_message(entry.name), "' is no file, but has bytes"));
    }
    if (const std::string why = wrong_entry_name(entry.name); !why.empty())
      return broken_tar(name_, why);
    return entry;
  }

  bool is_wanted(const TarEntry& entry) const {
    return entry.regular && (options_.files.empty() ||
                             std::find(options_.files.begin(), options_.files.end(),
                                       without_folders(entry.name)) != options_.files.end());
  }

  Status read_entry(const TarEntry& entry) {
    const std::string shown = cat("entry '", shown_in_message(entry.name), "'");
    const std::uint64_t filled = (entry.size + kTarBlock - 1) / kTarBlock * kTarBlock;
    if (filled > most_ - unpacked_)
      return broken_tar(name_, cat(shown, " would unpack to more than ", most_, " bytes"));
    unpacked_ += filled;
    std::uint64_t left = filled;
    if (is_wanted(entry)) {
      if (entry.size > options_.largest)
        return broken_tar(name_, cat(shown, " has ", entry.size, " bytes, and ", options_.largest,
                                     " are the most that are read"));
      CH_TRY(std::string bytes, source_.take(entry.size));
      if (bytes.size() < entry.size) return truncated(shown);
      if (!files_.emplace(entry.name, std::move(bytes)).second)
        return broken_tar(name_, cat("two entries are named '", shown_in_message(entry.name), "'"));
      left -= entry.size;
    }
    while (left > 0) {
      CH_TRY(const std::string passed,
             source_.take(std::min<std::uint64_t>(left, std::uint64_t{1} << 16U)));
      if (passed.empty()) return truncated(shown);
      left -= passed.size();
    }
    return {};
  }

  Error truncated(const std::string& shown) const {
    return broken_tar(name_, cat("it ends inside ", shown));
  }

  GzipSource source_;
  const std::string& name_;
  const TarOptions& options_;
  std::uint64_t most_;  ///< bytes it may unpack to
  std::uint64_t unpacked_ = 0;
  std::int64_t entries_ = 0;
  TarFiles files_;
};

}  // namespace

std::string_view without_folders(std::string_view name) {
  return name.substr(name.find_last_of('/') + 1);
}

Result<TarFiles> parse_tar(std::span<const std::byte> bytes, const std::string& name,
                           const TarOptions& options) {
  return TarReader(bytes, name, options).read();
}

Result<TarFiles> read_tar(const std::filesystem::path& path, const TarOptions& options) {
  CH_TRY(const MappedFile file, MappedFile::open(path));
  return parse_tar(file.bytes(), path.string(), options);
}

}  // namespace chop::io
