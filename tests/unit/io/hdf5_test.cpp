// HDF5 tables: columns are found by name and converted; nothing is believed or printed.
#include "io/hdf5.hpp"

#include <gtest/gtest.h>

#include "support/files.hpp"
#include "unit/data/hdf5_table.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::Column;
using testing::TempFolder;
using testing::write_hdf5_table;

const std::vector<Column> kColumns = {{"f", testing::kFloat32, {1.5, 2.5, -0.0}},
                                      {"i", testing::kInt8, {-3, 4, 5}},
                                      {"d", testing::kFloat64, {0.1, 1e300, 3}}};

TEST(Hdf5, ColumnsComeInTheOrderAskedForWhateverTheirType) {
  const TempFolder folder;
  const auto path = folder / "t.h5";
  write_hdf5_table(path, "table", kColumns);
  const std::vector<std::string> names = {"d", "f", "i"};
  const Result<Tensor> table = read_hdf5_columns(path, "table", names);
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_EQ(table.value(), Tensor::of<double>({3, 3}, {0.1, 1.5, -3, 1e300, 2.5, 4, 3, -0.0, 5}));
  const Result<Tensor> first = read_hdf5_columns(path, "table", names, 2);
  ASSERT_TRUE(first);
  EXPECT_EQ(first.value().shape(), (Shape{2, 3}));
}

TEST(Hdf5, MistakesAreNamedAndNothingIsPrinted) {
  const TempFolder folder;
  const auto path = folder / "t.h5";
  write_hdf5_table(path, "table", kColumns);
  ::testing::internal::CaptureStderr();
  const std::vector<std::string> wrong = {"dd"};
  const Result<Tensor> column = read_hdf5_columns(path, "table", wrong);
  const std::vector<std::string> right = {"d"};
  const Result<Tensor> dataset = read_hdf5_columns(path, "tabel", right);
  const Result<Tensor> text = read_hdf5_columns(folder.write("x.h5", "hello"), "table", right);
  const Result<Tensor> missing = read_hdf5_columns(folder / "none.h5", "table", right);
  const std::string whole = read_file(path).value();
  const auto cut_path = folder.write("cut.h5", whole.substr(0, whole.size() / 2));
  const Result<Tensor> cut = read_hdf5_columns(cut_path, "table", right);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(column);
  EXPECT_NE(column.error().what.find("has no column 'dd'"), std::string::npos);
  EXPECT_NE(column.error().hint.find("it has f, i, d"), std::string::npos);
  ASSERT_FALSE(dataset);
  EXPECT_NE(dataset.error().what.find("no data set 'tabel'"), std::string::npos);
  EXPECT_FALSE(text);
  EXPECT_FALSE(missing);
  EXPECT_FALSE(cut);
}

TEST(Hdf5, RowsThatWereNeverStoredAreNotBelieved) {
  const TempFolder folder;
  const auto path = folder / "t.h5";
  testing::write_hollow_hdf5_table(path, "table", kColumns, /*rows=*/std::uint64_t{1} << 40);
  const std::vector<std::string> names = {"d"};
  const Result<Tensor> table = read_hdf5_columns(path, "table", names);
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().what.find("claims"), std::string::npos) << to_string(table.error());
}

}  // namespace
}  // namespace chop
