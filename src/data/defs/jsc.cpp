// jsc: jet substructure classification, five kinds of jets at the LHC by sixteen features.
//
// The real file when it is given or is in the cache folder, synthetic jets otherwise. Either
// way: repeated rows dropped, 80/20 split as scikit-learn's with random_state 42,
// standardised on the train part.
#include "data/cache.hpp"
#include "data/jsc_synthetic.hpp"
#include "data/registry.hpp"
#include "data/rows.hpp"
#include "io/hdf5.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::data::datasets::jsc {
namespace {

constexpr std::string_view kFileName =
    "processed-pythia82-lhc13-all-pt1-50k-r1_h022_e0175_t220_nonu_truth.z";
constexpr std::int64_t kSyntheticRows = 986'806;  // as many as the real file has left
constexpr std::int64_t kMostRows = 4'000'000'000;
constexpr std::int64_t kWorthCaching = 50'000;
constexpr double kTestFraction = 0.2;

const std::vector<std::string>& feature_names() {
  static const std::vector<std::string> names = {
      "j_zlogz",         "j_c1_b0_mmdt",    "j_c1_b1_mmdt", "j_c1_b2_mmdt",
      "j_c2_b1_mmdt",    "j_c2_b2_mmdt",    "j_d2_b1_mmdt", "j_d2_b2_mmdt",
      "j_d2_a1_b1_mmdt", "j_d2_a1_b2_mmdt", "j_m2_b1_mmdt", "j_m2_b2_mmdt",
      "j_n2_b1_mmdt",    "j_n2_b2_mmdt",    "j_mass_mmdt",  "j_multiplicity"};
  return names;
}

const std::vector<std::string>& class_names() {
  static const std::vector<std::string> names = {"g", "q", "w", "z", "t"};
  return names;
}

/// What is to be loaded, and the name under which its prepared form is kept.
struct Source {
  std::filesystem::path file;  ///< empty: synthetic
  std::int64_t rows = 0;
  std::uint64_t seed = 42;
  std::string key;
  std::filesystem::path cache;
};

Result<Source> choose_source(const DataOptions& options) {
  if (options.rows < 0 || options.rows > kMostRows)
    return Error{.what = cat("data set 'jsc': cannot have ", options.rows, " rows"),
                 .hint = "0 means all"};
  const std::filesystem::path folder = cache_folder() / "dataset" / "jsc";
  Source source{.file = options.path, .rows = options.rows, .seed = split_seed(options)};
  std::error_code missing;
  if (source.file.empty() && std::filesystem::exists(folder / kFileName, missing))
    source.file = folder / kFileName;
  if (source.file.empty()) {
    if (source.rows == 0) source.rows = kSyntheticRows;
    source.key = cat("synthetic seed=", source.seed, " rows=", source.rows);
    source.cache =
        folder / cat("synthetic-seed", source.seed, "-rows", source.rows, ".safetensors");
    return source;
  }
  CH_TRY(const MappedFile readable, MappedFile::open(source.file));  // for its clear messages
  const auto changed = std::filesystem::last_write_time(source.file, missing);
  const auto absolute = std::filesystem::absolute(source.file, missing);
  source.key = cat("file=", absolute.string(), " bytes=", readable.bytes().size(),
                   " changed=", changed.time_since_epoch().count(), " rows=", source.rows,
                   " seed=", source.seed);
  source.cache = folder / cat("file-", hash_text(source.key), ".safetensors");
  return source;
}

Tensor take_labels(std::span<const std::uint8_t> labels, std::span<const std::uint32_t> rows) {
  Tensor taken(DType::I64, {static_cast<std::int64_t>(rows.size())});
  const std::span<std::int64_t> out = taken.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = labels[rows[i]];
  return taken;
}

/// Split and standardised; `kept` are the rows that remain after repeated ones are dropped.
Result<Prepared> prepare(const RowTable<double>& table, std::span<const std::uint8_t> labels,
                         std::span<const std::uint32_t> kept, const Source& source, int threads) {
  if (kept.size() < 2)
    return Error{.what = cat("data set 'jsc': ", kept.size(), " distinct rows cannot be split"),
                 .hint = "at least 2 are needed, and 14 for a validation split of 10 %"};
  RowSplit split = train_test_split(static_cast<std::int64_t>(kept.size()), kTestFraction,
                                    static_cast<std::uint32_t>(source.seed));
  for (std::uint32_t& row : split.train) row = kept[row];
  for (std::uint32_t& row : split.test) row = kept[row];
  Prepared prepared;
  prepared.scaler = fit_scaler(table, split.train, threads);
  prepared.train = {.x = take_rows(table, split.train, prepared.scaler, threads),
                    .y = take_labels(labels, split.train)};
  prepared.test = {.x = take_rows(table, split.test, prepared.scaler, threads),
                   .y = take_labels(labels, split.test)};
  return prepared;
}

Result<Prepared> prepare_synthetic(const Source& source, int threads) {
  const auto rows = static_cast<std::size_t>(source.rows);
  const auto memory = std::make_unique_for_overwrite<double[]>(rows * kJetFeatures);
  const std::span<double> values(memory.get(), rows * kJetFeatures);
  std::vector<std::uint8_t> labels(rows);
  JetGenerator(source.seed).draw_all(values, labels, threads);
  const std::vector<std::uint32_t> kept = first_occurrences(values, kJetFeatures, labels, threads);
  const RowTable<double> table{.values = values, .stride = kJetFeatures, .width = kJetFeatures};
  return prepare(table, labels, kept, source, threads);
}

Result<Prepared> prepare_file(const Source& source, int threads, std::vector<std::string>& notes) {
  std::vector<std::string> columns = feature_names();
  for (const std::string& name : class_names()) columns.push_back("j_" + name);
  CH_TRY(const Tensor read, read_hdf5_columns(source.file, "t_allpar_new", columns, source.rows));
  const std::span<const double> values = read.data<double>();
  const std::size_t stride = columns.size();
  CH_CHECK(check_finite(values, stride, std::span<const std::string>(columns), source.file.string(),
                        threads));
  const std::vector<std::uint32_t> kept = first_occurrences(values, stride, {}, threads);
  std::vector<std::uint8_t> labels(values.size() / stride);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double* one_hot = &values[i * stride + kJetFeatures];
    labels[i] =
        static_cast<std::uint8_t>(std::max_element(one_hot, one_hot + kJetClasses) - one_hot);
  }
  if (const std::size_t dropped = labels.size() - kept.size(); dropped > 0)
    notes.push_back(cat("dataset 'jsc': dropped ", with_commas(static_cast<std::int64_t>(dropped)),
                        " repeated rows"));
  const RowTable<double> table{.values = values, .stride = stride, .width = kJetFeatures};
  return prepare(table, labels, kept, source, threads);
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

Status fill_fresh(Dataset& dataset, const Source& source, bool cached, const DataOptions& options) {
  const int threads = threads_of(options);
  CH_TRY(Prepared prepared, source.file.empty() ? prepare_synthetic(source, threads)
                                                : prepare_file(source, threads, dataset.notes));
  if (cached) {
    if (const Status saved = save_cache(source.cache, source.key, prepared, threads); !saved)
      dataset.notes.push_back(cat("dataset 'jsc': not cached: ", saved.error().what));
  }
  dataset.mean = prepared.scaler.mean;
  dataset.scale = prepared.scaler.scale;
  dataset.test = std::move(prepared.test);
  return split_validation(dataset, std::move(prepared.train), options);
}

bool fits_the_classes(const Dataset& dataset) {
  const auto fits = [](const Split& split) {
    const std::span<const std::int64_t> y = split.y.data<std::int64_t>();
    return split.x.rank() == 2 && split.x.dim(1) == static_cast<std::int64_t>(kJetFeatures) &&
           std::all_of(y.begin(), y.end(), [](std::int64_t label) {
             return label >= 0 && label < static_cast<std::int64_t>(kJetClasses);
           });
  };
  return fits(dataset.train) && fits(dataset.validation) && fits(dataset.test);
}

Result<Dataset> load(const DataOptions& options) {
  CH_TRY(const Source source, choose_source(options));
  CH_TRY([[maybe_unused]] const std::int64_t checked, validation_rows(1 << 30, options));
  Dataset dataset{.name = "jsc",
                  .class_names = class_names(),
                  .feature_names = feature_names(),
                  .sample_shape = {static_cast<std::int64_t>(kJetFeatures)},
                  .num_classes = static_cast<std::int64_t>(kJetClasses),
                  .synthetic = source.file.empty()};
  dataset.notes.push_back(
      dataset.synthetic ? cat("dataset 'jsc': no file given, using ", with_commas(source.rows),
                              " synthetic jets (seed ", source.seed, ")")
                        : cat("dataset 'jsc': real jets from '", source.file.string(), "'"));
  const bool caching = options.use_cache && (!dataset.synthetic || source.rows >= kWorthCaching);
  if (caching) {
    const CacheAnswer answer = open_cache(source.cache, source.key, threads_of(options));
    if (answer.state == CacheState::Good) {
      CH_CHECK(fill_from_cache(dataset, *answer.data, options));
      if (fits_the_classes(dataset)) return dataset;
    }
    if (answer.state != CacheState::Missing)
      dataset.notes.push_back(cat("dataset 'jsc': the cached copy '", source.cache.string(),
                                  "' was damaged and is made again"));
  }
  CH_CHECK(fill_fresh(dataset, source, caching, options));
  return dataset;
}

}  // namespace

DatasetDef define() {
  return {
      .name = "jsc",
      .doc = "jets at the LHC: 16 substructure features, 5 classes (real file or synthetic)",
      .sample_shape = {16},
      .num_classes = 5,
      .class_names = class_names(),
      .load = load,
  };
}

}  // namespace chop::data::datasets::jsc
