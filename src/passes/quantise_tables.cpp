// Which table is for a node: by type, name or pattern, else the one called default. With by =
// "type",
//   [passes.quantize.linear.config]    is for every linear layer
//   [passes.quantize.default.config]   for all others
#include "ops/core/registry.hpp"
#include "passes/quantise_nodes.hpp"
#include "support/text.hpp"

namespace chop::passes {
namespace {

constexpr std::string_view kDefault = "default";
/// Values of the field `by`, in the order of SelectBy.
constexpr std::array<std::string_view, 3> kSelectBy = {"type", "name", "regex_name"};

std::vector<std::string> quantisable_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const NodeId id : graph.order())
    if (is_quantisable(graph.node(id))) names.push_back(graph.node(id).name);
  return names;
}

Status check_type(const std::string& key, const ArgSource& source) {
  Result<const OpDef*> op = find_op(key);
  if (op && !op.value()->quantisable.empty()) return {};
  std::vector<std::string> known;
  for (const OpDef& one : all_ops())
    if (!one.quantisable.empty()) known.emplace_back(one.name);
  return Error{.what = cat(source.path, ".", key, ": ",
                           op ? "nodes of this type carry no number formats" : "no such type"),
               .hint = cat(did_you_mean(key, known), "the types are ", join(known, ", "))};
}

Status check_node(const std::string& key, const Graph& graph, const ArgSource& source) {
  const auto id = graph.find(key);
  if (id && is_quantisable(graph.node(*id))) return {};
  const std::vector<std::string> known = quantisable_names(graph);
  return Error{.what = cat(source.path, ".", key, ": ",
                           id ? "this node carries no number formats" : "no such node"),
               .hint = cat(did_you_mean(key, known), "the nodes are ", join(known, ", "))};
}

Status check_pattern(const std::string& key, const Graph& graph, const ArgSource& source) {
  const Result<Pattern> pattern = Pattern::compile(key);
  if (!pattern) return Error{.what = cat(source.path, ".", key, ": ", pattern.error().what)};
  const std::vector<std::string> names = quantisable_names(graph);
  if (std::any_of(names.begin(), names.end(),
                  [&](const std::string& name) { return pattern.value().matches(name); }))
    return {};
  return Error{.what = cat(source.path, ".", key, ": matches the name of no node"),
               .hint = cat("the whole name must match; the nodes are ", join(names, ", "))};
}

}  // namespace

bool may_lack(const std::string& op, std::string_view operand) {
  const Result<const OpDef*> def = find_op(op);
  return def && std::ranges::any_of(def.value()->quantisable, [&](const Quantisable& one) {
           return one.operand == operand && !one.required;
         });
}

Status check_key_table(const std::string& key, const Tree& table, const ArgSource& source) {
  const std::string path = cat(source.path, ".", key);
  const Tree* config = table.find("config");
  if (config == nullptr || config->as_table() == nullptr)
    return at_line({.what = cat(path, " has no config"),
                    .hint = cat("write [", path, ".config] and the keys below it")},
                   source, table.line);
  for (const auto& [name, value] : *table.as_table())
    if (name != "config")
      return at_line({.what = cat("unknown key '", path, ".", name, "'"),
                      .hint = cat("the keys of a format stand in [", path, ".config]")},
                     source, value.line);
  return {};
}

Field select_by_field() {
  return {.name = "by",
          .doc = "what the tables are named after",
          .choices = {kSelectBy.begin(), kSelectBy.end()}};
}

SelectBy select_by(std::string_view by) {
  const auto* found = std::find(kSelectBy.begin(), kSelectBy.end(), by);
  assert(found != kSelectBy.end() && "the field allows only these");
  return static_cast<SelectBy>(found - kSelectBy.begin());
}

Result<QuantiseTables> QuantiseTables::read(const Tree::Table& tables, SelectBy by,
                                            const Graph& graph, const ArgSource& source) {
  QuantiseTables made;
  made.by_ = by;
  for (const auto& [key, table] : tables) {
    const Tree* config = table.find("config");
    const ArgSource inside{.path = cat(source.path, ".", key, ".config"), .file = source.file};
    CH_CHECK(check_key_table(key, table, source));
    Status known;
    if (key == kDefault)
      known = {};
    else if (by == SelectBy::Type)
      known = check_type(key, source);
    else if (by == SelectBy::Name)
      known = check_node(key, graph, source);
    else
      known = check_pattern(key, graph, source);
    if (!known) {
      return at_line(std::move(known).error(), source, table.line);
    }
    if (by == SelectBy::RegexName)  // Known to be valid.
      made.patterns_.emplace(key, Pattern::compile(key).value());
    CH_TRY(QuantiseConfig read_config, QuantiseConfig::read(*config, inside));
    made.tables_.emplace_back(key, std::move(read_config));
  }
  return made;
}

QuantiseConfig* QuantiseTables::find(const Node& node) {
  QuantiseConfig* fallback = nullptr;
  for (auto& [key, config] : tables_) {
    if (key == kDefault) fallback = &config;
    const bool mine = by_ == SelectBy::Type   ? key == node.op
                      : by_ == SelectBy::Name ? key == node.name
                                              : patterns_.at(key).matches(node.name);
    if (!mine) continue;
    matched_.insert(key);
    return &config;
  }
  if (fallback != nullptr) matched_.emplace(kDefault);
  return fallback;
}

Result<std::vector<std::string>> QuantiseTables::check_used() const {
  std::vector<std::string> warnings;
  for (const auto& [key, config] : tables_) {
    if (config.does_nothing()) continue;
    if (!matched_.contains(key)) {
      if (by_ == SelectBy::Type)
        warnings.push_back(cat(config.source().path, " is for no node of this network"));
      continue;
    }
    const std::vector<std::string> unused = config.unused();
    if (unused.empty()) continue;
    const std::string what = cat(config.source().path, ": ", join(unused, ", "),
                                 unused.size() == 1 ? " fits" : " fit", " no node");
    const bool other_networks_need_them =
        key == kDefault ||
        (by_ == SelectBy::Type &&
         std::ranges::all_of(config.unused_operands(), [&op = key](const std::string& operand) {
           return may_lack(op, operand);
         }));
    if (other_networks_need_them) {
      warnings.push_back(what);
      continue;
    }
    return Error{.what = what,
                 .notes = config.source().file.empty()
                              ? std::vector<std::string>()
                              : std::vector<std::string>{config.source().file},
                 .hint = "the nodes this table is for have no such operand; leave it out"};
  }
  return warnings;
}

}  // namespace chop::passes
