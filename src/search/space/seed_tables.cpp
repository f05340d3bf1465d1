// Which [search.search_space.seed.KEY.config] is for which node.
#include "ops/core/registry.hpp"
#include "search/space/format_keys.hpp"
#include "search/space/quantise_space.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

constexpr std::string_view kDefault = "default";

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const NodeId id : graph.order())
    if (is_quantisable(graph.node(id))) names.push_back(graph.node(id).name);
  return names;
}

std::vector<std::string> quantisable_ops() {
  std::vector<std::string> names;
  for (const OpDef& op : all_ops())
    if (!op.quantisable.empty()) names.emplace_back(op.name);
  return names;
}

bool is_type(const std::string& key) {
  const std::vector<std::string> known = quantisable_ops();
  return std::find(known.begin(), known.end(), key) != known.end();
}

Status check_name(const std::string& key, const Graph& graph, std::string& note) {
  const std::vector<std::string> known = names_of(graph);
  if (std::find(known.begin(), known.end(), key) != known.end()) return {};
  if (is_type(key)) {
    note = "names a type of nodes; by = \"name\" looks for nodes, so it is for none";
    return {};
  }
  const bool exists = graph.find(key).has_value();
  return Error{.what = exists ? "this node carries no number formats" : "no such node",
               .hint = cat(did_you_mean(key, known), "the nodes are ", join(known, ", "))};
}

Status check_type(const std::string& key, const Graph& graph, std::string& note) {
  if (!is_type(key)) {
    const std::vector<std::string> known = quantisable_ops();
    return Error{.what = "no such type of nodes",
                 .hint = cat(did_you_mean(key, known), "the types are ", join(known, ", "))};
  }
  for (const NodeId id : graph.order())
    if (is_quantisable(graph.node(id)) && graph.node(id).op == key) return {};
  note = "the network has no node of this type";
  return {};
}

Result<Pattern> read_pattern(const std::string& key, const Graph& graph) {
  CH_TRY(Pattern pattern, Pattern::compile(key));
  const std::vector<std::string> names = names_of(graph);
  if (std::any_of(names.begin(), names.end(),
                  [&](const std::string& name) { return pattern.matches(name); }))
    return pattern;
  return Error{.what = "matches the name of no node",
               .hint = cat("the whole name must match; the nodes are ", join(names, ", "))};
}

}  // namespace

Result<SeedTables> SeedTables::read(const Tree& seed, SelectBy by, const Graph& graph,
                                    const ArgSource& source) {
  SeedTables made;
  made.by_ = by;
  made.seed_ = &seed;
  for (const auto& [key, table] : *seed.as_table()) {
    const std::string path = cat(source.path, ".", key);
    CH_CHECK(check_key_table(key, table, source));
    std::string note;
    Status known;
    if (key == kDefault)
      known = {};
    else if (by == SelectBy::Name)
      known = check_name(key, graph, note);
    else if (by == SelectBy::Type)
      known = check_type(key, graph, note);
    else if (Result<Pattern> pattern = read_pattern(key, graph); pattern)
      made.patterns_.emplace(key, std::move(pattern).value());
    else
      known = std::move(pattern).failure();
    if (!known) {
      Error error = std::move(known).error();
      error.what = cat(path, ": ", error.what);
      return at_line(std::move(error), source, table.line);
    }
    if (!note.empty()) made.notes_.push_back(cat(path, " ", note));
  }
  return made;
}

std::string SeedTables::key_of(const Node& node) const {
  bool has_default = false;
  for (const auto& [key, table] : *seed_->as_table()) {
    const bool is_default = key == kDefault;
    has_default = has_default || is_default;
    if (is_default) continue;
    if (by_ == SelectBy::Name   ? key == node.name
        : by_ == SelectBy::Type ? key == node.op
                                : patterns_.at(key).matches(node.name))
      return key;
  }
  return has_default ? std::string(kDefault) : "";
}

std::vector<std::string> SeedTables::keys() const {
  std::vector<std::string> all;
  for (const auto& [key, table] : *seed_->as_table()) all.push_back(key);
  return all;
}

const Tree& SeedTables::config(const std::string& key) const {
  return *seed_->find(key)->find("config");
}

}  // namespace chop::search
