// profile_statistics: statistics of parameters and activations, written to the metadata.
//
// Weights: every parameter and buffer of a module once, as a whole. Activations: inputs of the
// chosen nodes (and outputs, if asked for), sample by sample, while the network runs in evaluation
// mode.

#include "analysis/calibration/observe.hpp"
#include "analysis/operands.hpp"
#include "analysis/statistics/stat_report.hpp"
#include "analysis/targets.hpp"
#include "passes/pass_def.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::passes::profile_statistics {
namespace {

/// An operand or result with its statistics, one per call of its kind.
struct Tracked {
  NodeId node{};
  bool is_result = false;
  std::string operand;
  std::vector<std::unique_ptr<Statistic>> statistics = {};
  std::size_t value = 0;  ///< of an activation: its index among the observed values
  bool constant = false;  ///< it does not depend on the batch: observed once
};

struct Profile {
  std::vector<StatisticCall> weight_calls;
  std::vector<StatisticCall> activation_calls;
  std::vector<Tracked> weights = {};
  std::vector<Tracked> activations = {};
  std::vector<Value> values = {};  ///< what must be observed
  std::vector<std::string> notes = {};
  std::int64_t batches = 0;
  std::int64_t samples = 0;
  std::int64_t rows = 0;  ///< that there are
};

Status add_statistics(Tracked& tracked, std::span<const StatisticCall> calls, const Graph& graph,
                      const Shape& sample) {
  for (const StatisticCall& call : calls) {
    Result<std::unique_ptr<Statistic>> made = call.def->make(call.args, sample);
    if (!made)
      return std::move(made).error().note(
          cat("for ", tracked.operand, " of ", graph.node(tracked.node).name));
    tracked.statistics.push_back(std::move(made).value());
  }
  return {};
}

Status profile_weights(const Graph& graph, const Args& args, const Types& types, Profile& profile) {
  CH_TRY(const std::vector<NodeId> nodes,
         chosen_nodes(graph, args, "target_weight_nodes", profile.notes));
  for (const NodeId id : nodes) {
    const Node& node = graph.node(id);
    if (node.opcode != Opcode::CallModule) {
      profile.notes.push_back(
          cat(node.name, " is no module (", name_of(node.opcode), "): it has no weights"));
      continue;
    }
    for (const Operand& operand : operands_of(graph, id, types)) {
      if (!operand.is_parameter()) continue;
      Tracked tracked{.node = id, .operand = operand.name};
      CH_CHECK(add_statistics(tracked, profile.weight_calls, graph, operand.type.shape));
      profile.weights.push_back(std::move(tracked));
      const Tensor values = operand.parameter->value.to(DType::F32);
      for (const auto& statistic : profile.weights.back().statistics)
        statistic->update(values.data<float>().data(), 1);
    }
  }
  return {};
}

std::size_t index_of_value(std::vector<Value>& values, Value value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

/// Inputs of the chosen nodes and, if asked for, their outputs.
struct Flow {
  NodeId node{};
  bool is_result = false;
  Operand operand;
};

std::vector<Flow> flows(const Graph& graph, std::span<const NodeId> nodes, const Types& types,
                        bool with_results) {
  std::vector<Flow> found;
  for (const NodeId id : nodes) {
    for (Operand& operand : operands_of(graph, id, types))
      if (!operand.is_parameter()) found.push_back({id, false, std::move(operand)});
    if (!with_results) continue;
    for (Operand& result : results_of(graph, id, types))
      found.push_back({id, true, std::move(result)});
  }
  return found;
}

Status track_activations(const Graph& graph, const Args& args, const Types& types,
                         Profile& profile) {
  CH_TRY(const std::vector<NodeId> nodes,
         chosen_nodes(graph, args, "target_activation_nodes", profile.notes));
  const std::vector<Flow> all = flows(graph, nodes, types, args.flag("profile_output_activation"));
  std::vector<Value> values;
  for (const Flow& flow : all) values.push_back(flow.operand.value);
  CH_TRY(const auto shapes, sample_shapes(graph, values));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Flow& flow = all[i];
    if (!shapes[i]) {
      profile.notes.push_back(cat(graph.node(flow.node).name, ".", flow.operand.name,
                                  ": samples do not follow one another along the first dimension; "
                                  "it is left out"));
      continue;
    }
    Tracked tracked{.node = flow.node, .is_result = flow.is_result, .operand = flow.operand.name};
    tracked.constant = shapes[i]->constant;
    CH_CHECK(add_statistics(tracked, profile.activation_calls, graph, shapes[i]->shape));
    tracked.value = index_of_value(profile.values, flow.operand.value);
    profile.activations.push_back(std::move(tracked));
  }
  return {};
}

Status profile_activations(const Graph& graph, const Args& args, const PassContext& context,
                           Profile& profile) {
  if (profile.activations.empty() || profile.activation_calls.empty()) return {};
  const std::int64_t asked = args.integer("num_samples");
  const std::int64_t batch = context.batch_size;
  profile.samples = std::min(asked, context.samples->rows());
  profile.rows = context.samples->rows();
  profile.batches = (profile.samples + batch - 1) / batch;
  if (context.samples->rows() < asked)
    profile.notes.push_back(cat("num_samples = ", asked, ", but there ",
                                profile.rows == 1 ? "is " : "are ", counted(profile.rows, "row"),
                                ": all were used"));
  const auto calls = static_cast<std::int64_t>(profile.activation_calls.size());
  const auto tasks = static_cast<std::int64_t>(profile.activations.size()) * calls;
  bool first = true;
  const auto take = [&](std::span<const Observation> observed) {
    parallel_for(context.threads, tasks, [&](std::int64_t task) {
      const Tracked& tracked = profile.activations[static_cast<std::size_t>(task / calls)];
      if (tracked.constant && !first) return;
      const Observation& now = observed[tracked.value];
      tracked.statistics[static_cast<std::size_t>(task % calls)]->update(now.values, now.samples);
    });
    first = false;
  };
  return observe(graph, profile.values, *context.samples,
                 {.rows = profile.samples, .threads = context.threads, .through_formats = true},
                 take);
}

/// The table under `key`, made when there is none.
Tree& entry(Tree& table, std::string_view key) {
  Tree* found = table.find(key);
  return found != nullptr ? *found : table.set(key, Tree::table());
}

/// Writes results to the metadata; one table per statistic, and the same as a tree.
void keep_results(Graph& graph, std::span<const Tracked> all, std::span<const StatisticCall> calls,
                  std::string_view what, TableStyle style, PassOutput& output) {
  for (std::size_t i = 0; i < calls.size() && !all.empty(); ++i) {
    const std::string name(calls[i].def->name);
    std::vector<StatRow> rows;
    for (const Tracked& tracked : all) {
      Node& node = graph.node(tracked.node);
      SoftwareMeta& software = *node.meta.software;
      auto& entries = tracked.is_result ? software.results : software.args;
      StatResult result = tracked.statistics[i]->result();
      Tree& operand = entry(entry(*output.info.find("nodes"), node.name), tracked.operand);
      operand.set(name, stat_tree(result));
      entries[tracked.operand].stat[name] = result;
      rows.push_back({node.name, tracked.operand, std::move(result)});
    }
    output.text += stat_table(cat(name, " of ", what), rows, style);
  }
}

PassOutput conclude(Graph& graph, const Profile& profile, TableStyle style) {
  PassOutput output;
  output.info.set("samples", profile.samples);
  output.info.set("rows", profile.rows);
  output.info.set("batches", profile.batches);
  output.info.set("nodes", Tree::table());
  keep_results(graph, profile.weights, profile.weight_calls, "weights", style, output);
  keep_results(graph, profile.activations, profile.activation_calls,
               cat("activations, ", shown_rows(profile.samples, profile.rows)), style, output);
  for (const std::string& note : profile.notes) output.text += cat("note: ", note, "\n");
  output.info.set("notes", Tree(profile.notes));
  return output;
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  Profile profile;
  CH_TRY(profile.weight_calls,
         statistic_calls(args.get("weight_statistics"), args.inside("weight_statistics")));
  CH_TRY(profile.activation_calls,
         statistic_calls(args.get("activation_statistics"), args.inside("activation_statistics")));
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  CH_CHECK(profile_weights(graph, args, types, profile));
  CH_CHECK(track_activations(graph, args, types, profile));
  CH_CHECK(profile_activations(graph, args, context, profile));
  const auto idle = [&](std::string_view kind, bool nodes, bool calls) {
    if (nodes != calls)
      profile.notes.push_back(nodes ? cat(kind, "_statistics is empty: nothing to measure")
                                    : cat("target_", kind, "_nodes chooses no ",
                                          kind == "weight" ? "weights" : "node"));
  };
  if (profile.weight_calls.empty() && profile.activation_calls.empty())
    profile.notes.emplace_back(
        "nothing is measured; weight_statistics and activation_statistics say what, "
        "target_weight_nodes and target_activation_nodes where");
  idle("weight", !profile.weights.empty(), !profile.weight_calls.empty());
  idle("activation", !profile.activations.empty(), !profile.activation_calls.empty());
  return conclude(graph, profile, context.tables.value_or(TableStyle::Simple));
}

/// The statistics and their arguments, for help.
std::string_view details() {
  static const std::string text = [] {
    std::string made =
        "The statistics, each a table of its arguments\n"
        "(activation_statistics.range_quantile.quantile=0.97):\n";
    for (const StatisticDef& def : all_statistics()) {
      std::vector<std::string> args;
      for (const Field& arg : def.args)
        if (!arg.ignored)
          args.push_back(arg.initial.is_null() ? std::string(arg.name)
                                               : cat(arg.name, "=", default_text(arg)));
      made += cat("  ", def.name, ": ", def.doc, "\n      ", join(args, ", "), "\n");
    }
    return made + "Definitions and error bounds: docs/passes/profile_statistics.md";
  }();
  return text;
}

}  // namespace

