// Reads the seed tables into parameters of the space, and turns the values of a trial back into a
// table for each node, as the pass quantize reads it.
#include "search/space/quantise_space.hpp"

#include <set>

#include "search/space/format_keys.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

const std::vector<Field>& setup_defs() {
  static const std::vector<Field> defs = [] {
    std::vector<Field> all = calibration_args();
    Field by = select_by_field();
    by.initial = "name";
    all.insert(
        all.begin(),
        {std::move(by),
         {.name = "tie", .initial = false, .doc = "all nodes of a table have the same formats"}});
    return all;
  }();
  return defs;
}

/// data_in, weight, bias and data_out, as far as the node has such operands.
std::set<std::string_view> groups_of(const Graph& graph, NodeId id, const Types& types) {
  std::set<std::string> names = {"data_out_0"};
  for (const Operand& operand : operands_of(graph, id, types)) names.insert(operand.name);
  std::set<std::string_view> found;
  for (const std::string_view group : kOperandGroups)
    for (const std::string& operand : operands_of_group(graph.node(id), group))
      if (names.contains(operand)) found.insert(group);
  return found;
}

/// A parameter that nodes share is active when one of them needs it.
void activate_also(SpaceParameter& shared, const std::vector<Condition>& when) {
  if (when.empty()) shared.when.clear();
  if (shared.when.empty()) return;
  for (const Condition& one : when)
    if (std::find(shared.when.begin(), shared.when.end(), one) == shared.when.end())
      shared.when.push_back(one);
}

}  // namespace

Result<std::unique_ptr<QuantiseSpace>> QuantiseSpace::make(const Graph& graph, const Tree& table,
                                                           const ArgSource& source,
                                                           const PassContext& context) {
  std::unique_ptr<QuantiseSpace> space(new QuantiseSpace(graph, context));
  CH_TRY(space->types_, infer_types(space->graph_, context.batch_size));
  CH_CHECK(space->read(table, source));
  return space;
}

Status QuantiseSpace::read(const Tree& table, const ArgSource& source) {
  const Tree* setup = table.find("setup");
  CH_TRY(const Args args, Args::check(setup_defs(), setup == nullptr ? Tree() : *setup,
                                      {cat(source.path, ".setup"), source.file}));
  by_ = args.text("by");
  tie_ = args.flag("tie");
  CH_TRY(calibration_.method, calibration_method(args.text("calibration")));
  calibration_.quantile = args.real("quantile");
  num_samples_ = args.integer("num_samples");
  const Tree* seed = table.find("seed");
  const ArgSource inside{cat(source.path, ".seed"), source.file};
  if (seed == nullptr || seed->as_table() == nullptr || seed->as_table()->empty())
    return at_line({.what = cat(inside.path, " is missing: there is nothing to choose from"),
                    .hint = cat("write [", inside.path, ".NODE.config] with lists of choices")},
                   source, table.line);
  CH_TRY(const SeedTables tables, SeedTables::read(*seed, select_by(by_), graph_, inside));
  notes_ = tables.notes();
  for (const std::string& key : tables.keys()) {
    const ArgSource at{cat(inside.path, ".", key, ".config"), source.file};
    CH_TRY(const std::vector<Key> keys, read_keys(tables.config(key), at));
    CH_CHECK(check_keys(keys, at));
  }
  // Operand groups that at least one node of the table has. Nodes without an operand ignore its
  // keys.
  std::map<std::string, std::set<std::string_view>> groups;
  for (const NodeId id : graph_.order())
    if (is_quantisable(graph_.node(id)))
      groups[tables.key_of(graph_.node(id))].merge(groups_of(graph_, id, types_));
  for (const NodeId id : graph_.order()) {
    if (!is_quantisable(graph_.node(id))) continue;
    const std::string key = tables.key_of(graph_.node(id));
    if (key.empty()) continue;
    const std::set<std::string_view> own = groups_of(graph_, id, types_);
    Tree config = Tree::table();
    config.line = tables.config(key).line;
    for (const auto& [name, value] : *tables.config(key).as_table()) {
      const std::string_view group = group_of(name);
      const bool of_none = !group.empty() && !groups[key].contains(group);
      if (of_none && select_by(by_) == SelectBy::Type && may_lack(key, group))
        add_note(cat(inside.path, ".", key, ".config: ", name, " fits no node"));
      else if (group.empty() || own.contains(group) || of_none)
        config.set(name, value).line = value.line;
    }
    CH_CHECK(add_node(id, tie_ ? key : graph_.node(id).name, config,
                      {cat(inside.path, ".", key, ".config"), source.file}));
  }
  return {};
}

