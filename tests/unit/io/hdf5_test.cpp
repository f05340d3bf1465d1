// HDF5 tables: columns are found by name and converted; nothing is believed or printed.
#include "io/tables/hdf5.hpp"

#include <gtest/gtest.h>

#include "support/paths.hpp"
#include "support/system/files.hpp"
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
  EXPECT_NE(dataset.error().hint.find("save other data as .npz"), std::string::npos);
  EXPECT_FALSE(text);
  EXPECT_FALSE(missing);
  EXPECT_FALSE(cut);
}

TEST(Hdf5, MoreRowsThanTheFileStoresIsAnError) {
  const TempFolder folder;
  const auto path = folder / "t.h5";
  testing::write_hollow_hdf5_table(path, "table", kColumns, /*rows=*/std::uint64_t{1} << 40);
  const std::vector<std::string> names = {"d"};
  const Result<Tensor> table = read_hdf5_columns(path, "table", names);
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().what.find("claims"), std::string::npos) << to_string(table.error());
}

TEST(Hdf5, BytesInMemoryReadLikeAFile) {
  const TempFolder folder;
  const auto path = folder / "t.h5";
  write_hdf5_table(path, "table", kColumns);
  const std::string whole = read_file(path).value();
  const std::vector<std::string> names = {"i", "d"};
  const auto bytes = std::as_bytes(std::span(whole));
  const Result<Tensor> table = parse_hdf5_columns(bytes, "memory", "table", names);
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_EQ(table.value(), read_hdf5_columns(path, "table", names).value());
  const Result<Tensor> none = parse_hdf5_columns({}, "memory", "table", names);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "'memory' cannot be used: it is empty");
}

TEST(Hdf5, ShorterFilesAreErrors) {
  const TempFolder folder;
  const auto path = folder / "t.h5";
  write_hdf5_table(path, "table", kColumns);
  const std::string whole = read_file(path).value();
  const std::vector<std::string> names = {"d"};
  const auto bytes = std::as_bytes(std::span(whole));
  for (std::size_t size = 0; size < whole.size(); size += size < 100 ? 1 : 41)
    EXPECT_FALSE(parse_hdf5_columns(bytes.first(size), "cut", "table", names)) << size;
}

TEST(Hdf5, ReferencesToOtherFilesAreRefused) {
  const TempFolder folder;
  write_hdf5_table(folder / "secret.h5", "table", kColumns);
  const hid_t file = H5Fcreate((folder / "t.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("secret.h5", "/table", file, "link", H5P_DEFAULT, H5P_DEFAULT);
  const hid_t type = testing::table_type(kColumns, true);
  const hsize_t rows = 3;
  const hid_t space = H5Screate_simple(1, &rows, nullptr);
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(layout, (folder / "secret.h5").c_str(), 0, 39);
  H5Dclose(H5Dcreate2(file, "raw", type, space, H5P_DEFAULT, layout, H5P_DEFAULT));
  for (const hid_t id : {layout, space, type, file}) H5Idec_ref(id);
  const std::vector<std::string> names = {"d"};
  for (const std::string dataset : {"link", "raw"}) {
    const Result<Tensor> table = read_hdf5_columns(folder / "t.h5", dataset, names);
    ASSERT_FALSE(table) << dataset;
    EXPECT_NE(table.error().what.find(cat("data set '", dataset, "' lies in another file")),
              std::string::npos)
        << to_string(table.error());
  }
}

TEST(Hdf5, FilesThatCrashTheLibraryAreErrors) {
  const std::string file =
      test::source_path("tests/fuzz/corpus/read_hdf5_fuzz/crashes_the_library");
  const std::vector<std::string> names = {"d"};
  EXPECT_FALSE(read_hdf5_columns(file, "t", names));
}

}  // namespace
}  // namespace chop
