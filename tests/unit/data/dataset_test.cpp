// Data sets by name and by path, as load_dataset gives them.
#include "data/dataset.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <optional>

#include "data/cache.hpp"
#include "data/registry.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "unit/data/hdf5_table.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::TempFolder;

/// Each test has a cache folder of its own.
class Datasets : public ::testing::Test {
 protected:
  Datasets() {
    if (const char* old = ::getenv("CH_CACHE_DIR"); old != nullptr) before_ = old;
    ::setenv("CH_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~Datasets() override {
    if (before_) {
      ::setenv("CH_CACHE_DIR", before_->c_str(), 1);
    } else {
      ::unsetenv("CH_CACHE_DIR");
    }
  }

  static std::string error_of(const Result<Dataset>& result) {
    return result ? "no error" : to_string(result.error());
  }
  void expect_error(std::string_view name, const DataOptions& options, const std::string& part) {
    const std::string error = error_of(load_dataset(name, options));
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
  std::filesystem::path cache_of(std::int64_t rows) const {
    return folder_.path() / "cache/dataset/jsc" /
           cat("synthetic-seed42-rows", rows, ".safetensors");
  }

  TempFolder folder_;
  std::optional<std::string> before_;
};

void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.train.x, b.train.x);
  EXPECT_EQ(a.train.y, b.train.y);
  EXPECT_EQ(a.validation.x, b.validation.x);
  EXPECT_EQ(a.validation.y, b.validation.y);
  EXPECT_EQ(a.test.x, b.test.x);
  EXPECT_EQ(a.test.y, b.test.y);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.scale, b.scale);
}

TEST_F(Datasets, EveryDefinitionIsComplete) {
  ASSERT_FALSE(all_datasets().empty());
  for (const DatasetDef& def : all_datasets()) {
    EXPECT_FALSE(def.doc.empty()) << def.name;
    EXPECT_FALSE(def.sample_shape.empty()) << def.name;
    EXPECT_EQ(static_cast<std::int64_t>(def.class_names.size()), def.num_classes) << def.name;
    EXPECT_NE(def.load, nullptr) << def.name;
    EXPECT_EQ(find_dataset(def.name).value(), &def);
  }
}

TEST_F(Datasets, UnknownNamesGetTheNearestOneAsAHint) {
  expect_error("jssc", {}, "did you mean 'jsc'?");
  expect_error("nothing.csv", {}, "cannot read 'nothing.csv'");
  expect_error(folder_.write("a.txt", "x").string(), {}, "not a kind of file");
}

TEST_F(Datasets, ToyTinyIsWhatNumpyDraws) {
  const Result<Dataset> toy = load_dataset("toy_tiny");
  ASSERT_TRUE(toy) << error_of(toy);
  const Dataset& data = toy.value();
  EXPECT_EQ(data.train.x.shape(), (Shape{10'240, 1, 2, 2}));
  EXPECT_EQ(data.train.x.at(0), static_cast<float>((0.5488135039273248 - 0.5) * 2));
  EXPECT_EQ(data.validation.x.at(0), static_cast<float>((0.417022004702574 - 0.5) * 2));
  EXPECT_EQ(data.test.x.at(0), static_cast<float>((0.43599490214200376 - 0.5) * 2));
  EXPECT_EQ(data.train.y.at(0), 1);
  const Result<Dataset> same =
      load_dataset("toy_tiny", {.validation = Validation::Train, .rows = 8});
  ASSERT_TRUE(same);
  EXPECT_EQ(same.value().validation.x.bytes(), same.value().train.x.bytes());
  expect_error("toy_tiny", {.path = "x.csv"}, "takes no file");
  expect_error("toy_tiny", {.validation_fraction = 1}, "fraction");
}

TEST_F(Datasets, SyntheticJetsAreSplitStandardisedAndLabelledSynthetic) {
  const Result<Dataset> jets = load_dataset("jsc", {.rows = 1000});
  ASSERT_TRUE(jets) << error_of(jets);
  const Dataset& data = jets.value();
  EXPECT_TRUE(data.synthetic);
  EXPECT_EQ(data.notes, std::vector<std::string>{
                            "dataset 'jsc': no file given, using 1,000 synthetic jets (seed 42); "
                            "`ch data get jsc` downloads real ones"});
  EXPECT_EQ(data.train.rows(), 720);
  EXPECT_EQ(data.validation.rows(), 80);
  EXPECT_EQ(data.test.rows(), 200);
  EXPECT_EQ(data.sample_shape, Shape{16});
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"g", "q", "w", "z", "t"}));
  double sum = 0;
  for (const Split* split : {&data.train, &data.validation})
    for (std::int64_t i = 0; i < split->rows(); ++i) sum += split->x.at(16 * i + 14);
  EXPECT_NEAR(sum, 0, 1e-3);
  EXPECT_FALSE(std::filesystem::exists(cache_of(1000))) << "small sets are not worth a file";
  expect_error("jsc", {.rows = -1}, "cannot have -1 rows");
  expect_error("jsc", {.rows = 1}, "cannot be split");
  expect_error("jsc", {.rows = 2}, "leaves none for validation");
}