void QuantiseSpace::add_note(std::string note) {
  if (std::find(notes_.begin(), notes_.end(), note) == notes_.end())
    notes_.push_back(std::move(note));
}

Result<std::vector<QuantiseSpace::Key>> QuantiseSpace::read_keys(const Tree& config,
                                                                 const ArgSource& source) {
  std::vector<Key> keys;
  if (config.find("name") == nullptr)
    return at_line(
        {.what = cat(source.path, " has no name"),
         .hint = "name = [\"integer\"], or several formats; [\"NA\"] leaves nodes alone"},
        source, config.line);
  for (const auto& [name, value] : *config.as_table()) {
    Key key{.name = name};
    if (const Tree::List* list = value.as_list())
      key.choices = *list;
    else
      key.choices = {value};
    if (key.choices.empty())
      return at_line({.what = cat(source.path, ".", name, " = []: there is nothing to choose from"),
                      .hint = "give at least one choice, or leave the key out"},
                     source, value.line);
    for (std::size_t i = 0; i < key.choices.size(); ++i)
      if (std::count(key.choices.begin(), key.choices.end(), key.choices[i]) > 1)
        return at_line({.what = cat(source.path, ".", name, " has the choice ",
                                    to_text(key.choices[i]), " twice")},
                       source, value.line);
    keys.push_back(std::move(key));
  }
  // Formats first: which other keys are active depends on them.
  std::stable_partition(keys.begin(), keys.end(),
                        [](const Key& key) { return is_format_key(key.name); });
  return keys;
}

Status QuantiseSpace::add_node(NodeId id, const std::string& owner, const Tree& config,
                               const ArgSource& source) {
  NodeTable table{.id = id, .node = graph_.node(id).name, .owner = owner, .source = source};
  CH_TRY(table.keys, read_keys(config, source));
  add_parameters(table);
  CH_CHECK(check_node(table));
  tables_.push_back(std::move(table));
  return {};
}

void QuantiseSpace::add_parameters(NodeTable& table) {
  const auto find_key = [&table](std::string_view name) -> const Key* {
    for (const Key& key : table.keys)
      if (key.name == name) return &key;
    return nullptr;
  };
  for (Key& key : table.keys) {
    if (key.choices.size() < 2) continue;
    SpaceParameter made{cat(table.owner, "/config/", key.name),
                        Distribution::categorical(key.choices)};
    // A key is active when the format of its operand (of at least one operand) has it.
    bool always = is_format_key(key.name) || key.name == "bypass";
    for (const std::string_view group : kOperandGroups) {
      if (always || (!group_of(key.name).empty() && group_of(key.name) != group)) continue;
      const Key* own = find_key(cat(group, "_name"));
      const Key& format = own != nullptr ? *own : *find_key("name");
      Condition when{.parent = format.parameter.value_or(0)};
      for (const Tree& choice : format.choices)
        when.choices.push_back(takes_choices(choice, key.name, key.choices));
      always = std::count(when.choices.begin(), when.choices.end(), false) == 0;
      if (format.parameter && !always &&
          std::find(made.when.begin(), made.when.end(), when) == made.when.end())
        made.when.push_back(std::move(when));
    }
    if (always) made.when.clear();
    const auto shared = std::find_if(parameters_.begin(), parameters_.end(),
                                     [&](const auto& one) { return one.name == made.name; });
    key.parameter = static_cast<std::size_t>(shared - parameters_.begin());
    if (shared == parameters_.end())
      parameters_.push_back(std::move(made));
    else
      activate_also(*shared, made.when);
  }
  if (std::any_of(table.keys.begin(), table.keys.end(),
                  [](const Key& key) { return key.parameter.has_value(); }))
    searched_.push_back(table.id);
}

