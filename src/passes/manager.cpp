// For each pass: copy the graph, run the pass on the copy, verify it, list the changes, and refuse
// those that the pass promised not to make.
#include "passes/manager.hpp"

#include <chrono>

#include "ops/core/infer.hpp"
#include "support/text.hpp"

namespace chop::passes {
namespace {

Status check_needs(const PassDef& def, const Graph& graph, const PassContext& context) {
  if (def.needs_samples && (context.samples == nullptr || context.samples->rows() == 0))
    return Error{.what = cat("the pass ", def.name, " runs the network, and there is no data"),
                 .hint = "name a data set"};
  for (const NodeId id : graph.order()) {
    const Metadata& meta = graph.node(id).meta;
    const bool common = def.needs == Needs::Nothing || meta.common;
    const bool software = def.needs != Needs::Software || meta.software;
    if (!common || !software)
      return Error{
          .what = cat("the pass ", def.name, " needs ", common ? "software" : "common",
                      " metadata, which ", graph.node(id).name, " has not"),
          .hint = cat("run ", common ? "add_software_metadata" : "add_common_metadata", " first")};
  }
  return {};
}

Result<PassReport> run_one(Graph& graph, const PassCall& call, const PassContext& context) {
  CH_CHECK(check_needs(*call.def, graph, context));
  PassReport report{.name = std::string(call.def->name)};
  Graph changed = graph;
  const auto start = std::chrono::steady_clock::now();
  CH_TRY(report.output, call.def->run(changed, call.args, context));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (Status status = ops::verify(changed); !status)
    return std::move(status).error().note(
        cat("the pass ", call.def->name, " left a graph that does not verify: a bug of ch"));
  report.changes = changes_between(graph, changed);
  if (call.def->promise == Promise::MetadataOnly && report.changes.beyond_metadata())
    return Error{.what = cat("the pass ", call.def->name, " promises to change only metadata, ",
                             "and changed ", describe(report.changes)),
                 .hint = "this is a bug of ch"};
  graph = std::move(changed);
  return report;
}

void compare_nodes(const Node& before, const Node& after, const Graph& from, const Graph& to,
                   GraphChanges& changes) {
  const auto names = [](const Node& node, const Graph& graph) {
    std::vector<std::pair<std::string_view, std::uint32_t>> inputs;
    for (const Value& input : node.inputs)
      inputs.emplace_back(graph.node(input.node).name, input.index);
    return inputs;
  };
  if (before.opcode != after.opcode || before.op != after.op || before.target != after.target ||
      !same_bits(before.attrs, after.attrs) || names(before, from) != names(after, to))
    changes.rewired.push_back(after.name);
  if (before.formats != after.formats) changes.formats.push_back(after.name);
  if (!(before.meta == after.meta)) changes.metadata.push_back(after.name);
}

std::string some(const std::vector<std::string>& names, std::string_view noun) {
  if (names.size() <= 4) return join(names, ", ");
  return cat(names.size(), " ", noun);
}

}  // namespace

Result<PassCall> make_call(std::string_view name, const Tree& args, const std::string& file) {
  PassCall call;
  CH_TRY(call.def, find_pass(name));
  CH_TRY(call.args, Args::check(call.def->args, args, {.path = cat("passes.", name), .file = file},
                                !call.def->open.empty()));
  return call;
}

Result<std::vector<PassCall>> calls_from(const Tree& passes, const std::string& file) {
  std::vector<PassCall> calls;
  if (passes.as_table() == nullptr) return calls;
  for (const auto& [name, args] : *passes.as_table()) {
    Result<PassCall> call = make_call(name, args, file);
    if (!call) {
      Error error = std::move(call).error();
      if (error.notes.empty() && args.line > 0) error.notes.push_back(cat(file, ":", args.line));
      return error;
    }
    calls.push_back(std::move(call).value());
  }
  return calls;
}

bool GraphChanges::beyond_metadata() const {
  return !added.empty() || !removed.empty() || !rewired.empty() || !formats.empty() ||
         !parameters.empty();
}

GraphChanges changes_between(const Graph& before, const Graph& after) {
  GraphChanges changes;
  for (const NodeId id : after.order()) {
    const Node& node = after.node(id);
    if (const auto old = before.find(node.name))
      compare_nodes(before.node(*old), node, before, after, changes);
    else
      changes.added.push_back(node.name);
  }
  for (const NodeId id : before.order())
    if (!after.find(before.node(id).name)) changes.removed.push_back(before.node(id).name);
  for (const Parameter& parameter : after.parameters()) {
    const Parameter* old = before.find_parameter(parameter.name);
    if (old == nullptr || !(*old == parameter)) changes.parameters.push_back(parameter.name);
  }
  for (const Parameter& parameter : before.parameters())
    if (after.find_parameter(parameter.name) == nullptr)
      changes.parameters.push_back(parameter.name);
  return changes;
}

std::string describe(const GraphChanges& changes) {
  std::vector<std::string> parts;
  const auto say = [&parts](std::string_view what, const std::vector<std::string>& names,
                            std::string_view noun = "nodes") {
    if (!names.empty()) parts.push_back(cat(what, some(names, noun)));
  };
  say("added ", changes.added);
  say("removed ", changes.removed);
  say("rewrote ", changes.rewired);
  say("formats of ", changes.formats);
  say("values of ", changes.parameters, "parameters");
  say("metadata of ", changes.metadata);
  return parts.empty() ? "nothing" : join(parts, "; ");
}

Result<std::vector<PassReport>> run_passes(Graph& graph, std::span<const PassCall> calls,
                                           const PassContext& context, const PassOptions& options) {
  std::vector<PassReport> reports;
  for (const PassCall& call : calls) {
    if (options.before) CH_CHECK(options.before(call, graph));
    CH_TRY(PassReport report, run_one(graph, call, context));
    if (options.after) CH_CHECK(options.after(report, graph));
    reports.push_back(std::move(report));
  }
  return reports;
}

Status add_metadata(Graph& graph, const PassContext& context) {
  const bool described =
      std::all_of(graph.order().begin(), graph.order().end(),
                  [&graph](NodeId id) { return graph.node(id).meta.common.has_value(); });
  std::vector<std::string_view> names = {"add_common_metadata", "add_software_metadata"};
  if (!described) names.insert(names.begin(), "init_metadata");
  for (const std::string_view name : names) {
    CH_TRY(const PassCall call, make_call(name, {}));
    CH_TRY(const PassReport report, run_one(graph, call, context));
  }
  return {};
}

}  // namespace chop::passes
