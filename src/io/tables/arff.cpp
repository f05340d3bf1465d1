#include "io/tables/arff.hpp"

#include <unordered_set>

#include "io/tables/csv.hpp"
#include "support/escape.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::io {
namespace {

constexpr std::size_t kMostAttributes = 100'000;

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

bool parse_arff_number(std::string_view cell, double& value) {
  if (cell == "?") {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  return parse_number(cell, value);
}

class ArffParser {
 public:
  ArffParser(std::string_view text, const std::string& name, std::int64_t rows)
      : rest_(text), name_(name), rows_(rows) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  Result<ArffTable> read() {
    CH_CHECK(read_header());
    const std::size_t width = table_.columns.size();
    std::vector<double> values;
    std::vector<std::string> cells;
    while (next_line()) {
      if (rows_ > 0 && values.size() == static_cast<std::size_t>(rows_) * width) break;
      CH_TRY(const std::size_t count, cut(line_, cells));
      if (count != width)
        return wrong(cat("has ", count, count == 1 ? " cell" : " cells", " for ", width,
                         width == 1 ? " attribute" : " attributes"));
      for (std::size_t i = 0; i < width; ++i) {
        CH_TRY(const double value, read_cell(cells[i], i));
        values.push_back(value);
      }
    }
    if (values.empty()) return broken("it has no rows behind @DATA");
    sort_strings(values);
    table_.values = Tensor::of<double>(
        {static_cast<std::int64_t>(values.size() / width), static_cast<std::int64_t>(width)},
        values);
    return std::move(table_);
  }

 private:
  Error broken(const std::string& reason) const {
    return Error{.what = cat("'", name_, "' is not a readable ARFF file: ", reason),
                 .hint = "the file may be truncated or be something else; download it again"};
  }
  Error wrong(const std::string& reason) const {
    return Error{.what = cat("'", name_, "', line ", number_, " ", reason)};
  }

  /// The next line that is neither empty nor a comment.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = trim(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!line_.empty() && line_.front() != '%') return true;
    }
    return false;
  }

  Status read_header() {
    while (next_line()) {
      const std::size_t end = std::min(line_.find_first_of(" \t"), line_.size());
      const std::string_view word = line_.substr(0, end);
      std::string_view left = trim(line_.substr(end));
      if (equals_ignoring_case(word, "@data")) {
        if (table_.columns.empty()) return broken("it has no attributes");
        indices_.resize(table_.columns.size());
        for (std::size_t i = 0; i < indices_.size(); ++i)
          for (const std::string& category : table_.columns[i].categories)
            indices_[i].emplace(category, static_cast<double>(indices_[i].size()));
        return {};
      }
      if (equals_ignoring_case(word, "@relation")) {
        CH_TRY(table_.relation, take_word(left));
      } else if (equals_ignoring_case(word, "@attribute")) {
        CH_CHECK(read_attribute(left));
      } else {
        return wrong(cat("is '", shown_in_message(line_.substr(0, 40)),
                         "' where @RELATION, @ATTRIBUTE or @DATA is expected"));
      }
    }
    return broken("it has no @DATA");
  }

  Status read_attribute(std::string_view left) {
    if (table_.columns.size() == kMostAttributes)
      return wrong(cat("is attribute ", kMostAttributes + 1, ", which is too many"));
    ArffColumn column;
    CH_TRY(column.name, take_word(left));
    if (!names_.insert(column.name).second)
      return wrong(cat("names the attribute '", shown_in_message(column.name), "' twice"));
    left = trim(left);
    if (left.starts_with('{')) {
      if (!left.ends_with('}')) return wrong("does not close its list of values");
      column.is_text = true;
      CH_TRY(const std::size_t count, cut(left.substr(1, left.size() - 2), column.categories));
      column.categories.resize(count);
      std::sort(column.categories.begin(), column.categories.end());
      const auto twice = std::adjacent_find(column.categories.begin(), column.categories.end());
      if (twice != column.categories.end())
        return wrong(cat("has the value '", shown_in_message(*twice), "' twice"));
      declared_.push_back(true);
    } else {
      const bool text = equals_ignoring_case(left, "string");
      const bool number = equals_ignoring_case(left, "numeric") ||
                          equals_ignoring_case(left, "real") ||
                          equals_ignoring_case(left, "integer");
      if (!text && !number)
        return wrong(cat("has an attribute of type '", shown_in_message(left.substr(0, 40)),
                         "'; numeric, real, integer, string and {lists of values} are read"));
      column.is_text = text;
      declared_.push_back(!text);
    }
    table_.columns.push_back(std::move(column));
    return {};
  }