TEST_F(Datasets, TheCacheGivesTheSameDataAndCanBeSwitchedOff) {
  constexpr std::int64_t kRows = 50'000;
  const Result<Dataset> off = load_dataset("jsc", {.use_cache = false, .rows = kRows});
  ASSERT_TRUE(off) << error_of(off);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cache"));
  const Result<Dataset> first = load_dataset("jsc", {.rows = kRows, .threads = 2});
  ASSERT_TRUE(first) << error_of(first);
  ASSERT_TRUE(std::filesystem::exists(cache_of(kRows)));
  const Result<Dataset> second = load_dataset("jsc", {.rows = kRows, .threads = 1});
  ASSERT_TRUE(second) << error_of(second);
  expect_same(off.value(), first.value());
  expect_same(off.value(), second.value());
  EXPECT_EQ(second.value().notes.size(), 1U);
  const Result<Dataset> train =
      load_dataset("jsc", {.validation = Validation::Train, .rows = kRows});
  ASSERT_TRUE(train);
  EXPECT_EQ(train.value().train.rows(), 40'000);
  EXPECT_EQ(train.value().validation.x.bytes(), train.value().train.x.bytes());
}

TEST_F(Datasets, ADamagedCacheIsMadeAgainWithANote) {
  constexpr std::int64_t kRows = 50'000;
  const Result<Dataset> first = load_dataset("jsc", {.rows = kRows});
  ASSERT_TRUE(first) << error_of(first);
  const std::string good = read_file(cache_of(kRows)).value();
  std::string flipped = good;
  flipped[good.size() - 1234] ^= 4;
  for (const std::string& bad : {flipped, good.substr(0, good.size() / 2), std::string("x")}) {
    ASSERT_TRUE(write_file(cache_of(kRows), bad));
    const Result<Dataset> again = load_dataset("jsc", {.rows = kRows});
    ASSERT_TRUE(again) << error_of(again);
    ASSERT_EQ(again.value().notes.size(), 2U);
    EXPECT_NE(again.value().notes[1].find("was damaged"), std::string::npos);
    expect_same(first.value(), again.value());
    EXPECT_EQ(read_file(cache_of(kRows)).value(), good);
  }
}

TEST_F(Datasets, AnUnwritableCacheIsANoteAndNotAnError) {
  folder_.write("file", "x");
  ::setenv("CH_CACHE_DIR", (folder_ / "file").c_str(), 1);
  const Result<Dataset> jets = load_dataset("jsc", {.rows = 50'000});
  ASSERT_TRUE(jets) << error_of(jets);
  ASSERT_EQ(jets.value().notes.size(), 2U);
  EXPECT_NE(jets.value().notes[1].find("not cached"), std::string::npos);
}

std::vector<testing::Column> jet_table(std::size_t rows) {
  std::vector<testing::Column> columns;
  for (const char* name : {"j_g", "j_q", "j_w", "j_z", "j_t"})
    columns.push_back({name, testing::kInt8, std::vector<double>(rows, 0)});
  for (std::size_t i = 0; i < rows; ++i) columns[i % 5].values[i] = 1;
  const Dataset synthetic = load_dataset("jsc", {.rows = 50}).value();
  for (const std::string& name : synthetic.feature_names) {
    testing::Column column{name, testing::kFloat32, {}};
    for (std::size_t i = 0; i < rows; ++i)
      column.values.push_back(static_cast<double>((i * (columns.size() + 3)) % 101));
    columns.push_back(column);
  }
  return columns;
}

TEST_F(Datasets, RealJetsAreReadFromTheGivenFileAndFromTheCacheFolder) {
  const auto path = folder_ / "jets.h5";
  std::vector<testing::Column> columns = jet_table(100);
  for (testing::Column& column : columns) column.values[99] = column.values[3];
  testing::write_hdf5_table(path, "t_allpar_new", columns);
  const Result<Dataset> given = load_dataset("jsc", {.path = path});
  ASSERT_TRUE(given) << error_of(given);
  EXPECT_FALSE(given.value().synthetic);
  EXPECT_EQ(given.value().test.rows(), 20);
  EXPECT_EQ(given.value().train.rows() + given.value().validation.rows(), 79);
  ASSERT_EQ(given.value().notes.size(), 2U);
  EXPECT_EQ(given.value().notes[1], "dataset 'jsc': dropped 1 repeated rows");
  const Result<Dataset> by_path = load_dataset(path.string(), {.use_cache = false});
  ASSERT_TRUE(by_path) << error_of(by_path);
  expect_same(given.value(), by_path.value());
  const Result<Dataset> again = load_dataset("jsc", {.path = path});
  ASSERT_TRUE(again);
  expect_same(given.value(), again.value());
  std::filesystem::rename(
      path, folder_.path() / "cache/dataset/jsc" /
                "processed-pythia82-lhc13-all-pt1-50k-r1_h022_e0175_t220_nonu_truth.z");
  const Result<Dataset> found = load_dataset("jsc");
  ASSERT_TRUE(found) << error_of(found);
  expect_same(given.value(), found.value());
}

TEST_F(Datasets, BadRealJetsAreErrorsThatNameRowAndColumn) {
  const auto path = folder_ / "jets.h5";
  std::vector<testing::Column> columns = jet_table(20);
  columns[5 + 14].values[7] = std::numeric_limits<double>::quiet_NaN();
  testing::write_hdf5_table(path, "t_allpar_new", columns);
  expect_error("jsc", {.path = path}, "row 7, column 'j_mass_mmdt' holds nan");
  columns.erase(columns.begin() + 5 + 14);
  testing::write_hdf5_table(path, "t_allpar_new", columns);
  expect_error("jsc", {.path = path}, "has no column 'j_mass_mmdt'");
  expect_error("jsc", {.path = folder_ / "missing.h5"}, "cannot read");
  expect_error("jsc", {.path = folder_.write("x.csv", "1,2\n")}, "not an HDF5 file");
}

}  // namespace
}  // namespace chop
