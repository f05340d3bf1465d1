// ch models [NAME]: the zoo with its parameter counts, or one network layer by layer.
#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "models/registry.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::models {
namespace {

/// Shape and classes follow from the data set; without their columns the descriptions have room.
Table zoo_table() {
  Table table{.columns = {{"Model", Align::Left, 0, "model"},
                          {"Parameters", Align::Right, 0, "parameters"},
                          {"Sample", Align::Left, 0, "sample_shape", /*drawn=*/false},
                          {"Classes", Align::Right, 0, "classes", /*drawn=*/false},
                          {"Data set", Align::Left, 0, "dataset"},
                          {"What it is", Align::Left, 60, "doc"}},
              .rows = {}};
  for (const ModelDef& def : all_models())
    table.rows.push_back({def.name, Cell(def.parameters, with_commas(def.parameters)),
                          to_string(def.sample_shape), def.num_classes, def.dataset, def.doc});
  return table;
}

/// -1 for the batch where the first dimension depends on it.
std::string show_shape(const Shape& at_two, const Shape& at_three) {
  Shape shape = at_two;
  for (std::size_t i = 0; i < shape.size() && i < at_three.size(); ++i)
    if (at_two[i] != at_three[i]) shape[i] = -1;
  return to_string(shape);
}

std::int64_t parameters_of(const Graph& graph, const Node& node) {
  if (node.opcode != Opcode::CallModule) return 0;
  std::int64_t count = 0;
  for (const ParamDef& def : op_of(node).params)
    if (const Parameter* parameter = graph.find_parameter(cat(node.target, ".", def.name));
        parameter != nullptr && parameter->trainable)
      count += parameter->value.size();
  return count;
}

std::string describe(const Node& node) {
  if (node.opcode == Opcode::CallModule) return module_repr(op_of(node), node.attrs);
  if (node.opcode == Opcode::Placeholder || node.opcode == Opcode::GetAttr)
    return std::string(name_of(node.opcode));
  return node.target;
}

Result<Table> layer_table(const Graph& graph) {
  CH_TRY(const Types two, infer_types(graph, 2));
  CH_TRY(const Types three, infer_types(graph, 3));
  Table table{.columns = {{"Node", Align::Left, 0, "node"},
                          {"Layer", Align::Left, 72, "layer"},
                          {"Reads", Align::Left, 40, "inputs"},
                          {"Output", Align::Left, 0, "output_shape"},
                          {"Parameters", Align::Right, 0, "parameters"}},
              .rows = {}};
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.opcode == Opcode::Output) continue;
    std::vector<std::string> inputs;
    for (const Value& input : node.inputs) inputs.push_back(graph.node(input.node).name);
    const std::int64_t count = parameters_of(graph, node);
    table.rows.push_back({node.name, describe(node), join(inputs, ", "),
                          show_shape(two[index(id)][0].shape, three[index(id)][0].shape),
                          Cell(count, with_commas(count))});
  }
  return table;
}

Result<Exit> show_one(const Invocation& invocation, const std::string& name) {
  const ModelArgs args{.seed = 0};
  CH_TRY(const Graph graph, build_model(name, args));
  CH_TRY(const Table table, layer_table(graph));
  if (prints_text(invocation)) {
    if (const Result<const ModelDef*> def = find_model(name); def)
      invocation.out << def.value()->name << ": " << def.value()->doc << "\n";
    invocation.out << shown(invocation, table, TableStyle::Simple)
                   << with_commas(graph.parameter_count()) << " trainable parameters\n";
  }
  return done(invocation, Tree::Table{{"model", name},
                                      {"parameters", graph.parameter_count()},
                                      {"nodes", tree_of(table)}});
}

Result<Exit> run(const Invocation& invocation) {
  if (const auto name = invocation.settings.text("name")) return show_one(invocation, *name);
  return print_table(invocation, zoo_table(), TableStyle::Simple);
}

}  // namespace

ActionDef define() {
  return {.name = "models",
          .usage = "ch models [NAME|FILE.toml] [--json FILE]",
          .summary = "list the models with their parameter counts, or show one layer by layer",
          .positionals = {"name"},
          .settings = {"json", "quiet"},
          .own = {positional("name", "NAME", "a model of the zoo, or a network written in TOML",
                             registered_names<all_models>)},
          .run = run};
}

}  // namespace chop::cli::actions::models
