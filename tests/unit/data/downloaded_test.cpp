// The data sets that `ch data get` downloads, from files as they arrive.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "data/registry.hpp"
#include "support/system/files.hpp"
#include "unit/io/tar_builder.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::gzipped;
using testing::TempFolder;

/// Each test has a cache folder of its own.
class Downloaded : public ::testing::Test {
 protected:
  Downloaded() {
    if (const char* old = ::getenv("CH_CACHE_DIR"); old != nullptr) before_ = old;
    ::setenv("CH_CACHE_DIR", folder_.path().c_str(), 1);
  }
  ~Downloaded() override {
    if (before_) {
      ::setenv("CH_CACHE_DIR", before_->c_str(), 1);
    } else {
      ::unsetenv("CH_CACHE_DIR");
    }
  }

  void put(const std::string& name, const std::string& file, const std::string& bytes) {
    ASSERT_TRUE(write_file(dataset_folder(name) / file, bytes));
  }
  void expect_error(std::string_view name, const DataOptions& options, const std::string& part) {
    const Result<Dataset> data = load_dataset(name, options);
    const std::string error = data ? "no error" : to_string(data.error());
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  TempFolder folder_;
  std::optional<std::string> before_;
};

std::string jet_cells(int row) {
  std::string text;
  for (int i = 0; i < 16; ++i) text += cat((row * 7 + i * 3) % 11 - 5, ".25,");
  return text;
}

std::string jets_arff(const std::string& classes, int rows) {
  std::string text = "@RELATION jets\n";
  for (int i = 0; i < 16; ++i) text += cat("@ATTRIBUTE f", i, " REAL\n");
  text += cat("@ATTRIBUTE class ", classes, "\n@DATA\n");
  for (int row = 0; row < rows; ++row) text += jet_cells(row) + "wzgqt"[row % 5] + "\n";
  return text;
}

std::string jets_csv(int rows) {
  std::string text = "\"class\"";
  for (int i = 0; i < 16; ++i) text += cat(",\"f", i, "\"");
  for (int row = 0; row < rows; ++row) {
    const std::string cells = jet_cells(row);
    text += cat("\n'", std::string(1, "wzgqt"[row % 5]), "',", cells.substr(0, cells.size() - 1));
  }
  return text + "\n";
}

TEST_F(Downloaded, OpenMlsJetsAreTheSameFromArffAndCsvWithClassesInAlphabeticalOrder) {
  expect_error("jsc_openml", {}, "`ch data get jsc_openml` downloads it");
  put("jsc_openml", "hls4ml_lhc_jets_hlf.csv", jets_csv(60));
  const Result<Dataset> csv = load_dataset("jsc_openml");
  ASSERT_TRUE(csv) << to_string(csv.error());
  for (const char* classes : {"{g,q,w,z,t}", "{'t','z','w','q','g'}", "STRING"}) {
    put("jsc_openml", "hls4ml_lhc_jets_hlf.arff", jets_arff(classes, 60));
    const Result<Dataset> arff = load_dataset("jsc_openml");
    ASSERT_TRUE(arff) << to_string(arff.error());
    EXPECT_EQ(arff.value().train.x, csv.value().train.x) << classes;
    EXPECT_EQ(arff.value().train.y, csv.value().train.y);
    EXPECT_EQ(arff.value().test.y, csv.value().test.y);
    EXPECT_EQ(arff.value().mean, csv.value().mean);
  }
  const Dataset& data = csv.value();
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"g", "q", "t", "w", "z"}));
  EXPECT_EQ(data.feature_names.size(), 16U);
  EXPECT_FALSE(data.synthetic);
  EXPECT_EQ(data.train.rows() + data.validation.rows(), 48) << "no row is dropped as repeated";
  EXPECT_EQ(load_dataset("jsc_openml", {.rows = 20}).value().test.rows(), 4);
  std::map<std::int64_t, int> counts;
  for (const Split* split : {&data.train, &data.validation, &data.test})
    for (const std::int64_t label : split->y.data<std::int64_t>()) ++counts[label];
  EXPECT_EQ(counts, (std::map<std::int64_t, int>{{0, 12}, {1, 12}, {2, 12}, {3, 12}, {4, 12}}));
}

