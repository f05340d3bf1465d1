// CSV: headers are recognised, and every mistake is reported with its line and column.
#include "io/tables/csv.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

const CsvOptions kLastIsText = {
    .text_column = [](std::size_t count, std::span<const std::string>) { return count - 1; }};

std::string error_of(const std::string& text, const CsvOptions& options = {}) {
  const Result<CsvTable> result = parse_csv(text, "t.csv", options);
  return result ? "no error" : result.error().what;
}

TEST(Csv, NumbersComeBackToTheLastBit) {
  const Result<CsvTable> table =
      parse_csv("0.1,-0\n1e-320,+3.5\n1e999,1e-999\n 7 ,\"8\"\nnan,-inf\n", "t.csv");
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_TRUE(table.value().columns.empty());
  ASSERT_EQ(table.value().values.shape(), (Shape{5, 2}));
  const auto v = table.value().values.data<double>();
  EXPECT_EQ(v[0], 0.1);
  EXPECT_TRUE(std::signbit(v[1]) && v[1] == 0);
  EXPECT_EQ(v[2], 1e-320);
  EXPECT_EQ(v[3], 3.5);
  EXPECT_EQ(v[4], HUGE_VAL);
  EXPECT_EQ(v[5], 0);
  EXPECT_EQ(v[6], 7);
  EXPECT_EQ(v[7], 8);
  EXPECT_TRUE(std::isnan(v[8]));
  EXPECT_EQ(v[9], -HUGE_VAL);
}

TEST(Csv, AHeaderIsRecognisedBehindAByteOrderMarkAndWindowsLineEnds) {
  const Result<CsvTable> table =
      parse_csv("\xEF\xBB\xBF\"a\",b\r\n1,2\r\n\r\n3,4", "t.csv", {.dtype = DType::F32});
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_EQ(table.value().columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.value().values, Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
}

TEST(Csv, OfRowsThatAreNotAskedForOnlyTheLabelsAreKept) {
  CsvOptions options = kLastIsText;
  options.rows = 2;
  const CsvTable table = parse_csv("1,t\n2,q\nx,w\n4,q\n", "t.csv", options).value();
  EXPECT_EQ(table.categories, (std::vector<std::string>{"q", "t", "w"}));
  EXPECT_EQ(table.values, Tensor::of<double>({2, 2}, {1, 1, 2, 0}));
  EXPECT_EQ(table.more_labels, (std::vector<double>{2, 0}));
  EXPECT_EQ(parse_csv("1,0\n2,3\nx,4\n", "t.csv", options).value().more_labels,
            std::vector<double>{4});
  EXPECT_EQ(error_of("1,t\n2,q\n3\n", options), "'t.csv', line 3 has 1 column where line 1 has 2");
}

TEST(Csv, WrongColumnCountsNameTheLine) {
  EXPECT_EQ(error_of("a,b\n1,2\n3\n"), "'t.csv', line 3 has 1 column where line 1 has 2");
  EXPECT_EQ(error_of("1,2\n\n3,4,5\n"), "'t.csv', line 3 has 3 columns where line 1 has 2");
  EXPECT_EQ(error_of("1,2\n3,4,\n"), "'t.csv', line 2 has 3 columns where line 1 has 2");
}

TEST(Csv, BadCellsNameLineAndColumn) {
  EXPECT_EQ(error_of("a,b\n1,2\n3,x y\n"),
            "'t.csv', line 3, column 2 ('b'): 'x y' is not a number");
  EXPECT_EQ(error_of("1,2\n3,\n"), "'t.csv', line 2, column 2: the cell is empty");
  EXPECT_EQ(error_of("1,2\n3,0x10\n"), "'t.csv', line 2, column 2: '0x10' is not a number");
  EXPECT_EQ(error_of("1,2\n3,+-1\n"), "'t.csv', line 2, column 2: '+-1' is not a number");
  EXPECT_EQ(error_of("1,2\n3,\"4\n"),
            "'t.csv', line 2, column 2: a quote is not closed before the end of the cell");
}

TEST(Csv, FilesWithoutDataAreErrors) {
  EXPECT_EQ(error_of(""), "'t.csv' holds no data");
  EXPECT_EQ(error_of("\n\n"), "'t.csv' holds no data");
  EXPECT_EQ(error_of("a,b\n"), "'t.csv' holds a header line but no data");
}

TEST(Csv, TextOfTwoBytesACharacterIsNamed) {
  for (const std::string mark : {"\xFF\xFE", "\xFE\xFF"}) {
    const auto table = parse_csv(mark + std::string("1\0,\0002\0\n\0", 8), "a.csv");
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().what, "'a.csv' is text in UTF-16");
  }
}

TEST(Csv, TextLabelsAreNumberedInSortedOrder) {
  const Result<CsvTable> table = parse_csv("1,dog\n2,cat\n3,dog\n4,ant\n", "t.csv", kLastIsText);
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_EQ(table.value().categories, (std::vector<std::string>{"ant", "cat", "dog"}));
  EXPECT_EQ(table.value().values, Tensor::of<double>({4, 2}, {1, 2, 2, 1, 3, 2, 4, 0}));
}

TEST(Csv, NumericLabelsKeepTheirValues) {
  const Result<CsvTable> table = parse_csv("f,y\n1,10\n2,3\n3,10\n", "t.csv", kLastIsText);
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_TRUE(table.value().categories.empty());
  EXPECT_EQ(table.value().values, Tensor::of<double>({3, 2}, {1, 10, 2, 3, 3, 10}));
}

TEST(Csv, ALongFirstLineDoesNotReserveMemoryForLinesThatCannotExist) {
  std::string text(200'000, ',');
  text += std::string(200'000, '\n');
  EXPECT_NE(error_of(text), "no error");
}

TEST(Csv, FilesAreReadByPath) {
  const testing::TempFolder folder;
  const Result<CsvTable> table = read_csv(folder.write("a.csv", "1,2\n"));
  ASSERT_TRUE(table);
  EXPECT_EQ(table.value().values.size(), 2);
  EXPECT_FALSE(read_csv(folder / "b.csv"));
  EXPECT_FALSE(read_csv(folder.path()));
}

TEST(Csv, EveryShorterFileIsAnErrorOrFewerRows) {
  const std::string text = "a,b,label\n1,2.5,cat\n-3e2,\"4\",dog\n5,6,cat\n";
  const CsvOptions options{.text_column = [](std::size_t count, auto) { return count - 1; }};
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result<CsvTable> cut = parse_csv(std::string_view(text).substr(0, size), "cut", options);
    if (cut) {
      EXPECT_GE(size, 16U);  // the header and two cells of a row, the third of any length
      EXPECT_EQ(cut.value().values.dim(1), 3);
      EXPECT_LE(cut.value().values.dim(0), 3);
    } else {
      EXPECT_NE(cut.error().what.find("'cut'"), std::string::npos) << size;
    }
  }
}

}  // namespace
}  // namespace chop
