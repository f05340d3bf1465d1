#include "data/cache.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "support/rng.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

constexpr std::string_view kVersion = "1";  // of the layout and of the preparation

std::uint64_t block_checksum(std::span<const std::byte> bytes) {
  std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};  // independent, so they overlap
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), &bytes[at], 32);
    for (std::size_t k = 0; k < 4; ++k)
      lanes[k] = std::rotl((lanes[k] ^ words[k]) * 0x9E3779B97F4A7C15, 31);
  }
  std::uint64_t sum = bytes.size();
  for (; at < bytes.size(); ++at)
    sum = (sum ^ std::to_integer<std::uint64_t>(bytes[at])) * 0xBF58476D1CE4E5B9;
  for (const std::uint64_t lane : lanes) sum = mix64(sum ^ lane);
  return sum;
}

/// The split stored as x_<name> and y_<name>, when both are there and fit each other.
std::optional<SplitBytes> find_split(const SafetensorsView& view, const std::string& name) {
  const SafetensorsEntry* x = view.find("x_" + name);
  const SafetensorsEntry* y = view.find("y_" + name);
  if (x == nullptr || y == nullptr || x->dtype != DType::F32 || y->dtype != DType::I64 ||
      x->shape.empty() || y->shape != Shape{x->shape[0]} || x->shape[0] < 1)
    return std::nullopt;
  return SplitBytes{.shape = x->shape, .x = x->bytes.data(), .y = y->bytes.data()};
}

std::optional<std::vector<double>> find_reals(const SafetensorsView& view,
                                              const std::string& name) {
  const SafetensorsEntry* entry = view.find(name);
  if (entry == nullptr || entry->dtype != DType::F64 || entry->shape.size() != 1)
    return std::nullopt;
  std::vector<double> values(static_cast<std::size_t>(entry->shape[0]));
  if (!values.empty()) std::memcpy(values.data(), entry->bytes.data(), entry->bytes.size());
  return values;
}

bool checksums_hold(const SafetensorsView& view, int threads) {
  for (const SafetensorsEntry& entry : view.entries()) {
    const auto stored = view.metadata().find("checksum." + entry.name);
    if (stored == view.metadata().end() ||
        stored->second != std::to_string(checksum(entry.bytes, threads)))
      return false;
  }
  return true;
}

std::string metadata_of(const SafetensorsView& view, const std::string& key) {
  const auto found = view.metadata().find(key);
  return found == view.metadata().end() ? "" : found->second;
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes, int threads) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<std::uint64_t> sums((bytes.size() + kBlock - 1) / kBlock);
  parallel_for(threads, static_cast<std::int64_t>(sums.size()), [&](std::int64_t block) {
    const auto b = static_cast<std::size_t>(block);
    const std::size_t size = std::min(kBlock, bytes.size() - b * kBlock);
    sums[b] = block_checksum(bytes.subspan(b * kBlock, size));
  });
  return block_checksum(std::as_bytes(std::span(sums)));
}

CacheAnswer open_cache(const std::filesystem::path& path, const std::string& key, int threads) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const CacheAnswer damaged{.state = CacheState::Damaged};
  Result<SafetensorsView> opened = SafetensorsView::open(path);
  if (!opened) return damaged;
  CachedData data{.view = std::move(opened).value()};
  if (metadata_of(data.view, "version") != kVersion || metadata_of(data.view, "key") != key)
    return {};  // made from something else: not an error
  const auto train = find_split(data.view, "train");
  const auto test = find_split(data.view, "test");
  const auto mean = find_reals(data.view, "mean");
  const auto scale = find_reals(data.view, "scale");
  if (!train || !test || !mean || !scale || mean->size() != scale->size() ||
      !checksums_hold(data.view, threads))
    return damaged;
  data.train = *train;
  data.test = *test;
  data.scaler = {.mean = *mean, .scale = *scale};
  return {.state = CacheState::Good, .data = std::move(data)};
}

Status save_cache(const std::filesystem::path& path, const std::string& key,
                  const Prepared& prepared, int threads) {
  const auto reals = [](const std::vector<double>& values) {
    return Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values);
  };
  SafetensorsFile file{.metadata = {{"version", std::string(kVersion)}, {"key", key}},
                       .tensors = {{"mean", reals(prepared.scaler.mean)},
                                   {"scale", reals(prepared.scaler.scale)},
                                   {"y_train", prepared.train.y},
                                   {"y_test", prepared.test.y},
                                   {"x_train", prepared.train.x},
                                   {"x_test", prepared.test.x}}};
  for (const auto& [name, tensor] : file.tensors) {
    const std::span<const std::byte> bytes(tensor.bytes(), tensor.size_in_bytes());
    file.metadata["checksum." + name] = std::to_string(checksum(bytes, threads));
  }
  return write_safetensors(path, file);
}

}  // namespace chop::data