Tree QuantiseSpace::config_of(const NodeTable& table, std::span<const double> values) const {
  const bool formats_vary = std::any_of(table.keys.begin(), table.keys.end(), [](const Key& key) {
    return is_format_key(key.name) && key.parameter;
  });
  Tree config = Tree::table();
  for (const Key& key : table.keys) {
    if (key.parameter && is_active(values[*key.parameter]))
      config.set(key.name, key.choices[static_cast<std::size_t>(values[*key.parameter])]);
    else if (!key.parameter && (!formats_vary || fits_formats(config, key.name, key.choices)))
      config.set(key.name, key.choices.front());
  }
  return config;
}

Result<QuantiseSpace::Chosen> QuantiseSpace::choose(const NodeTable& table, const Tree& config,
                                                    Calibrate calibrate) const {
  CH_TRY(QuantiseConfig read_config, QuantiseConfig::read(config, table.source));
  Chosen chosen{.formats = graph_.node(table.id).formats};
  if (read_config.does_nothing()) return chosen;
  Graph graph = graph_;
  std::vector<OpenFormats> open;
  CH_CHECK(quantise_node(graph, table.id, types_, read_config, open));
  if (const std::vector<std::string> unused = read_config.unused(); !unused.empty())
    return Error{.what = cat(table.source.path, ": ", join(unused, ", "),
                             unused.size() == 1 ? " fits" : " fit", " no operand of node '",
                             table.node, "'"),
                 .hint = "leave it out"};
  if (!open.empty() && calibrate == Calibrate::Yes) {
    CH_TRY([[maybe_unused]] const std::int64_t rows,
           calibrate_formats(graph, open, calibration_, num_samples_, context_));
  }
  chosen.formats = graph.node(table.id).formats;
  for (const Parameter& parameter : graph.parameters()) {
    const Parameter* before = graph_.find_parameter(parameter.name);
    if (before == nullptr || !(before->value == parameter.value))
      chosen.learned.push_back(parameter);
  }
  return chosen;
}

bool QuantiseSpace::left_alone(const NodeTable& table) {
  return table.keys.size() == 1 && !table.keys[0].parameter && table.keys[0].choices[0].is_null();
}

std::vector<std::pair<std::string, Tree>> QuantiseSpace::fixed() const {
  std::vector<std::pair<std::string, Tree>> found;
  for (const NodeTable& table : tables_)
    for (const Key& key : table.keys) {
      std::pair<std::string, Tree> one(cat(table.owner, "/config/", key.name), key.choices.front());
      if (!key.parameter && !left_alone(table) &&
          std::find(found.begin(), found.end(), one) == found.end())
        found.push_back(std::move(one));
    }
  return found;
}

Status QuantiseSpace::apply(std::span<const double> values, Candidate& candidate) {
  candidate.config.set("by", "name");
  candidate.config.set("default", Tree::Table{{"config", Tree::Table{{"name", Tree()}}}});
  for (const NodeTable& table : tables_) {
    if (left_alone(table)) continue;
    const Tree config = config_of(table, values);
    const std::string key = cat(table.node, " ", to_text(config));
    candidate.config.set(table.node, Tree::Table{{"config", config}});
    const Chosen* chosen = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto known = chosen_.find(key);
      if (known != chosen_.end()) chosen = &known->second;
    }
    if (chosen == nullptr) {
      CH_TRY(Chosen made, choose(table, config, Calibrate::Yes));
      const std::lock_guard lock(mutex_);
      chosen = &chosen_.emplace(key, std::move(made)).first->second;
    }
    candidate.graph.node(table.id).formats = chosen->formats;
    for (const Parameter& parameter : chosen->learned) {
      if (Parameter* known = candidate.graph.find_parameter(parameter.name))
        known->value = parameter.value;
      else
        candidate.graph.add_parameter(parameter);
    }
  }
  return {};
}

}  // namespace chop::search
