// Reads safetensors: the header is parsed and checked whole before anything relies on it.
#include "io/safetensors.hpp"

#include "io/safetensors_parts.hpp"
#include "io/tensor_bytes.hpp"
#include "support/json.hpp"

namespace chop::io {
namespace {

Error broken(std::string_view name, const std::string& reason) {
  return Error{.what = cat("'", name, "' is not a readable safetensors file: ", reason),
               .hint = "the file may be truncated or of another kind; write or download it again"};
}

/// True when the value has more than `levels` levels of others inside it.
bool is_deeper(const Tree& value, int levels) {
  const auto too_deep = [&](const Tree& inside) {
    return levels == 0 || is_deeper(inside, levels - 1);
  };
  if (const Tree::List* items = value.as_list())
    return std::any_of(items->begin(), items->end(), too_deep);
  if (const Tree::Table* entries = value.as_table())
    return std::any_of(entries->begin(), entries->end(),
                       [&](const auto& entry) { return too_deep(entry.second); });
  return false;
}

/// The header as JSON; a duplicate key, or deeper nesting than the format has, is an error.
Result<Tree> parse_header(std::string_view text, std::string_view name) {
  constexpr int kLevels = 3;  // a tensor, its shape, a dimension
  const auto unreadable = [&] {
    return broken(name, "its header is not a JSON object with every key once");
  };
  if (!text.starts_with('{')) return unreadable();
  Result<Tree> header = parse_json(text, "its header");
  if (!header && header.error().what.ends_with("does not fit 64 bits"))
    return broken(name, header.error().what);
  if (!header || is_deeper(header.value(), kLevels)) return unreadable();
  return header;
}

std::optional<Shape> whole_numbers(const Tree& list) {
  if (!list.is_list()) return std::nullopt;
  Shape numbers;
  for (const Tree& item : *list.as_list()) {
    const std::int64_t* number = item.as_integer();
    if (number == nullptr || *number < 0) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// One tensor of the header, with its bytes inside `data`.
Result<SafetensorsEntry> read_entry(const std::string& key, const Tree& json,
                                    std::span<const std::byte> data, std::string_view name) {
  const auto bad = [&](const std::string& reason) {
    return broken(name, cat("tensor '", key, "': ", reason));
  };
  if (!json.is_table() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets"))
    return bad("needs exactly dtype, shape and data_offsets");
  if (!json["dtype"].is_text()) return bad("its dtype is not a text");
  const std::string& dtype_name = *json["dtype"].as_text();
  const std::optional<DType> dtype = safetensors_dtype(dtype_name);
  if (!dtype) return bad(cat("dtype ", dtype_name, " is not supported"));
  const std::optional<Shape> shape = whole_numbers(json["shape"]);
  if (!shape) return bad("its shape is not a list of whole numbers");
  const std::optional<Shape> offsets = whole_numbers(json["data_offsets"]);
  if (!offsets || offsets->size() != 2) return bad("its data_offsets are not two whole numbers");
  const auto begin = static_cast<std::size_t>((*offsets)[0]);
  const auto end = static_cast<std::size_t>((*offsets)[1]);
  if (begin > end || end > data.size())
    return bad(
        cat("data_offsets [", begin, ", ", end, "] leave the ", data.size(), " bytes of data"));
  const std::optional<std::size_t> size = checked_bytes(*dtype, *shape);
  if (!size || *size != end - begin)
    return bad(cat("shape ", to_string(*shape), " of ", dtype_name, " does not take ", end - begin,
                   " bytes"));
  return SafetensorsEntry{
      .name = key, .dtype = *dtype, .shape = *shape, .bytes = data.subspan(begin, end - begin)};
}

Result<SafetensorsMetadata> read_metadata(const Tree& json, std::string_view name) {
  if (!json.is_table()) return broken(name, "__metadata__ is not an object");
  SafetensorsMetadata metadata;
  for (const auto& [key, value] : *json.as_table()) {
    if (!value.is_text()) return broken(name, cat("metadata '", key, "' is not a text"));
    metadata.emplace(key, *value.as_text());
  }
  return metadata;
}

/// Sorted by offset, the tensors must follow each other from the first byte to the last.
Status check_coverage(const std::vector<SafetensorsEntry>& entries, std::span<const std::byte> data,
                      std::string_view name) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (const SafetensorsEntry& entry : entries) {
    const auto begin = static_cast<std::size_t>(entry.bytes.data() - data.data());
    ranges.emplace_back(begin, begin + entry.bytes.size());
  }
  std::sort(ranges.begin(), ranges.end());
  std::size_t covered = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin < covered) return broken(name, cat("two tensors share the data byte ", begin));
    if (begin > covered)
      return broken(name, cat("data bytes ", covered, " to ", begin, " belong to no tensor"));
    covered = end;
  }
  if (covered != data.size())
    return broken(name,
                  cat("its tensors end at data byte ", covered, ", the file at ", data.size()));
  return {};
}

Status check_sum(const std::string& stored, const SafetensorsMetadata& metadata,
                 const std::vector<SafetensorsEntry>& entries, std::string_view name, int threads) {
  SafetensorsChecksum sum(threads);
  sum.add(metadata);
  for (const SafetensorsEntry& entry : entries)
    sum.add(entry.name, entry.dtype, entry.shape, entry.bytes);
  if (sum.text() == stored) return {};
  return Error{.what = cat("'", name, "' is damaged: its checksum is not that of its contents"),
               .hint = cat("use another copy of it; if a program changed it on purpose, remove '",
                           kChecksumKey, "' from its metadata and set 'chop.version' to 1")};
}

}  // namespace

Result<SafetensorsView> SafetensorsView::parse(std::span<const std::byte> bytes,
                                               std::string_view name, int threads) {
  if (bytes.size() < 8) return broken(name, cat("it has ", bytes.size(), " bytes, fewer than 8"));
  const std::uint64_t length = little_endian(bytes, 8);
  if (length > kLargestHeader)
    return broken(name, cat("its header claims ", length, " bytes, more than 100 MB"));
  if (length > bytes.size() - 8)
    return broken(
        name, cat("its header claims ", length, " bytes, but only ", bytes.size() - 8, " follow"));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, length);
  CH_TRY(const Tree header, parse_header(text, name));
  const std::span<const std::byte> data = bytes.subspan(8 + length);
  SafetensorsView view;
  for (const auto& [key, value] : *header.as_table()) {
    if (key == kMetadataKey) {
      CH_TRY(view.metadata_, read_metadata(value, name));
    } else {
      CH_TRY(view.entries_.emplace_back(), read_entry(key, value, data, name));
    }
  }
  CH_CHECK(check_coverage(view.entries_, data, name));
  if (const auto stored = view.metadata_.find(kChecksumKey); stored != view.metadata_.end()) {
    CH_CHECK(check_sum(stored->second, view.metadata_, view.entries_, name, threads));
    view.has_checksum_ = true;
    view.metadata_.erase(stored);
  }
  return view;
}

