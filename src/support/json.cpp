#include "support/json.hpp"

#include <nlohmann/json.hpp>

#include "support/escape.hpp"

namespace chop::support {
namespace {

using Library = nlohmann::json;

/// The handler of the library's SAX parser: builds the Tree with a stack of open lists and tables.
class TreeBuilder {
 public:
  // The names and signatures are the library's.
  bool null() { return add(Tree()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
      return fail(cat(value, " does not fit 64 bits"));
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Library::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(Tree::Table()); }
  bool key(std::string& name) {
    keys_.back() = std::move(name);
    return true;
  }
  bool end_object() { return check_keys(std::get<Tree::Table>(open_.back())) && close(); }
  bool start_array(std::size_t /*size*/) { return open(Tree::List()); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const Library::exception& /*error*/) {
    return false;
  }

  Tree take() { return std::move(root_); }
  const std::string& problem() const { return problem_; }

 private:
  using Open = std::variant<Tree::List, Tree::Table>;

  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  bool add(Tree value) {
    if (open_.empty())
      root_ = std::move(value);
    else if (auto* items = std::get_if<Tree::List>(&open_.back()))
      items->push_back(std::move(value));
    else
      std::get<Tree::Table>(open_.back()).emplace_back(std::move(keys_.back()), std::move(value));
    return true;
  }

  bool open(Open empty) {
    if (open_.size() >= kDeepestJson)
      return fail(cat("it is nested more than ", kDeepestJson, " levels deep"));
    open_.push_back(std::move(empty));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    if (auto* items = std::get_if<Tree::List>(&done)) return add(std::move(*items));
    return add(std::move(std::get<Tree::Table>(done)));
  }

  bool check_keys(const Tree::Table& entries) {
    std::vector<std::string_view> names;
    names.reserve(entries.size());
    for (const auto& entry : entries) names.push_back(entry.first);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return true;
    return fail(cat("the key ", in_quotes(*twice), " stands in it twice"));
  }

  Tree root_;
  std::vector<Open> open_;
  std::vector<std::string> keys_;  ///< of each open table: the one whose value comes next
  std::string problem_;
};

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Tree& tree) {
    if (const bool* flag = tree.as_flag())
      text_ += *flag ? "true" : "false";
    else if (const std::int64_t* whole = tree.as_integer())
      text_ += std::to_string(*whole);
    else if (const double* real = tree.as_real())
      text_ += Library(*real).dump();
    else if (const std::string* text = tree.as_text())
      write_text(*text);
    else if (const Tree::List* items = tree.as_list())
      write_all('[', *items, ']', [&](const Tree& item) { write(item); });
    else if (const Tree::Table* entries = tree.as_table())
      write_all('{', *entries, '}', [&](const auto& entry) {
        write_text(entry.first);
        text_ += indent_ < 0 ? ":" : ": ";
        write(entry.second);
      });
    else
      text_ += "null";
  }

  std::string take() { return std::move(text_); }

 private:
  void write_text(const std::string& text) {
    text_ += Library(text).dump(-1, ' ', false, Library::error_handler_t::replace);
  }

  void new_line() {
    if (indent_ < 0) return;
    text_ += '\n';
    text_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  template <class Items, class Write>
  void write_all(char open, const Items& items, char close, Write write_one) {
    text_ += open;
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) text_ += ',';
      new_line();
      write_one(items[i]);
    }
    --depth_;
    if (!items.empty()) new_line();
    text_ += close;
  }

  int indent_;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace

Result<Tree> parse_json(std::string_view text, std::string_view what) {
  TreeBuilder builder;
  if (Library::sax_parse(text.begin(), text.end(), &builder)) return builder.take();
  if (builder.problem().empty()) return Error{.what = cat(what, " is not valid JSON")};
  return Error{.what = cat(what, ": ", builder.problem())};
}

std::string to_json(const Tree& tree, int indent) {
  Writer writer(indent);
  writer.write(tree);
  return writer.take();
}

}  // namespace chop::support
