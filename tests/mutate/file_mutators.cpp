// Safetensors, npy, idx and zip archives: what is inside changes, lengths and checksums follow.
#include <algorithm>
#include <cstring>
#include <span>

#include "io/archives/zip_archive.hpp"
#include "io/safetensors.hpp"
#include "io/tensor_bytes.hpp"
#include "mutate/mutators.hpp"
#include "support/json.hpp"
#include "support/text.hpp"
#include "unit/io/tar_builder.hpp"
#include "unit/io/zip_builder.hpp"

namespace chop::mutate {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// The same bytes under another shape or type, other values, or another tensor altogether.
void change_tensor(Tensor& tensor, Random& random) {
  switch (random.below(4)) {
    case 0: {
      Shape shape = tensor.shape();
      std::reverse(shape.begin(), shape.end());
      tensor = tensor.reshaped(random.one_in(2) ? Shape{tensor.size()} : shape);
      break;
    }
    case 1:
      tensor = tensor.to(static_cast<DType>(random.below(10)));
      break;
    case 2: {
      Shape shape = tensor.shape();
      for (std::int64_t& dim : shape)
        if (random.one_in(2)) dim = static_cast<std::int64_t>(random.below(5));
      tensor = Tensor::full(shape, static_cast<double>(random.below(3)), tensor.dtype());
      break;
    }
    default:
      if (tensor.dtype() != DType::Bool)
        for (std::size_t i = random.below(8) * 4; i + 4 <= tensor.size_in_bytes(); i += 64)
          std::memset(tensor.mutable_bytes() + i, random.one_in(2) ? 0xFF : 0x7F, 4);
  }
}

/// Texts of the metadata that hold JSON, such as the graph.
void change_metadata(std::map<std::string, std::string>& metadata, Random& random) {
  if (metadata.empty()) return;
  auto chosen = metadata.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(metadata.size())));
  if (const auto graph = metadata.find("chop.graph"); graph != metadata.end() && !random.one_in(4))
    chosen = graph;
  Result<Tree> json = parse_json(chosen->second, "metadata");
  if (!json) {
    chosen->second = mutate_text(chosen->second, random);
    return;
  }
  for (std::size_t changes = random.one_in(3) ? 2 : 1; changes > 0; --changes)
    json = changed_tree(json.value(), random);
  chosen->second = to_json(json.value());
}

/// The number of bytes in `text` that a test file's header takes, at `at`.
void put_little_endian(std::string& bytes, std::size_t at, std::size_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
}

}  // namespace

std::string mutate_safetensors(const std::string& file, Random& random) {
  const Result<SafetensorsView> view = SafetensorsView::parse(bytes_of(file), "base", 1);
  if (!view || random.one_in(20)) return mutate_bytes(file, random);
  SafetensorsFile changed{.metadata = view.value().metadata(), .tensors = {}};
  for (const SafetensorsEntry& entry : view.value().entries())
    changed.tensors.emplace_back(entry.name,
                                 tensor_from_bytes(entry.dtype, entry.shape, entry.bytes));
  const bool tensors = !changed.tensors.empty() && random.one_in(6);
  if (tensors) {
    auto& [name, tensor] = changed.tensors[random.below(changed.tensors.size())];
    if (random.one_in(4))
      name = changed_word(name, {}, random);
    else
      change_tensor(tensor, random);
  }
  if (!tensors || random.one_in(2)) change_metadata(changed.metadata, random);
  const Result<std::string> written = format_safetensors(changed);
  return written ? written.value() : mutate_bytes(file, random);
}

std::string mutate_npy(const std::string& file, Random& random) {
  if (file.size() < 10 || random.one_in(6)) return mutate_bytes(file, random);
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(file[8])) |
                      static_cast<std::size_t>(static_cast<unsigned char>(file[9])) << 8;
  if (10 + length > file.size()) return mutate_bytes(file, random);
  if (random.one_in(4))  // values: NaN, infinity, huge labels
    return file.substr(0, 10 + length) + mutate_bytes(file.substr(10 + length), random);
  std::string header = mutate_text(file.substr(10, length), random);
  header.resize(std::min<std::size_t>(header.size(), 0xFFFF));
  std::string changed = file.substr(0, 10) + header + file.substr(10 + length);
  if (!random.one_in(8)) put_little_endian(changed, 8, header.size(), 2);
  return changed;
}