Result<SafetensorsView> SafetensorsView::open(const std::filesystem::path& path, int threads) {
  CH_TRY(MappedFile file, MappedFile::open(path));
  return of(std::move(file), threads);
}

Result<SafetensorsView> SafetensorsView::of(MappedFile file, int threads) {
  CH_TRY(SafetensorsView view, parse(file.bytes(), file.path().string(), threads));
  view.file_ = std::move(file);
  return view;
}

const SafetensorsEntry* SafetensorsView::find(std::string_view name) const {
  for (const SafetensorsEntry& entry : entries_)
    if (entry.name == name) return &entry;
  return nullptr;
}

Result<SafetensorsFile> read_safetensors(const std::filesystem::path& path) {
  CH_TRY(MappedFile file, MappedFile::open(path));
  return read_safetensors(std::move(file));
}

Result<SafetensorsFile> read_safetensors(MappedFile mapped) {
  CH_TRY(const SafetensorsView view, SafetensorsView::of(std::move(mapped)));
  SafetensorsFile file{
      .metadata = view.metadata(), .tensors = {}, .has_checksum = view.has_checksum()};
  for (const SafetensorsEntry& entry : view.entries())
    file.tensors.emplace_back(entry.name, tensor_from_bytes(entry.dtype, entry.shape, entry.bytes));
  return file;
}

}  // namespace chop::io
