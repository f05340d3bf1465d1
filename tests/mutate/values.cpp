// Changed numbers, words and trees.
#include <limits>
#include <map>

#include "formats/registry.hpp"
#include "mutate/mutators.hpp"
#include "ops/core/registry.hpp"

namespace chop::mutate {
namespace {

/// What stands in a tree: all texts, and the values that have the same key, where a value of one
/// place is most likely to be taken in another.
struct Pool {
  Words words;
  std::map<std::string, std::vector<Tree>> by_key;

  void collect(const Tree& tree, const std::string& key) {
    if (const std::string* text = tree.as_text()) words.push_back(*text);
    by_key[key].push_back(tree);
    if (const Tree::List* items = tree.as_list())
      for (const Tree& item : *items) collect(item, key + "[]");
    if (const Tree::Table* entries = tree.as_table())
      for (const auto& [inside, value] : *entries) {
        words.push_back(inside);
        collect(value, inside);
      }
  }
};

std::size_t count(const Tree& tree) {
  std::size_t values = 1;
  if (const Tree::List* items = tree.as_list())
    for (const Tree& item : *items) values += count(item);
  if (const Tree::Table* entries = tree.as_table())
    for (const auto& entry : *entries) values += count(entry.second);
  return values;
}

/// The tree again, with one change at the value that `left` counts down to.
class Rebuild {
 public:
  Rebuild(std::size_t left, const Pool& pool, Random& random)
      : left_(left), pool_(pool), words_(pool.words), random_(random) {}

  Tree of(const Tree& tree, const std::string& key) {
    if (left_-- == 0) return random_.one_in(2) ? random_.of(pool_.by_key.at(key)) : changed(tree);
    if (const Tree::List* items = tree.as_list()) {
      Tree::List list;
      for (const Tree& item : *items) list.push_back(of(item, key + "[]"));
      return list;
    }
    if (const Tree::Table* entries = tree.as_table()) {
      Tree::Table table;
      for (const auto& [inside, value] : *entries) table.emplace_back(inside, of(value, inside));
      return table;
    }
    return tree;
  }

 private:
  Tree scalar() {
    switch (random_.below(5)) {
      case 0:
        return changed_number(std::int64_t{1}, random_);
      case 1:
        return changed_number(1.0, random_);
      case 2:
        return random_.one_in(2);
      case 3:
        return Tree();
      default:
        return changed_word("", words_, random_);
    }
  }

  Tree changed(const Tree& tree) {
    if (random_.one_in(30)) return random_.one_in(3) ? Tree(Tree::List{scalar()}) : scalar();
    if (const bool* flag = tree.as_flag()) return !*flag;
    if (const std::int64_t* whole = tree.as_integer()) return changed_number(*whole, random_);
    if (const double* real = tree.as_real()) return changed_number(*real, random_);
    if (const std::string* text = tree.as_text()) return changed_word(*text, words_, random_);
    if (const Tree::List* items = tree.as_list()) return changed_list(*items);
    if (const Tree::Table* entries = tree.as_table()) return changed_table(*entries);
    return scalar();
  }

  Tree changed_list(Tree::List items) {
    if (items.empty()) return Tree::List{scalar()};
    const auto at = items.begin() + static_cast<std::ptrdiff_t>(random_.below(items.size()));
    switch (random_.below(5)) {
      case 0:
        items.erase(at);
        break;
      case 1:
        items.push_back(*at);
        break;
      case 2:
        std::swap(*at, items[random_.below(items.size())]);
        break;
      case 3:
        items.clear();
        break;
      default:
        items.push_back(scalar());
    }
    return items;
  }

  Tree changed_table(Tree::Table entries) {
    if (entries.empty()) return Tree::Table{{changed_word("", words_, random_), scalar()}};
    auto& [key, value] = entries[random_.below(entries.size())];
    switch (random_.below(4)) {
      case 0:
        entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(random_.below(entries.size())));
        break;
      case 1:
        std::swap(value, entries[random_.below(entries.size())].second);
        break;
      case 2:
        key = changed_word(key, words_, random_);
        break;
      default:
        entries.emplace_back(changed_word("", words_, random_), Tree(value));
    }
    return entries;
  }

  std::size_t left_;
  const Pool& pool_;
  const Words& words_;
  Random& random_;
};

}  // namespace

const Words& known_words() {
  static const Words words = [] {
    Words all = {"placeholder",
                 "get_attr",
                 "output",
                 "call_function",
                 "call_method",
                 "call_module",
                 "data_in_0",
                 "data_in_1",
                 "weight",
                 "bias",
                 "data_out_0",
                 "data_out_1",
                 "f32",
                 "f64",
                 "f16",
                 "bf16",
                 "i64",
                 "i32",
                 "i8",
                 "u8",
                 "bool",
                 "shape",
                 "dtype",
                 "names",
                 "float",
                 "config",
                 "NA",
                 "none",
                 "all",
                 "nan",
                 "inf",
                 "../x",
                 "",
                 "same",
                 "bits",
                 "real",
                 "\x1B[31m",
                 "\xF4\x8F\xBA\x80"};
    for (const OpDef& op : all_ops()) {
      all.emplace_back(op.name);
      for (const Field& attr : op.attrs) all.emplace_back(attr.name);
      for (const OnnxName& name : op.onnx) all.emplace_back(name.op_type);
    }
    for (const FormatDef& format : all_formats()) {
      all.emplace_back(format.name);
      for (const Field& key : format.keys) all.emplace_back(key.name);
    }
    return all;
  }();
  return words;
}

std::int64_t changed_number(std::int64_t value, Random& random) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  switch (random.below(16)) {
    case 0:
      return 0;
    case 1:
      return -1;
    case 2:
      return 1;
    case 3:
      return value == kMost ? 0 : value + 1;
    case 4:
      return value == -kMost - 1 ? 0 : value - 1;
    case 5:
      return value / 2;
    case 6:
      return value < (kMost >> 1) && value > -(kMost >> 1) ? value * 2 : 2;
    case 7:
      return value == -kMost - 1 ? kMost : -value;
    case 8:
      return std::int64_t{1} << 31;
    case 9:
      return std::int64_t{1} << 40;
    case 10:
      return kMost;
    case 11:
      return -kMost - 1;
    case 12:
      return std::int64_t{1} << random.below(63);
    default:
      return static_cast<std::int64_t>(random.below(20));
  }
}

double changed_number(double value, Random& random) {
  switch (random.below(10)) {
    case 0:
      return 0;
    case 1:
      return -0.0;
    case 2:
      return -value;
    case 3:
      return value * 2;
    case 4:
      return value / 3;
    case 5:
      return 1e300;
    case 6:
      return 5e-324;
    case 7:
      return value + 1;
    case 8:
      return -1e-9;
    default:
      return static_cast<double>(random.below(1000));
  }
}

std::string changed_word(const std::string& word, const Words& words, Random& random) {
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return words.empty() ? word : random.of(words);
    case 3:
    case 4:
    case 5:
      return random.of(known_words());
    case 6:
      return mutate_bytes(word, random);
    default:
      return word + (words.empty() ? "x" : random.of(words));
  }
}

Tree changed_tree(const Tree& tree, Random& random) {
  Pool pool;
  pool.collect(tree, "");
  return Rebuild(random.below(count(tree)), pool, random).of(tree, "");
}

}  // namespace chop::mutate
