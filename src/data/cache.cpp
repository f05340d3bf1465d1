#include "data/cache.hpp"

#include <cstring>

#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

constexpr std::string_view kVersion = "2";  // of the layout and of the preparation

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

std::string metadata_of(const SafetensorsView& view, const std::string& key) {
  const auto found = view.metadata().find(key);
  return found == view.metadata().end() ? "" : found->second;
}

}  // namespace

CacheAnswer open_cache(const std::filesystem::path& path, const std::string& key, int threads) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const CacheAnswer damaged{.state = CacheState::Damaged};
  Result<SafetensorsView> opened = SafetensorsView::open(path, threads);
  if (!opened) return damaged;
  CachedData data{.view = std::move(opened).value()};
  if (metadata_of(data.view, "version") != kVersion || metadata_of(data.view, "key") != key)
    return {};  // made from something else: not an error
  const auto train = find_split(data.view, "train");
  const auto test = find_split(data.view, "test");
  const auto mean = find_reals(data.view, "mean");
  const auto scale = find_reals(data.view, "scale");
  if (!train || !test || !mean || !scale || mean->size() != scale->size() ||
      !data.view.has_checksum())
    return damaged;
  data.train = *train;
  data.test = *test;
  data.scaler = {.mean = *mean, .scale = *scale};
  log_debug(cat("Took prepared data from ", path.string()));
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
  return write_safetensors(path, file, threads);
}

}  // namespace chop::data
