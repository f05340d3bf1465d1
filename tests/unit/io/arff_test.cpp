// ARFF: attributes of every type that is read, and an error with its line for everything else.
#include "io/tables/arff.hpp"

#include <gtest/gtest.h>

#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::TempFolder;

constexpr std::string_view kJets =
    "% a comment\n@RELATION 'jets of the LHC'\n\n@ATTRIBUTE zlogz REAL\n"
    "@attribute \"mass of it\" numeric\n@ATTRIBUTE class {q, g,'t w'}\n@ATTRIBUTE tag STRING\n"
    "@DATA\n-2.5, 1e3,g,zwei\r\n%\n+3,0x,\n";

std::string without_bad_row() {
  return std::string(kJets.substr(0, kJets.find("+3")));
}

void expect_error(std::string_view text, const std::string& part) {
  const Result<ArffTable> table = parse_arff(text, "a.arff");
  ASSERT_FALSE(table) << part;
  EXPECT_NE(table.error().what.find(part), std::string::npos) << table.error().what;
}

TEST(Arff, NumbersNominalValuesAndStringsAreRead) {
  const std::string text = without_bad_row() + "inf,?,'t w',eins\n  4 , -0.0 , \"q\" ,zwei";
  const Result<ArffTable> table = parse_arff(text, "a.arff");
  ASSERT_TRUE(table) << to_string(table.error());
  EXPECT_EQ(table.value().relation, "jets of the LHC");
  const std::vector<ArffColumn>& columns = table.value().columns;
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[1].name, "mass of it");
  EXPECT_FALSE(columns[1].is_text);
  EXPECT_EQ(columns[2].categories, (std::vector<std::string>{"g", "q", "t w"}));
  EXPECT_EQ(columns[3].categories, (std::vector<std::string>{"eins", "zwei"}));
  const Tensor& values = table.value().values;
  EXPECT_EQ(values.shape(), (Shape{3, 4}));
  const std::vector<double> wanted = {-2.5, 1000, 0, 1, 0, 0, 2, 0, 4, -0.0, 1, 1};
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (i != 4 && i != 5) {
      EXPECT_EQ(values.at(static_cast<std::int64_t>(i)), wanted[i]) << i;
    }
  EXPECT_TRUE(std::isinf(values.at(4)));
  EXPECT_TRUE(std::isnan(values.at(5)));
  EXPECT_EQ(parse_arff(text, "a.arff", 2).value().values.shape(), (Shape{2, 4}));
  EXPECT_EQ(parse_arff(text, "a.arff", 9).value().values.shape(), (Shape{3, 4}));
}

TEST(Arff, EveryErrorNamesItsLine) {
  expect_error(kJets, "line 11 has 3 cells for 4 attributes");
  expect_error(without_bad_row() + "x,1,g,a",
               "line 11 has 'x' for the attribute 'zlogz', which is");
  expect_error(without_bad_row() + "1,1,h,a", "'h' for the attribute 'class', which is not one of");
  expect_error(without_bad_row() + "1,1,?,a", "'?' for the attribute 'class', which is not one of");
  expect_error(without_bad_row() + "{0 1}", "line 11 is a sparse row");
  expect_error(without_bad_row() + "1,'2", "line 11 has a quote that is not closed");
  expect_error(without_bad_row() + "1,'2'3,g,a", "behind the quotes of cell 2");
}

TEST(Arff, HeadersThatAreNotReadAreErrors) {
  expect_error("", "it has no @DATA");
  expect_error("<html>\n", "line 1 is '<html>' where @RELATION, @ATTRIBUTE or @DATA is expected");
  expect_error("@DATA\n1\n", "it has no attributes");
  expect_error("@ATTRIBUTE a REAL\n@DATA\n", "it has no rows behind @DATA");
  expect_error("@ATTRIBUTE a DATE 'yyyy'\n@DATA\n1\n", "an attribute of type 'DATE 'yyyy''");
  expect_error("@ATTRIBUTE a {x,y\n@DATA\nx\n", "does not close its list of values");
  expect_error("@ATTRIBUTE a {x,x}\n@DATA\nx\n", "has the value 'x' twice");
  expect_error("@ATTRIBUTE a REAL\n@ATTRIBUTE a REAL\n@DATA\n1,1\n",
               "names the attribute 'a' twice");
  expect_error("@ATTRIBUTE\n@DATA\n1\n", "ends where a name is expected");
}

TEST(Arff, EveryShorterFileIsReadAsFarAsItGoesOrIsAnError) {
  const TempFolder folder;
  const std::string text = without_bad_row();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const Result<ArffTable> cut = parse_arff(text.substr(0, size), "a.arff");
    if (cut) {
      EXPECT_EQ(cut.value().values.shape(), (Shape{1, 4})) << size;
    }
  }
  EXPECT_TRUE(read_arff(folder.write("a.arff", text)));
  EXPECT_FALSE(read_arff(folder / "missing.arff"));
}

}  // namespace
}  // namespace chop
