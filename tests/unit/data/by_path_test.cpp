// Files as data sets: CSV, npy, npz, and folders of images.
#include "data/files/by_path.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "io/npy.hpp"
#include "io/npz.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::TempFolder;

std::string error_of(const Result<Dataset>& result) {
  return result ? "no error" : to_string(result.error());
}

void expect_error(const std::filesystem::path& path, const std::string& part) {
  const std::string error = error_of(load_dataset(path.string()));
  EXPECT_NE(error.find(part), std::string::npos) << error;
}

TEST(ByPath, CsvIsSplitAsScikitLearnDoes) {
  const TempFolder folder;
  std::string text = "a,label,b\n";
  for (int i = 0; i < 20; ++i) text += cat(i, ",", i % 2 == 0 ? "dog" : "cat", ",", i + 0.5, "\n");
  const Result<Dataset> loaded = load_dataset(folder.write("pets.csv", text).string());
  ASSERT_TRUE(loaded) << error_of(loaded);
  const Dataset& data = loaded.value();
  EXPECT_EQ(data.name, "pets");
  EXPECT_EQ(data.class_names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(data.feature_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(data.num_classes, 2);
  // sklearn: train_test_split(range(20), test_size=0.2, random_state=42)[1] is 0, 17, 15, 1.
  EXPECT_EQ(data.test.x, Tensor::of<float>({4, 2}, {0, 0.5, 17, 17.5, 15, 15.5, 1, 1.5}));
  EXPECT_EQ(data.test.y, Tensor::of<std::int64_t>({4}, {1, 0, 0, 0}));
  EXPECT_EQ(data.train.rows(), 15);
  EXPECT_EQ(data.validation.rows(), 1);
  EXPECT_TRUE(data.mean.empty());
}

TEST(ByPath, ClassesOfAKnownDataSetKeepItsOrder) {
  const TempFolder folder;
  std::string text = "mass,class\n";
  for (int i = 0; i < 20; ++i) text += cat(i % 5, ",", "gqwzt"[i % 5], "\n");
  const Result<Dataset> loaded = load_dataset(folder.write("jets.csv", text).string());
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded.value().class_names, (std::vector<std::string>{"g", "q", "w", "z", "t"}));
  for (std::int64_t i = 0; i < loaded.value().train.rows(); ++i)
    EXPECT_EQ(loaded.value().train.y.at(i), loaded.value().train.x.at(i));
  EXPECT_EQ(
      loaded.value().notes,
      std::vector<std::string>{"dataset 'jets': classes numbered as in 'jsc': g, q, w, z, t"});
}

TEST(ByPath, TheFirstRowsHaveTheClassesOfAll) {
  const TempFolder folder;
  std::string text = "mass,class\n";
  for (int i = 0; i < 40; ++i) text += cat(i, ",", "abcd"[i / 10], "\n");
  const Result<Dataset> loaded =
      load_dataset(folder.write("sorted.csv", text).string(), {.rows = 20});
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded.value().class_names, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(loaded.value().train.rows() + loaded.value().validation.rows(), 16);
}

TEST(ByPath, StandardisationIsAnOption) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 20; ++i) text += cat(i, ",7,", i % 3, "\n");
  const auto path = folder.write("t.csv", text);
  const Result<Dataset> loaded =
      load_dataset(path.string(), {.validation = Validation::Train, .standardise = true});
  ASSERT_TRUE(loaded) << error_of(loaded);
  const Dataset& data = loaded.value();
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < 16; ++i) {
    sum += data.train.x.at(2 * i);
    squares += data.train.x.at(2 * i) * data.train.x.at(2 * i);
    EXPECT_EQ(data.train.x.at(2 * i + 1), 0);
  }
  EXPECT_NEAR(sum, 0, 1e-5);
  EXPECT_NEAR(squares, 16, 1e-5);
  EXPECT_EQ(data.scale[1], 1);
}