TEST_F(Downloaded, TheTwoSetsOfJetsShareNoCache) {
  put("jsc_openml", "hls4ml_lhc_jets_hlf.arff", jets_arff("STRING", 60));
  ASSERT_TRUE(load_dataset("jsc_openml"));
  EXPECT_FALSE(std::filesystem::exists(dataset_folder("jsc")));
  int cached = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dataset_folder("jsc_openml")))
    cached += entry.path().extension() == ".safetensors" ? 1 : 0;
  EXPECT_EQ(cached, 1);
  EXPECT_TRUE(load_dataset("jsc", {.rows = 100}).value().synthetic) << "OpenML's are not jsc's";
}

TEST_F(Downloaded, JetsOfOtherFormsAreErrors) {
  const auto arff = [&](const std::string& text, const std::string& part) {
    put("jsc_openml", "hls4ml_lhc_jets_hlf.arff", text);
    expect_error("jsc_openml", {}, part);
  };
  arff("<html>", "line 1 is '<html>'");
  arff("@ATTRIBUTE a REAL\n@ATTRIBUTE class {g}\n@DATA\n1,g\n", "has 2 columns where 16 features");
  arff("@ATTRIBUTE a REAL\n@DATA\n1\n", "has 0 columns of texts where one, the class, is expected");
  std::string other = jets_arff("STRING", 20);
  other.replace(other.size() - 2, 1, "h");
  arff(other, "'h' is not one of the classes g, q, t, w, z");
  std::string missing = jets_arff("STRING", 20);
  missing.replace(missing.rfind("\n", missing.size() - 2) + 1, 4, "?");
  expect_error("jsc_openml", {.rows = -1}, "cannot have -1 rows");
  expect_error("jsc_openml", {.path = folder_ / "no.arff"}, "cannot read");
  std::string numbers = jets_csv(20);
  for (const char label : std::string("wzgqt"))
    for (std::size_t at = 0;
         (at = numbers.find(cat("'", std::string(1, label), "'"))) < numbers.size();)
      numbers.replace(at, 3, "1");
  expect_error("jsc_openml", {.path = folder_.write("n.csv", numbers)}, "its classes are numbers");
}