  /// A word, in quotes where it holds spaces, taken off the front.
  Result<std::string> take_word(std::string_view& left) const {
    if (left.empty()) return wrong("ends where a name is expected");
    if (left.front() != '\'' && left.front() != '"') {
      const std::size_t end = std::min(left.find_first_of(" \t{"), left.size());
      std::string word(left.substr(0, end));
      left.remove_prefix(end);
      if (word.empty()) return wrong("has no name");
      return word;
    }
    std::string word;
    CH_CHECK(take_quoted(left, word));
    return word;
  }

  /// Appends what stands in the quotes at the front of `left`; a backslash keeps the next
  /// character.
  Status take_quoted(std::string_view& left, std::string& word) const {
    const char quote = left.front();
    for (std::size_t i = 1; i < left.size(); ++i) {
      if (left[i] == quote) {
        left.remove_prefix(i + 1);
        return {};
      }
      if (left[i] == '\\' && i + 1 < left.size()) ++i;
      word += left[i];
    }
    return wrong("has a quote that is not closed");
  }

  /// The cells of a line, in the first elements of `cells`, whose memory is used again.
  Result<std::size_t> cut(std::string_view line, std::vector<std::string>& cells) const {
    if (line.starts_with('{'))
      return Error{.what = cat("'", name_, "', line ", number_, " is a sparse row"),
                   .hint = "only rows with all cells are read"};
    std::size_t count = 0;
    while (true) {
      if (count == cells.size()) cells.emplace_back();
      std::string& cell = cells[count++];
      cell.clear();
      line = trim(line);
      if (line.starts_with('\'') || line.starts_with('"')) {
        CH_CHECK(take_quoted(line, cell));
        line = trim(line);
        if (!line.empty() && line.front() != ',')
          return wrong(cat("has something behind the quotes of cell ", count));
      } else {
        const std::size_t end = std::min(line.find(','), line.size());
        cell = trim(line.substr(0, end));
        line.remove_prefix(end);
      }
      if (line.empty()) return count;
      line.remove_prefix(1);
    }
  }

  Result<double> read_cell(const std::string& cell, std::size_t column) {
    const ArffColumn& attribute = table_.columns[column];
    const auto here = [&] {
      return cat("has '", shown_in_message(std::string_view(cell).substr(0, 40)),
                 "' for the attribute '", shown_in_message(attribute.name), "'");
    };
    double value = 0;
    if (!attribute.is_text) {
      if (parse_arff_number(cell, value)) return value;
      return wrong(here() + ", which is not a number");
    }
    auto found = indices_[column].find(cell);
    if (found == indices_[column].end()) {
      if (declared_[column] || cell == "?")
        return wrong(here() + ", which is not one of its values");
      found = indices_[column].emplace(cell, static_cast<double>(indices_[column].size())).first;
    }
    return found->second;
  }

  /// Texts that were numbered as they came are numbered in sorted order.
  void sort_strings(std::vector<double>& values) {
    const std::size_t width = table_.columns.size();
    for (std::size_t i = 0; i < width; ++i) {
      if (declared_[i]) continue;
      std::vector<double> rank(indices_[i].size());
      for (const auto& [text, index] : indices_[i]) {
        rank[static_cast<std::size_t>(index)] =
            static_cast<double>(table_.columns[i].categories.size());
        table_.columns[i].categories.push_back(text);
      }
      for (std::size_t at = i; at < values.size(); at += width)
        values[at] = rank[static_cast<std::size_t>(values[at])];
    }
  }

  std::string_view rest_;
  std::string_view line_;
  const std::string& name_;
  std::int64_t rows_;
  std::int64_t number_ = 0;  ///< of the line
  ArffTable table_;
  std::unordered_set<std::string> names_;  ///< of the attributes
  std::vector<bool> declared_;             ///< the column's texts, if any, stand in the header
  std::vector<std::map<std::string, double>> indices_;
};

}  // namespace

Result<ArffTable> parse_arff(std::string_view text, const std::string& name, std::int64_t rows) {
  return ArffParser(text, name, rows).read();
}

Result<ArffTable> read_arff(const std::filesystem::path& path, std::int64_t rows) {
  CH_TRY(const MappedFile file, MappedFile::open(path));
  return parse_arff(file.text(), path.string(), rows);
}

}  // namespace chop::io
