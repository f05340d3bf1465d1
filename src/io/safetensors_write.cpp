// Writes safetensors: the header first, which needs the checksum of all tensors, then their bytes.
#include <set>

#include "io/safetensors_parts.hpp"
#include "support/escape.hpp"
#include "support/json.hpp"

namespace chop::io {
namespace {

struct Layout {
  std::vector<std::size_t> order;                            ///< indices, by offset in the file
  std::vector<std::pair<std::size_t, std::size_t>> offsets;  ///< per tensor
};

Layout lay_out(const SafetensorsFile& file) {
  Layout layout;
  layout.offsets.resize(file.tensors.size());
  for (std::size_t i = 0; i < file.tensors.size(); ++i) layout.order.push_back(i);
  std::stable_sort(layout.order.begin(), layout.order.end(), [&](std::size_t a, std::size_t b) {
    return size_of(file.tensors[a].second.dtype()) > size_of(file.tensors[b].second.dtype());
  });
  std::size_t at = 0;
  for (const std::size_t i : layout.order) {
    const std::size_t end = at + file.tensors[i].second.size_in_bytes();
    layout.offsets[i] = {at, end};
    at = end;
  }
  return layout;
}

bool can_be_written(const SafetensorsFile& file) {
  return std::all_of(
             file.metadata.begin(), file.metadata.end(),
             [](const auto& entry) { return is_utf8(entry.first) && is_utf8(entry.second); }) &&
         std::all_of(file.tensors.begin(), file.tensors.end(),
                     [](const auto& entry) { return is_utf8(entry.first); });
}

Result<std::string> format_header(const SafetensorsFile& file, const Layout& layout, int threads) {
  SafetensorsChecksum sum(threads);
  sum.add(file.metadata);
  for (const auto& [name, tensor] : file.tensors)
    sum.add(name, tensor.dtype(), tensor.shape(), {tensor.bytes(), tensor.size_in_bytes()});
  SafetensorsMetadata metadata = file.metadata;
  metadata[kChecksumKey] = sum.text();
  Tree::Table header;
  header.emplace_back(kMetadataKey, metadata);
  std::set<std::string> names{std::string(kMetadataKey)};
  for (std::size_t i = 0; i < file.tensors.size(); ++i) {
    const auto& [name, tensor] = file.tensors[i];
    if (!names.insert(name).second)
      return Error{.what = cat("a safetensors file cannot hold two tensors named '", name, "'")};
    const auto& [begin, end] = layout.offsets[i];
    header.emplace_back(name, Tree::Table{{"dtype", safetensors_name(tensor.dtype())},
                                          {"shape", tensor.shape()},
                                          {"data_offsets", Tree::List{begin, end}}});
  }
  if (!can_be_written(file))
    return Error{.what = "a tensor name or metadata text is not valid UTF-8"};
  std::string text = to_json(std::move(header));
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kLargestHeader)
    return Error{.what = cat("the header would take ", text.size(), " bytes, more than 100 MB")};
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return length + text;
}

}  // namespace

Result<std::string> format_safetensors(const SafetensorsFile& file) {
  const Layout layout = lay_out(file);
  CH_TRY(std::string bytes, format_header(file, layout, /*threads=*/1));
  for (const std::size_t i : layout.order) {
    const Tensor& tensor = file.tensors[i].second;
    bytes.append(reinterpret_cast<const char*>(tensor.bytes()), tensor.size_in_bytes());
  }
  return bytes;
}

Status write_safetensors(const std::filesystem::path& path, const SafetensorsFile& file,
                         int threads) {
  const Layout layout = lay_out(file);
  Result<std::string> header = format_header(file, layout, threads);
  if (!header) return std::move(header).error().note(cat("while writing '", path.string(), "'"));
  return write_file(path, [&](std::ostream& out) {
    out.write(header.value().data(), static_cast<std::streamsize>(header.value().size()));
    for (const std::size_t i : layout.order) {
      const Tensor& tensor = file.tensors[i].second;
      out.write(reinterpret_cast<const char*>(tensor.bytes()),
                static_cast<std::streamsize>(tensor.size_in_bytes()));
    }
    return out.good();
  });
}

}  // namespace chop::io
