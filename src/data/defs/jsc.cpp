// jsc: jet substructure classification, five kinds of jets at the LHC by sixteen features.
//
// The real file when it is given or is in the cache folder, synthetic jets otherwise. Either
// way: repeated rows dropped, 80/20 split as scikit-learn's with random_state 42,
// standardised on the train part. OpenML has other jets: jsc_openml.
#include "data/registry.hpp"
#include "data/rows.hpp"
#include "data/standardised_table.hpp"
#include "data/synthetic/jsc_synthetic.hpp"
#include "io/tables/hdf5.hpp"
#include "support/text.hpp"

namespace chop::data::datasets::jsc {
namespace {

constexpr std::string_view kFileName =
    "processed-pythia82-lhc13-all-pt1-50k-r1_h022_e0175_t220_nonu_truth.z";
constexpr std::string_view kTable = "t_allpar_new";
constexpr std::int64_t kSyntheticRows = 986'806;  // as many as the real file has left
constexpr std::int64_t kMostRows = 4'000'000'000;
constexpr std::int64_t kWorthCaching = 50'000;

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

Result<TableSource> choose_source(const DataOptions& options) {
  if (options.rows < 0 || options.rows > kMostRows)
    return Error{.what = cat("data set 'jsc': cannot have ", options.rows, " rows"),
                 .hint = "0 means all"};
  const std::filesystem::path folder = dataset_folder("jsc");
  std::error_code missing;
  if (!options.path.empty()) return table_source("jsc", options.path, options);
  if (std::filesystem::exists(folder / kFileName, missing))
    return table_source("jsc", folder / kFileName, options);
  TableSource source{.rows = options.rows == 0 ? kSyntheticRows : options.rows,
                     .seed = split_seed(options)};
  source.key = cat("synthetic seed=", source.seed, " rows=", source.rows);
  source.cache = folder / cat("synthetic-seed", source.seed, "-rows", source.rows, ".safetensors");
  source.caching = source.rows >= kWorthCaching;
  return source;
}

LabelledRows generate(const TableSource& source, int threads) {
  const auto rows = static_cast<std::size_t>(source.rows);
  const std::shared_ptr<double[]> memory =
      std::make_unique_for_overwrite<double[]>(rows * kJetFeatures);
  const std::span<double> values(memory.get(), rows * kJetFeatures);
  LabelledRows made{
      .owner = memory,
      .table = {.values = values, .stride = kJetFeatures, .width = kJetFeatures},
      .labels = std::vector<std::uint8_t>(rows),
  };
  JetGenerator(source.seed).draw_all(values, made.labels, threads);
  made.kept = first_occurrences(values, kJetFeatures, made.labels, threads);
  return made;
}

std::vector<std::string> column_names() {
  std::vector<std::string> columns = feature_names();
  for (const std::string& name : class_names()) columns.push_back("j_" + name);
  return columns;
}

/// HDF5 notices by itself when the end of a file is missing.
Status check_file(const std::filesystem::path& file) {
  CH_TRY([[maybe_unused]] const Tensor row,
         read_hdf5_columns(file, std::string(kTable), column_names(), 1));
  return {};
}

Result<LabelledRows> read_file(const TableSource& source, int threads,
                               std::vector<std::string>& notes) {
  const std::vector<std::string> columns = column_names();
  CH_TRY(Tensor read, read_hdf5_columns(source.file, std::string(kTable), columns, source.rows));
  const auto owner = std::make_shared<const Tensor>(std::move(read));
  const std::span<const double> values = owner->data<double>();
  const std::size_t stride = columns.size();
  CH_CHECK(check_finite(values, stride, std::span<const std::string>(columns), source.file.string(),
                        threads));
  LabelledRows made{
      .owner = owner,
      .table = {.values = values, .stride = stride, .width = kJetFeatures},
      .labels = std::vector<std::uint8_t>(values.size() / stride),
      .kept = first_occurrences(values, stride, {}, threads),
  };
  for (std::size_t i = 0; i < made.labels.size(); ++i) {
    const double* one_hot = &values[i * stride + kJetFeatures];
    made.labels[i] =
        static_cast<std::uint8_t>(std::max_element(one_hot, one_hot + kJetClasses) - one_hot);
  }
  if (const std::size_t dropped = made.labels.size() - made.kept.size(); dropped > 0)
    notes.push_back(cat("dataset 'jsc': dropped ", with_commas(static_cast<std::int64_t>(dropped)),
                        " repeated rows"));
  return made;
}

Result<Dataset> load(const DataOptions& options) {
  CH_TRY(const TableSource source, choose_source(options));
  CH_TRY([[maybe_unused]] const std::int64_t checked, validation_rows(1 << 30, options));
  Dataset dataset{.name = "jsc",
                  .class_names = class_names(),
                  .feature_names = feature_names(),
                  .sample_shape = {static_cast<std::int64_t>(kJetFeatures)},
                  .num_classes = static_cast<std::int64_t>(kJetClasses),
                  .synthetic = source.file.empty()};
  dataset.notes.push_back(dataset.synthetic
                              ? cat("dataset 'jsc': no file given, using ",
                                    with_commas(source.rows), " synthetic jets (seed ", source.seed,
                                    "); `ch data get jsc` downloads real ones")
                              : cat("dataset 'jsc': real jets from '", source.file.string(), "'"));
  const int threads = threads_of(options);
  CH_CHECK(fill_from_table(dataset, source, options,
                           [&](std::vector<std::string>& notes) -> Result<LabelledRows> {
                             if (source.file.empty()) return generate(source, threads);
                             return read_file(source, threads, notes);
                           }));
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
      .sources = {{.file = std::string(kFileName),
                   .url = "https://cernbox.cern.ch/s/jvFd5MoWhGs1l5v/download",
                   .limit = std::uint64_t{4} << 30U,
                   .starts_with = "\x89HDF\r\n\x1A\n",
                   .check = check_file}},
      .without = "synthetic jets",
      .endings = {".h5", ".hdf5", ".z"},
      .load = load,
  };
}

}  // namespace chop::data::datasets::jsc