TEST(ByPath, BadCsvFilesAreErrorsThatNameTheCell) {
  const TempFolder folder;
  expect_error(folder.write("a.csv", "a,b,y\n1,2,0\n1,nan,1\n"), "row 1, column 'b' holds nan");
  expect_error(folder.write("a.csv", "1,2,0\n1,1e400,1\n"), "row 1, column 1 holds inf");
  expect_error(folder.write("a.csv", "1,2,0\n1,2\n"), "line 2 has 2 columns where line 1 has 3");
  expect_error(folder.write("a.csv", "1,2,0\n1,x,0\n"), "line 2, column 2: 'x' is not a number");
  expect_error(folder.write("a.csv", "1,0.5\n2,1\n"), "the label of row 0 is 0.5");
  expect_error(folder.write("a.csv", "1,-1\n2,1\n"), "the label of row 0 is -1");
  expect_error(folder.write("a.csv", "1\n2\n"), "has one column");
  expect_error(folder.write("a.csv", "1,0\n2,0\n"), "same label");
  expect_error(folder.write("a.csv", "1,1\n"), "cannot be split");
  expect_error(folder.write("a.csv", ""), "holds no data");
}

TEST(ByPath, NpyFindsItsLabelsBesideIt) {
  const TempFolder folder;
  Tensor x(DType::F64, {30, 2, 3});
  Tensor y(DType::U8, {30});
  for (std::size_t i = 0; i < 30; ++i) {
    x.mutable_data<double>()[6 * i] = static_cast<double>(i);
    y.mutable_data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i % 3);
  }
  ASSERT_TRUE(write_npy(folder / "set_raw.npy", x));
  expect_error(folder / "set_raw.npy", "set_raw_labels.npy or set_labels.npy");
  ASSERT_TRUE(write_npy(folder / "set_labels.npy", y));
  const Result<Dataset> loaded = load_dataset((folder / "set_raw.npy").string());
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded.value().sample_shape, (Shape{2, 3}));
  EXPECT_EQ(loaded.value().train.x.shape(), (Shape{22, 2, 3}));
  EXPECT_EQ(loaded.value().num_classes, 3);
  for (std::int64_t i = 0; i < 22; ++i)
    EXPECT_EQ(std::fmod(loaded.value().train.x.at(6 * i), 3), loaded.value().train.y.at(i));
  x.mutable_data<double>()[5 * 6 + 2] = HUGE_VAL;
  ASSERT_TRUE(write_npy(folder / "set_raw.npy", x));
  expect_error(folder / "set_raw.npy", "row 5, column 2 holds inf");
}

TEST(ByPath, NpzMayNameItsTestRows) {
  const TempFolder folder;
  Tensor x(DType::F32, {40, 2});
  Tensor y(DType::I64, {40});
  for (std::size_t i = 0; i < 40; ++i) {
    x.mutable_data<float>()[2 * i] = static_cast<float>(i);
    y.mutable_data<std::int64_t>()[i] = i < 20 ? 0 : 1;
  }
  const Tensor x_test = Tensor::of<double>({2, 2}, {100, 0, 101, 0});
  const Tensor y_test = Tensor::of<std::int64_t>({2}, {2, 1});
  const auto path = folder / "s.npz";
  ASSERT_TRUE(
      write_npz(path, {{"x_train", x}, {"y_train", y}, {"x_test", x_test}, {"y_test", y_test}}));
  const Result<Dataset> loaded = load_dataset(path.string());
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded.value().train.rows(), 36);
  EXPECT_EQ(loaded.value().validation.rows(), 4);
  EXPECT_EQ(loaded.value().test.x, x_test.to(DType::F32));
  EXPECT_EQ(loaded.value().num_classes, 3);
  ASSERT_TRUE(write_npz(path, {{"x", x}, {"y", y}}));
  EXPECT_EQ(load_dataset(path.string()).value().test.rows(), 8);
  EXPECT_EQ(load_dataset(path.string(), {.rows = 20}).value().test.rows(), 4);
  ASSERT_TRUE(write_npz(path, {{"a", x}}));
  expect_error(path, "holds the arrays a");
  ASSERT_TRUE(write_npz(path, {{"x", x}, {"y", y_test}}));
  expect_error(path, "2 labels for 40 samples");
}

TEST(ByPath, TestRowsAloneAreNotSplit) {
  const TempFolder folder;
  const auto path = folder / "t.npz";
  const Tensor x = Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(
      write_npz(path, {{"x_test", x}, {"y_test", Tensor::of<std::int64_t>({3}, {0, 2, 1})}}));
  const Result<Dataset> loaded = load_dataset(path.string());
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded.value().test.x, x);
  EXPECT_EQ(loaded.value().train.rows(), 0);
  EXPECT_EQ(loaded.value().validation.rows(), 0);
  EXPECT_EQ(loaded.value().num_classes, 3);
  EXPECT_EQ(load_dataset(path.string(), {.rows = 2}).value().test.rows(), 2);
  const Result<Dataset> scaled = load_dataset(path.string(), {.standardise = true});
  ASSERT_FALSE(scaled);
  EXPECT_NE(scaled.error().what.find("nothing to standardise them by"), std::string::npos);
}