TEST_F(Downloaded, ArffFilesByPathAreTables) {
  const auto path = folder_.write("a.arff",
                                  "@ATTRIBUTE a REAL\n@ATTRIBUTE kind {yes,no}\n@ATTRIBUTE b "
                                  "REAL\n@DATA\n1,yes,2\n3,no,4\n5,yes,6\n7,no,8\n");
  const Result<Dataset> data = load_dataset(path.string(), {.whole = true});
  ASSERT_TRUE(data) << to_string(data.error());
  EXPECT_EQ(data.value().test.x, Tensor::of<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(data.value().test.y, Tensor::of<std::int64_t>({4}, {1, 0, 1, 0}));
  EXPECT_EQ(data.value().class_names, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(data.value().feature_names, (std::vector<std::string>{"a", "b"}));
  expect_error(
      folder_
          .write("b.arff",
                 "@ATTRIBUTE a {x,y}\n@ATTRIBUTE b {x,y}\n@ATTRIBUTE c REAL\n@DATA\nx,y,1\n")
          .string(),
      {}, "the attributes 'a' and 'b' both hold texts");
  expect_error(
      folder_.write("c.arff", "@ATTRIBUTE a REAL\n@ATTRIBUTE k {x,y}\n@DATA\n?,x\n").string(), {},
      "row 0, column 'a'");
}

std::string idx_file(const std::vector<int>& dims, int values) {
  std::string bytes = {0, 0, 8, static_cast<char>(dims.size())};
  int count = 1;
  for (const int dim : dims) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(dim >> shift & 0xFF);
    count *= dim;
  }
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(i % values);
  return bytes;
}

TEST_F(Downloaded, FashionMnistHasAFolderAndClassesOfItsOwn) {
  for (const char* name : {"mnist", "fashion_mnist"})
    expect_error(name, {}, cat("data set '", name, "': no file 'train-images-idx3-ubyte.gz'"));
  for (const char* part : {"train", "t10k"}) {
    put("fashion_mnist", cat(part, "-images-idx3-ubyte.gz"), gzipped(idx_file({20, 28, 28}, 255)));
    put("fashion_mnist", cat(part, "-labels-idx1-ubyte.gz"), gzipped(idx_file({20}, 10)));
  }
  const Result<Dataset> data = load_dataset("fashion_mnist");
  ASSERT_TRUE(data) << to_string(data.error());
  EXPECT_EQ(data.value().name, "fashion_mnist");
  EXPECT_EQ(data.value().class_names[9], "Ankle boot");
  EXPECT_EQ(data.value().test.x.shape(), (Shape{20, 1, 28, 28}));
  expect_error("mnist", {}, "`ch data get mnist` downloads the four files");
}

TEST_F(Downloaded, Cifar10IsReadFromItsArchiveAsFromItsFiles) {
  expect_error("cifar10", {}, "`ch data get cifar10` downloads cifar-10-binary.tar.gz");
  std::vector<testing::TarPart> parts = {{.name = "cifar-10-batches-bin/", .type = '5'}};
  for (const std::string_view name : {"data_batch_1", "data_batch_2", "data_batch_3",
                                      "data_batch_4", "data_batch_5", "test_batch"}) {
    std::string bytes;
    for (int i = 0; i < 12; ++i)
      bytes += std::string(1, static_cast<char>(i % 10)) +
               std::string(3072, static_cast<char>(name.back() + 3 * i));
    parts.push_back({.name = cat("cifar-10-batches-bin/", name, ".bin"), .bytes = bytes});
    put("files", cat(name, ".bin"), bytes);
  }
  put("cifar10", "cifar-10-binary.tar.gz", gzipped(testing::tar_of(parts)));
  const Result<Dataset> packed = load_dataset("cifar10");
  ASSERT_TRUE(packed) << to_string(packed.error());
  EXPECT_EQ(packed.value().test.rows(), 12);
  for (const auto& path : {dataset_folder("files"), dataset_folder("cifar10"),
                           dataset_folder("cifar10") / "cifar-10-binary.tar.gz"}) {
    const Result<Dataset> other = load_dataset("cifar10", {.path = path});
    ASSERT_TRUE(other) << to_string(other.error());
    EXPECT_EQ(other.value().train.x, packed.value().train.x);
    EXPECT_EQ(other.value().test.y, packed.value().test.y);
  }
  EXPECT_EQ(load_dataset(dataset_folder("cifar10").string()).value().name, "cifar10");
  parts.pop_back();
  put("cifar10", "cifar-10-binary.tar.gz", gzipped(testing::tar_of(parts)));
  expect_error("cifar10", {}, "no file 'test_batch.bin' in");
  parts.back().bytes.pop_back();
  put("cifar10", "cifar-10-binary.tar.gz", gzipped(testing::tar_of(parts)));
  expect_error("cifar10", {}, "data_batch_5.bin' is not a CIFAR-10 batch");
}

TEST_F(Downloaded, EveryDefinitionSaysWhatIsNeededToDownloadIt) {
  for (const DatasetDef& def : all_datasets())
    for (const DataSource& source : def.sources) {
      EXPECT_TRUE(source.url.starts_with("https://")) << source.url;
      EXPECT_EQ(source.file.find('/'), std::string::npos) << source.file;
      EXPECT_TRUE(source.sha256.empty() || source.sha256.size() == 64) << source.file;
      EXPECT_GT(source.bytes + source.limit, 0U) << source.file << " has no limit";
    }
}

}  // namespace
}  // namespace chop
