// Checkpoints as torch.save writes them, and as nobody should, built from opcodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "unit/io/zip_builder.hpp"

namespace chop::testing {

inline std::string pickled(std::string_view text) {
  const auto size = static_cast<unsigned>(text.size());
  std::string bytes = "X";
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(size >> (8 * i) & 0xFF);
  return bytes + std::string(text);
}

inline std::string pickled(long long number) {
  return "L" + std::to_string(number) + "L\n";
}

inline std::string pickled_tuple(const std::vector<long long>& numbers) {
  std::string bytes = "(";
  for (const long long number : numbers) bytes += pickled(number);
  return bytes + "t";
}

/// The persistent id of a storage.
inline std::string pickled_storage(std::string_view key, long long elements,
                                   std::string_view type = "FloatStorage") {
  return "(" + pickled("storage") + "ctorch\n" + std::string(type) + "\n" + pickled(key) +
         pickled("cpu") + pickled(elements) + "tQ";
}

struct PickledTensor {
  std::string key = "0";
  long long elements = 0;
  long long offset = 0;
  std::vector<long long> shape = {};
  std::vector<long long> strides = {};
  std::string type = "FloatStorage";
};

inline std::string pickled(const PickledTensor& tensor) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" +
         pickled_storage(tensor.key, tensor.elements, tensor.type) + pickled(tensor.offset) +
         pickled_tuple(tensor.shape) + pickled_tuple(tensor.strides) +
         "\x89"
         "ccollections\nOrderedDict\n)RtR";
}

/// A dict of already pickled values.
inline std::string pickled_dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string bytes = "}(";
  for (const auto& [key, value] : items) bytes += pickled(key) + value;
  return bytes + "u";
}

/// The zip archive of a pickle (without its STOP) and its storages.
inline std::string torch_zip(const std::string& pickle, const std::vector<ZipPart>& more = {}) {
  std::vector<ZipPart> parts = {stored("archive/data.pkl", "\x80\x02" + pickle + ".")};
  parts.insert(parts.end(), more.begin(), more.end());
  return zip_of(parts);
}

inline std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

}  // namespace chop::testing
