#include "compat/python_pprint.hpp"

#include "support/display.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::compat {
namespace {

using Entry = std::pair<std::string, Tree>;

std::vector<const Entry*> entries_of(const Tree::Table& table, bool sorted) {
  std::vector<const Entry*> entries;
  for (const Entry& entry : table) entries.push_back(&entry);
  if (sorted)
    std::sort(entries.begin(), entries.end(),
              [](const Entry* a, const Entry* b) { return a->first < b->first; });
  return entries;
}

int width_of(std::string_view text) {
  return static_cast<int>(display_pieces(text).size());
}

bool is_blank(char c) {
  return (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f') || c == ' ';
}

bool ends_line(char c) {
  return (c >= '\n' && c <= '\r') || (c >= '\x1c' && c <= '\x1e');
}

/// str.splitlines(True).
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!ends_line(text[i])) continue;
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    lines.emplace_back(text.substr(start, i + 1 - start));
    start = i + 1;
  }
  if (start < text.size()) lines.emplace_back(text.substr(start));
  return lines;
}

/// Words with the blanks behind them.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t start = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    while (i < line.size() && is_blank(line[i])) ++i;
    words.emplace_back(line.substr(start, i - start));
  }
  return words;
}

class Printer {
 public:
  explicit Printer(const PythonPrint& options) : options_(options) {}

  /// `indent`: the column we are in. `allowance`: what must fit behind on the last line.
  void print(const Tree& tree, int indent, int allowance, int level) {
    const std::string repr = repr_of_tree(tree, options_, true);
    if (width_of(repr) <= options_.width - indent - allowance) {
      out_ += repr;
    } else if (const Tree::Table* table = tree.as_table()) {
      print_table(*table, indent, allowance + 1, level + 1);
    } else if (const Tree::List* list = tree.as_list()) {
      print_list(*list, indent, allowance + 1, level + 1);
    } else if (tree.as_text() != nullptr && !is_bare(*tree.as_text())) {
      print_text(*tree.as_text(), indent, allowance, level == 0);
    } else {
      out_ += repr;
    }
  }

  std::string take() { return std::move(out_); }

 private:
  bool is_bare(std::string_view text) const {
    return options_.is_bare != nullptr && options_.is_bare(text);
  }

  void next_line(int indent) {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent), ' ');
  }

  void print_table(const Tree::Table& table, int indent, int allowance, int level) {
    out_ += '{';
    ++indent;
    bool first = true;
    const auto entries = entries_of(table, true);
    for (const Entry* entry : entries) {
      if (!first) {
        out_ += ',';
        next_line(indent);
      }
      first = false;
      const std::string key = in_python_quotes(entry->first);
      out_ += key + ": ";
      print(entry->second, indent + width_of(key) + 2, entry == entries.back() ? allowance : 1,
            level);
    }
    out_ += '}';
  }

  void print_list(const Tree::List& list, int indent, int allowance, int level) {
    out_ += '[';
    ++indent;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) {
        out_ += ',';
        next_line(indent);
      }
      print(list[i], indent, i + 1 == list.size() ? allowance : 1, level);
    }
    out_ += ']';
  }

  void print_text(const std::string& text, int indent, int allowance, bool outermost) {
    if (outermost) {
      ++indent;
      ++allowance;
    }
    const std::vector<std::string> chunks = break_text(text, options_.width - indent, allowance);
    if (chunks.size() <= 1) {
      out_ += chunks.empty() ? "''" : chunks[0];
      return;
    }
    if (outermost) out_ += '(';
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (i > 0) next_line(indent);
      out_ += chunks[i];
    }
    if (outermost) out_ += ')';
  }

  /// Parts in quotes, none wider than `width`, the last with `allowance` to spare.
  static std::vector<std::string> break_text(const std::string& text, int width, int allowance) {
    std::vector<std::string> chunks;
    const std::vector<std::string> lines = lines_of(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool last_line = i + 1 == lines.size();
      std::string repr = in_python_quotes(lines[i]);
      if (width_of(repr) <= width - (last_line ? allowance : 0)) {
        chunks.push_back(std::move(repr));
      } else {
        break_line(lines[i], width, last_line ? allowance : 0, chunks);
      }
    }
    return chunks;
  }

  static void break_line(const std::string& line, int width, int allowance,
                         std::vector<std::string>& chunks) {
    std::string current;
    const std::vector<std::string> words = words_of(line);
    for (std::size_t j = 0; j < words.size(); ++j) {
      const int room = j + 1 == words.size() ? width - allowance : width;
      if (width_of(in_python_quotes(current + words[j])) > room) {
        if (!current.empty()) chunks.push_back(in_python_quotes(current));
        current = words[j];
      } else {
        current += words[j];
      }
    }
    if (!current.empty()) chunks.push_back(in_python_quotes(current));
  }

  const PythonPrint& options_;
  std::string out_;
};

}  // namespace

std::string repr_of_tree(const Tree& tree, const PythonPrint& options, bool sort_keys) {
  if (tree.is_null()) return "None";
  if (const bool* flag = tree.as_flag()) return *flag ? "True" : "False";
  if (const std::int64_t* whole = tree.as_integer()) return std::to_string(*whole);
  if (const double* real = tree.as_real()) return python_repr(*real);
  if (const std::string* text = tree.as_text())
    return options.is_bare != nullptr && options.is_bare(*text) ? *text : in_python_quotes(*text);
  std::vector<std::string> parts;
  if (const Tree::List* list = tree.as_list()) {
    for (const Tree& item : *list) parts.push_back(repr_of_tree(item, options, sort_keys));
    return cat("[", join(parts, ", "), "]");
  }
  for (const Entry* entry : entries_of(*tree.as_table(), sort_keys))
    parts.push_back(
        cat(in_python_quotes(entry->first), ": ", repr_of_tree(entry->second, options, sort_keys)));
  return cat("{", join(parts, ", "), "}");
}

std::string python_pformat(const Tree& tree, const PythonPrint& options) {
  Printer printer(options);
  printer.print(tree, 0, 0, 0);
  return printer.take();
}

}  // namespace chop::compat