std::string mutate_idx(const std::string& file, Random& random) {
  std::string changed = file;
  if (changed.size() > 8 && !random.one_in(3)) {
    const std::size_t at = 4 + 4 * random.below(static_cast<unsigned char>(changed[3]));
    const std::size_t value = random.below(3) == 0 ? random.next() : random.below(40);
    for (std::size_t i = 0; i < 4 && at + i < changed.size(); ++i)
      changed[at + i] = static_cast<char>(value >> (24 - 8 * i) & 0xFF);
  } else {
    changed = mutate_bytes(changed, random);
  }
  return random.one_in(3) ? testing::gzipped(changed) : changed;
}

std::string mutate_tar(const std::string& file, Random& random) {
  std::string changed = file;
  if (changed.size() < 512 || random.one_in(4)) {
    changed = mutate_bytes(changed, random);
  } else {
    // The names, the length, the type, the folders before a name.
    static constexpr std::array<std::pair<std::size_t, std::size_t>, 4> kFields = {
        {{0, 100}, {124, 11}, {156, 1}, {345, 155}}};
    const auto [at, size] = kFields[random.below(kFields.size())];
    std::size_t entry = 0;  // of any header: those of the base begin with a folder's name
    for (std::size_t i = 0; i + 512 <= changed.size(); i += 512)
      if (changed.compare(i, 5, "cifar") == 0 && (entry == 0 || random.one_in(2))) entry = i;
    std::string field = mutate_text(changed.substr(entry + at, size), random);
    if (at == 124 && random.one_in(2)) field = cat("0000000", random.below(8), "000");
    field.resize(size);
    changed.replace(entry + at, size, field);
    std::uint64_t sum = 8 * ' ';
    for (std::size_t i = 0; i < 512; ++i)
      if (i < 148 || i >= 156) sum += static_cast<unsigned char>(changed[entry + i]);
    for (std::size_t i = 0; i < 6; ++i, sum /= 8)
      changed[entry + 153 - i] = static_cast<char>('0' + sum % 8);
  }
  return random.one_in(2) ? testing::gzipped(changed) : changed;
}

std::string mutate_zip(const std::string& file, Random& random) {
  const Result<ZipArchive> archive = ZipArchive::parse(bytes_of(file), "base");
  if (!archive || archive.value().entries().empty() || random.one_in(10))
    return mutate_bytes(file, random);
  std::vector<testing::ZipPart> parts;
  std::size_t chosen = random.below(archive.value().entries().size());
  for (std::size_t i = 0; i < archive.value().entries().size(); ++i)
    if (archive.value().entries()[i].name.ends_with(".pkl") && !random.one_in(4)) chosen = i;
  for (const ZipEntry& entry : archive.value().entries()) {
    Result<std::string> read = archive.value().read(entry);
    if (!read) return mutate_bytes(file, random);
    std::string bytes = std::move(read).value();
    std::string name = entry.name;
    if (parts.size() == chosen) {
      if (random.one_in(12))
        name = changed_word(name, {}, random);
      else if (name.ends_with(".pkl"))
        bytes = mutate_pickle(bytes, random);
      else if (name.ends_with(".npy"))
        bytes = mutate_npy(bytes, random);
      else
        bytes = mutate_bytes(bytes, random);
    }
    parts.push_back(random.one_in(4) ? testing::deflated(name, bytes)
                                     : testing::stored(name, bytes));
  }
  if (random.one_in(20)) parts[chosen].size = static_cast<std::uint32_t>(random.next());
  return testing::zip_of(parts);
}

}  // namespace chop::mutate
