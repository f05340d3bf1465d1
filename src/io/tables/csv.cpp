// One pass over the text, line by line and cell by cell; numbers are read by from_chars, to the
// bit.
#include "io/tables/csv.hpp"

#include <charconv>
#include <cstdlib>
#include <unordered_map>

#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::io {

bool parse_number(std::string_view cell, double& value) {
  if (cell.starts_with('+')) {
    cell.remove_prefix(1);
    if (cell.starts_with('-')) return false;
  }
  const char* end = cell.data() + cell.size();
  const auto [stop, code] = std::from_chars(cell.data(), end, value);
  if (stop != end || code == std::errc::invalid_argument) return false;
  // Beyond the range from_chars gives no value; strtod answers infinity or zero, like Python.
  if (code == std::errc::result_out_of_range)
    value = std::strtod(std::string(cell).c_str(), nullptr);
  return true;
}

namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, std::string_view name, const CsvOptions& options)
      : text_(text), name_(name), options_(options) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    rest_ = text_;
  }

  Result<CsvTable> read() {
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
      return Error{.what = cat("'", name_, "' is text in UTF-16"), .hint = "save it as UTF-8"};
    CH_TRY(const bool any, next_line());
    if (!any)
      return Error{.what = cat("'", name_, "' holds no data"), .hint = "one sample per line"};
    count_ = cells_.size();
    first_line_ = line_;
    if (is_header()) {
      for (const std::string_view cell : cells_) table_.columns.emplace_back(cell);
      if (options_.text_column) table_.text_column = options_.text_column(count_, table_.columns);
      CH_TRY(const bool more, next_line());
      if (!more) return Error{.what = cat("'", name_, "' holds a header line but no data")};
    } else if (options_.text_column) {
      table_.text_column = options_.text_column(count_, {});
    }
    assert(table_.text_column.value_or(0) < count_ && "the text column is one of the columns");
    return options_.dtype == DType::F32 ? read_rows<float>() : read_rows<double>();
  }

 private:
  std::string position(std::size_t column) const {
    std::string text = cat("line ", line_, ", column ", column + 1);
    if (column < table_.columns.size()) text += cat(" ('", table_.columns[column], "')");
    return text;
  }

  bool is_header() const {
    std::size_t may_be_text = count_;
    if (options_.text_column && count_ > 1) may_be_text = options_.text_column(count_, {});
    double ignored = 0;
    for (std::size_t i = 0; i < count_; ++i)
      if (i != may_be_text && !cells_[i].empty() && !parse_number(cells_[i], ignored)) return true;
    return false;
  }

  /// Cuts the next line that is not empty into cells_; false at the end of the file.
  Result<bool> next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = trim_end(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (line.empty()) continue;
      CH_CHECK(cut(line));
      return true;
    }
    return false;
  }

  static std::string_view trim_end(std::string_view line) {
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    return line;
  }

  Status cut(std::string_view line) {
    cells_.clear();
    while (true) {
      while (line.starts_with(' ')) line.remove_prefix(1);
      if (line.starts_with('"')) {
        const std::size_t close = line.find('"', 1);
        if (close == std::string_view::npos) return quote_error();
        cells_.push_back(line.substr(1, close - 1));
        line.remove_prefix(close + 1);
        while (line.starts_with(' ')) line.remove_prefix(1);
        if (!line.empty() && line.front() != options_.separator) return quote_error();
      } else {
        const std::size_t end = std::min(line.find(options_.separator), line.size());
        cells_.push_back(trim_end(line.substr(0, end)));
        line.remove_prefix(end);
      }
      if (line.empty()) return {};
      line.remove_prefix(1);
    }
  }

  Error quote_error() const {
    return Error{.what = cat("'", name_, "', ", position(cells_.size()),
                             ": a quote is not closed before the end of the cell")};
  }

  template <class T>
  Result<CsvTable> read_rows() {
    // Every cell takes a character and a separator, so this bounds the rows whatever the
    // file claims.
    const auto lines = std::count(text_.begin(), text_.end(), '\n') + 1;
    const auto fitting = static_cast<std::ptrdiff_t>(text_.size() / (2 * count_ - 1)) + 1;
    std::ptrdiff_t left = std::min(lines, fitting);
    if (options_.rows > 0) left = std::min<std::ptrdiff_t>(left, options_.rows);
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(left) * count_);
    while (true) {
      if (cells_.size() != count_) return count_error();
      for (std::size_t i = 0; i < count_; ++i) {
        double value = 0;
        if (table_.text_column == i && !cells_[i].empty()) {
          value = text_cell(cells_[i]);
        } else if (!parse_number(cells_[i], value)) {
          return number_error(i);
        }
        values.push_back(static_cast<T>(value));
      }
      CH_TRY(const bool more, next_line());
      if (!more) break;
      if (options_.rows > 0 && values.size() == static_cast<std::size_t>(options_.rows) * count_) {
        CH_CHECK(read_more_labels());
        break;
      }
    }
    if (table_.text_column && !numeric_labels_) sort_categories(values);
    if (table_.text_column && numeric_labels_) number_categories(values);
    const auto rows = static_cast<std::int64_t>(values.size() / count_);
    table_.values = Tensor::of<T>({rows, static_cast<std::int64_t>(count_)}, values);
    return std::move(table_);
  }

  /// The labels from this line on, and nothing else.
  Status read_more_labels() {
    if (!table_.text_column) return {};
    while (true) {
      if (cells_.size() != count_) return count_error();
      if (cells_[*table_.text_column].empty()) return number_error(*table_.text_column);
      table_.more_labels.push_back(text_cell(cells_[*table_.text_column]));
      CH_TRY(const bool more, next_line());
      if (!more) return {};
    }
  }

  /// The index of the text among those read so far.
  double text_cell(std::string_view cell) {
    const auto [found, is_new] = seen_.try_emplace(std::string(cell), texts_.size());
    if (is_new) {
      texts_.emplace_back(cell);
      double value = 0;
      numeric_labels_ = parse_number(cell, value) && numeric_labels_;
      numbers_.push_back(value);
    }
    return static_cast<double>(found->second);
  }

  template <class T>
  void number_categories(std::vector<T>& values) {
    for (std::size_t i = *table_.text_column; i < values.size(); i += count_)
      values[i] = static_cast<T>(numbers_[static_cast<std::size_t>(values[i])]);
    for (double& label : table_.more_labels) label = numbers_[static_cast<std::size_t>(label)];
  }

  template <class T>
  void sort_categories(std::vector<T>& values) {
    table_.categories = texts_;
    std::sort(table_.categories.begin(), table_.categories.end());
    std::vector<T> rank(texts_.size());
    for (std::size_t i = 0; i < table_.categories.size(); ++i)
      rank[seen_.at(table_.categories[i])] = static_cast<T>(i);
    for (std::size_t i = *table_.text_column; i < values.size(); i += count_)
      values[i] = rank[static_cast<std::size_t>(values[i])];
    for (double& label : table_.more_labels)
      label = static_cast<double>(rank[static_cast<std::size_t>(label)]);
  }

  Error count_error() const {
    return Error{.what = cat("'", name_, "', line ", line_, " has ", cells_.size(),
                             cells_.size() == 1 ? " column" : " columns", " where line ",
                             first_line_, " has ", count_),
                 .hint = "every line needs the same number of cells, separated by commas"};
  }

  Error number_error(std::size_t column) const {
    const std::string_view cell = cells_[column];
    if (cell.empty())
      return Error{.what = cat("'", name_, "', ", position(column), ": the cell is empty"),
                   .hint = "fill in a number or leave the whole line out"};
    return Error{.what = cat("'", name_, "', ", position(column), ": '", cell.substr(0, 40),
                             "' is not a number"),
                 .hint = options_.text_column
                             ? "text is allowed in the header line and in the label column only"
                             : "text is allowed in the header line only"};
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view name_;
  const CsvOptions& options_;
  CsvTable table_;
  std::vector<std::string_view> cells_;
  std::size_t count_ = 0;
  std::int64_t line_ = 0;
  std::int64_t first_line_ = 0;
  std::unordered_map<std::string, std::size_t> seen_;
  std::vector<std::string> texts_;
  std::vector<double> numbers_;
  bool numeric_labels_ = true;
};

}  // namespace

Result<CsvTable> parse_csv(std::string_view text, std::string_view name,
                           const CsvOptions& options) {
  assert((options.dtype == DType::F64 || options.dtype == DType::F32) && "a table of reals");
  return CsvParser(text, name, options).read();
}

Result<CsvTable> read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  CH_TRY(const MappedFile file, MappedFile::open(path));
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  return parse_csv(text, path.string(), options);
}

}  // namespace chop::io
