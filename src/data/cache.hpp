// Prepared data in the cache folder: split and standardised, ready to be copied.
#pragma once

#include <filesystem>

#include "data/splits.hpp"
#include "io/safetensors.hpp"

namespace chop::data {

/// A data set before its validation rows are held out.
struct Prepared {
  Split train;
  Split test;
  Scaler scaler;
};

/// A checked cache file; the tensors stay in the mapped file.
struct CachedData {
  SafetensorsView view;  ///< keeps the bytes below alive
  SplitBytes train;
  SplitBytes test;
  Scaler scaler;
};

enum class CacheState : std::uint8_t { Good, Missing, Damaged };

struct CacheAnswer {
  CacheState state = CacheState::Missing;
  std::optional<CachedData> data = {};
};

/// `key` says what the data was made from; a file made from anything else, by another
/// version, or with a single wrong bit is not used.
CacheAnswer open_cache(const std::filesystem::path& path, const std::string& key, int threads);
Status save_cache(const std::filesystem::path& path, const std::string& key,
                  const Prepared& prepared, int threads);

}  // namespace chop::data
