#include "config/toml.hpp"

#include <toml++/toml.h>

#include <cctype>
#include <sstream>

#include "support/text.hpp"

namespace chop::config {
namespace {

Tree tree_of(const toml::node& node);

/// Where a node was first written; tables made by their children alone stand where those do.
std::uint64_t first_position(const toml::node& node) {
  const toml::source_position at = node.source().begin;
  std::uint64_t position = std::numeric_limits<std::uint64_t>::max();
  if (at.line > 0) position = (std::uint64_t{at.line} << 32) | at.column;
  if (const toml::table* table = node.as_table())
    for (const auto& [key, value] : *table) {
      const toml::source_position written = key.source().begin;
      if (written.line > 0)
        position = std::min(position, (std::uint64_t{written.line} << 32) | written.column);
      position = std::min(position, first_position(value));
    }
  return position;
}

Tree table_of(const toml::table& table) {
  struct Entry {
    std::uint64_t position;
    std::string key;
    const toml::node* node;
  };
  std::vector<Entry> entries;  // toml++ sorts by name
  for (const auto& [key, node] : table)
    entries.push_back({first_position(node), std::string(key.str()), &node});
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.position < b.position; });
  Tree::Table tree;
  for (const Entry& entry : entries) tree.emplace_back(entry.key, tree_of(*entry.node));
  return tree;
}

Tree value_of(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* text = node.as_string()) return text->get() == "NA" ? Tree() : Tree(text->get());
  if (const toml::table* table = node.as_table()) return table_of(*table);
  if (const toml::array* array = node.as_array()) {
    Tree list = Tree::list();
    for (const toml::node& item : *array) list.push(tree_of(item));
    return list;
  }
  std::ostringstream moment;
  if (const auto* date = node.as_date()) moment << date->get();
  if (const auto* time = node.as_time()) moment << time->get();
  if (const auto* both = node.as_date_time()) moment << both->get();
  return moment.str();
}

Tree tree_of(const toml::node& node) {
  Tree tree = value_of(node);
  const std::uint64_t position = first_position(node);
  if (position != std::numeric_limits<std::uint64_t>::max())
    tree.line = static_cast<int>(position >> 32);
  return tree;
}

/// Looks for what no person writes before toml++ sees it: the library takes a stack frame for every
/// part of a dotted key, and messages quote names whole. Knows comments and strings.
class TomlScanner {
 public:
  TomlScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Status check() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      } else if (c == '"' || c == '\'') {
        CH_CHECK(skip_string(c));
        continue;
      }
      if (text_[at_] == '\n') ++line_;
      if (c == '.' && ++dots_ >= kMostParts)
        return refuse(cat("a key of more than ", kMostParts, " parts"));
      const bool bare = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
      if (!bare && c != '.' && c != ' ' && c != '\t') dots_ = 0;
      word_ = bare ? word_ + 1 : 0;
      if (word_ > kLongest) return refuse(cat("a name of more than ", kLongest, " characters"));
    }
    return {};
  }

 private:
  static constexpr std::size_t kLongest = 4096;
  static constexpr int kMostParts = 100;

  Error refuse(const std::string& what) const {
    return Error{.what = cat("'", file_, "' is refused: it has ", what),
                 .notes = {cat(file_, ":", line_)}};
  }

  /// From the opening quotes to the last closing one, or to the end of a text that has none.
  Status skip_string(char quote) {
    const std::string three(3, quote);
    const bool many_lines = text_.substr(at_, 3) == three;
    const std::size_t begin = at_ + (many_lines ? 3 : 1);
    for (at_ = begin; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\n' && !many_lines) break;  // toml++ says what is wrong with it
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (text_[at_] == quote && (!many_lines || text_.substr(at_, 3) == three)) {
        at_ += many_lines ? 2 : 0;
        break;
      }
    }
    if (at_ > begin + kLongest) return refuse(cat("a text of more than ", kLongest, " characters"));
    word_ = 0;
    return {};
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t word_ = 0;  ///< length of the bare word so far
  int dots_ = 0;          ///< of the dotted key so far
  int line_ = 1;
};

/// What the parser says, but for the one sentence in which it names a macro of its own.
std::string why(const toml::parse_error& failure) {
  const std::string_view said = failure.description();
  if (said.find("TOML_MAX_NESTED_VALUES") == said.npos) return std::string(said);
  return cat("arrays and tables nested more than ", TOML_MAX_NESTED_VALUES, " deep");
}

std::optional<Tree> parse_value(const std::string& text) {
  try {
    const toml::table parsed = toml::parse(cat("x = ", text));
    Tree tree = tree_of(*parsed.get("x"));
    tree.line = 0;
    return tree;
  } catch (const toml::parse_error&) {
    return {};
  }
}

}  // namespace

Tree read_word(const std::string& text) {
  if (text == "NA") return {};
  if (text == "True" || text == "False") return text == "True";
  if (const std::optional<Tree> value = parse_value(text)) return *value;
  if (text.find(',') == std::string::npos) return text;
  Tree list = Tree::list();
  for (const std::string& part : split(text, ',')) list.push(read_word(std::string(trim(part))));
  return list;
}

Result<Tree> parse_toml(std::string_view text, const std::string& file) {
  CH_CHECK(TomlScanner(text, file).check());
  try {
    return tree_of(toml::parse(text, file));
  } catch (const toml::parse_error& failure) {
    const toml::source_position at = failure.source().begin;
    return Error{.what = cat("'", file, "' is not valid TOML: ", why(failure)),
                 .notes = {cat(file, ":", at.line, ":", at.column)}};
  }
}

Result<Tree> read_words(std::span<const std::string> words) {
  Tree root = Tree::table();
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    Tree* table = &root;
    const std::vector<std::string> keys = split(std::string_view(word).substr(0, equals), '.');
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      Tree* inner = table->find(keys[i]);
      if (inner == nullptr) inner = &table->set(keys[i], Tree::table());
      if (inner->as_table() == nullptr)
        return Error{.what = cat("'", word, "': ", keys[i], " already has a value"),
                     .hint = "a name is either a value or a table"};
      table = inner;
    }
    table->set(keys.back(), read_word(word.substr(equals + 1)));
  }
  return root;
}

}  // namespace chop::config