std::string idx(const std::vector<unsigned>& dims, const std::string& data) {
  std::string bytes = {0, 0, 8, static_cast<char>(dims.size())};
  for (const unsigned dim : dims)
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(dim >> shift & 0xFF);
  return bytes + data;
}

TEST(ByPath, AFolderOfDigitsIsMnist) {
  const TempFolder folder;
  std::string pixels(20 * 784, '\xFF');
  pixels[0] = 51;
  std::string labels;
  for (int i = 0; i < 20; ++i) labels += static_cast<char>(i % 10);
  folder.write("train-images-idx3-ubyte", idx({20, 28, 28}, pixels));
  folder.write("train-labels-idx1-ubyte", idx({20}, labels));
  folder.write("t10k-images-idx3-ubyte", idx({1, 28, 28}, std::string(784, '\0')));
  expect_error(folder.path(), "no file 't10k-labels-idx1-ubyte.gz'");
  folder.write("t10k-labels-idx1-ubyte", idx({1}, "\x07"));
  const Result<Dataset> loaded =
      load_dataset("mnist", {.path = folder.path(), .validation = Validation::Train});
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded.value().train.x.shape(), (Shape{20, 1, 28, 28}));
  EXPECT_EQ(loaded.value().train.x.at(0), 51.0F / 255.0F);
  EXPECT_EQ(loaded.value().train.x.at(1), 1);
  EXPECT_EQ(loaded.value().test.y.at(0), 7);
  EXPECT_EQ(load_dataset(folder.path().string()).value().validation.rows(), 2);
  folder.write("train-labels-idx1-ubyte", idx({19}, labels.substr(1)));
  expect_error(folder.path(), "19 labels for 20 samples");
  folder.write("train-labels-idx1-ubyte", idx({20}, labels.substr(1) + "\x0B"));
  expect_error(folder.path(), "labels above 9");
}

TEST(ByPath, AFolderOfBatchesIsCifar10) {
  const TempFolder folder;
  for (int i = 1; i <= 5; ++i)
    folder.write(cat("data_batch_", i, ".bin"),
                 std::string(1, static_cast<char>(i)) + std::string(3072, '\xFF') +
                     std::string(1, '\x00') + std::string(3072, '\0'));
  folder.write("test_batch.bin", std::string(1, '\x09') + std::string(3072, '\x33'));
  const Result<Dataset> loaded = load_dataset(folder.path().string());
  ASSERT_TRUE(loaded) << error_of(loaded);
  EXPECT_EQ(loaded.value().train.x.shape(), (Shape{9, 3, 32, 32}));
  EXPECT_EQ(loaded.value().validation.rows(), 1);
  EXPECT_EQ(loaded.value().test.y.at(0), 9);
  EXPECT_EQ(static_cast<float>(loaded.value().test.x.at(3071)), (51.0F / 255.0F - 0.406F) / 0.225F);
  std::filesystem::remove(folder / "data_batch_3.bin");
  expect_error(folder.path(), "data_batch_3.bin");
}

TEST(ByPath, AFolderWithoutFilesOfADataSetIsRefused) {
  const TempFolder folder;
  folder.write("notes.txt", "nothing to train on");
  const Result<Dataset> loaded = load_dataset(folder.path().string());
  EXPECT_NE(error_of(loaded).find("has no file of a data set"), std::string::npos);
  EXPECT_NE(error_of(loaded).find("folders of cifar10 (cifar-10-binary.tar.gz) and mnist"),
            std::string::npos);
}

TEST(ByPath, AFileOfAnotherKindIsRefusedWithTheEndingsThatAreRead) {
  const TempFolder folder;
  expect_error(folder.write("notes.txt", ""), "is not a kind of file that holds data");
  const Result<Dataset> loaded = load_dataset((folder.path() / "notes.txt").string());
  EXPECT_NE(error_of(loaded).find(".csv, .tsv, .npy, .npz, .arff, .h5, .hdf5, .z are read"),
            std::string::npos);
}

}  // namespace
}  // namespace chop