PassDef define() {
  return {.name = "profile_statistics",
          .doc = "statistics of weights and of what flows through the network",
          .details = details(),
          .args = {{.name = "by",
                    .initial = "type",
                    .doc = "how nodes are chosen: by type (linear, relu) or by name",
                    .choices = {"type", "name"}},
                   {.name = "target_weight_nodes",
                    .initial = Tree::list(),
                    .doc = "modules whose parameters and buffers are measured",
                    .kind = FieldKind::Names},
                   {.name = "target_activation_nodes",
                    .initial = Tree::list(),
                    .doc = "nodes whose inputs are measured",
                    .kind = FieldKind::Names},
                   {.name = "weight_statistics",
                    .initial = Tree::table(),
                    .doc = "statistics of the weights, each with its arguments",
                    .kind = FieldKind::Table},
                   {.name = "activation_statistics",
                    .initial = Tree::table(),
                    .doc = "statistics of the activations, each with its arguments",
                    .kind = FieldKind::Table},
                   {.name = "num_samples",
                    .initial = 32,
                    .doc = "rows to run the network on",
                    .bounds = {.least = 1}},
                   {.name = "profile_output_activation",
                    .initial = false,
                    .doc = "measure what the chosen nodes make as well"}},
          .needs = Needs::Software,
          .needs_samples = true,
          .run = run,
          .samples = {
              {.args = Tree::Table{
                   {"by", "type"},
                   {"target_weight_nodes", Tree::List{"linear"}},
                   {"target_activation_nodes", Tree::List{"relu"}},
                   {"weight_statistics", Tree::Table{{"range_min_max", Tree::table()}}},
                   {"activation_statistics", Tree::Table{{"variance_online", Tree::table()}}}}}}};
}

}  // namespace chop::passes::profile_statistics
