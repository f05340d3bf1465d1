#include "data/standardised_table.hpp"

#include "data/cache.hpp"
#include "data/registry.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

constexpr double kTestFraction = 0.2;

Tensor take_labels(std::span<const std::uint8_t> labels, std::span<const std::uint32_t> rows) {
  Tensor taken(DType::I64, {static_cast<std::int64_t>(rows.size())});
  const std::span<std::int64_t> out = taken.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = labels[rows[i]];
  return taken;
}

Result<Prepared> split_and_standardise(const std::string& name, const LabelledRows& rows,
                                       std::uint64_t seed, int threads) {
  if (rows.kept.size() < 2)
    return Error{
        .what = cat("data set '", name, "': ", rows.kept.size(), " distinct rows cannot be split"),
        .hint = "at least 2 are needed, and 14 for a validation split of 10 %"};
  RowSplit split = train_test_split(static_cast<std::int64_t>(rows.kept.size()), kTestFraction,
                                    static_cast<std::uint32_t>(seed));
  for (std::uint32_t& row : split.train) row = rows.kept[row];
  for (std::uint32_t& row : split.test) row = rows.kept[row];
  Prepared prepared;
  prepared.scaler = fit_scaler(rows.table, split.train, threads);
  prepared.train = {.x = take_rows(rows.table, split.train, prepared.scaler, threads),
                    .y = take_labels(rows.labels, split.train)};
  prepared.test = {.x = take_rows(rows.table, split.test, prepared.scaler, threads),
                   .y = take_labels(rows.labels, split.test)};
  return prepared;
}

/// The splits of the data set from a cache file, without a copy in between.
Status fill_from_cache(Dataset& dataset, const CachedData& cached, const DataOptions& options) {
  const int threads = threads_of(options);
  const std::int64_t rows = cached.train.shape[0];
  CH_TRY(const std::int64_t validation, validation_rows(rows, options));
  dataset.train = copy_split(cached.train, 0, rows - validation, threads);
  dataset.validation =
      validation == 0 ? dataset.train : copy_split(cached.train, rows - validation, rows, threads);
  dataset.test = copy_split(cached.test, 0, cached.test.shape[0], threads);
  dataset.mean = cached.scaler.mean;
  dataset.scale = cached.scaler.scale;
  return {};
}

bool fits_the_classes(const Dataset& dataset) {
  const auto fits = [&dataset](const Split& split) {
    const std::span<const std::int64_t> y = split.y.data<std::int64_t>();
    return split.x.rank() == 2 && split.x.dim(1) == dataset.sample_shape[0] &&
           std::all_of(y.begin(), y.end(), [&](std::int64_t label) {
             return label >= 0 && label < dataset.num_classes;
           });
  };
  return fits(dataset.train) && fits(dataset.validation) && fits(dataset.test);
}

}  // namespace

Result<TableSource> table_source(const std::string& name, const std::filesystem::path& file,
                                 const DataOptions& options) {
  TableSource source{.file = file, .rows = options.rows, .seed = split_seed(options)};
  CH_TRY(const MappedFile readable, MappedFile::open(source.file));  // for its clear messages
  std::error_code missing;
  const auto changed = std::filesystem::last_write_time(source.file, missing);
  const auto absolute = std::filesystem::absolute(source.file, missing);
  source.key = cat("file=", absolute.string(), " bytes=", readable.bytes().size(),
                   " changed=", changed.time_since_epoch().count(), " rows=", source.rows,
                   " seed=", source.seed);
  source.cache = dataset_folder(name) / cat("file-", hash_text(source.key), ".safetensors");
  return source;
}

Status fill_from_table(Dataset& dataset, const TableSource& source, const DataOptions& options,
                       const ReadRows& read) {
  const bool caching = options.use_cache && source.caching;
  const int threads = threads_of(options);
  if (caching) {
    const CacheAnswer answer = open_cache(source.cache, source.key, threads);
    if (answer.state == CacheState::Good) {
      CH_CHECK(fill_from_cache(dataset, *answer.data, options));
      if (fits_the_classes(dataset)) return {};
    }
    if (answer.state != CacheState::Missing)
      dataset.notes.push_back(cat("dataset '", dataset.name, "': the cached copy '",
                                  source.cache.string(), "' was damaged and is made again"));
  }
  CH_TRY(const LabelledRows rows, read(dataset.notes));
  CH_TRY(Prepared prepared, split_and_standardise(dataset.name, rows, source.seed, threads));
  if (caching) {
    if (const Status saved = save_cache(source.cache, source.key, prepared, threads); !saved)
      dataset.notes.push_back(
          cat("dataset '", dataset.name, "': not cached: ", saved.error().what));
  }
  dataset.mean = prepared.scaler.mean;
  dataset.scale = prepared.scaler.scale;
  dataset.test = std::move(prepared.test);
  return split_validation(dataset, std::move(prepared.train), options);
}

}  // namespace chop::data
