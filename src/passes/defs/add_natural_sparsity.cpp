// add_natural_sparsity: how many weights and inputs of the layers are zero.
//
//   density = elements that are not zero / elements,   sparsity = 1 - density
//
// The reference system calls the density sparsity; here each has its own name.

#include "analysis/calibration/observe.hpp"
#include "analysis/operands.hpp"
#include "ops/core/registry.hpp"
#include "passes/report_parts.hpp"
#include "report/table.hpp"

namespace chop::passes::add_natural_sparsity {
namespace {

struct Count {
  std::int64_t elements = 0;
  std::int64_t nonzero = 0;

  void add(std::span<const float> values) {
    elements += static_cast<std::int64_t>(values.size());
    nonzero += std::count_if(values.begin(), values.end(), [](float x) { return x != 0; });
  }
  void add(const Count& other) {
    elements += other.elements;
    nonzero += other.nonzero;
  }
  double density() const {
    return elements == 0 ? 0 : static_cast<double>(nonzero) / static_cast<double>(elements);
  }
  double sparsity() const {
    return elements == 0 ? 0
                         : static_cast<double>(elements - nonzero) / static_cast<double>(elements);
  }
  Tree tree() const {
    Tree tree = Tree::table();
    tree.set("elements", elements);
    tree.set("density", density());
    tree.set("sparsity", sparsity());
    return tree;
  }
};

struct Layer {
  NodeId id{};
  Value input{};
  Count weight = {};
  Count activation = {};
};

/// Linear and convolution layers: modules that multiply their weights with real numbers.
std::vector<Layer> layers_of(const Graph& graph, const Types& types) {
  std::vector<Layer> layers;
  for (const NodeId id : graph.order()) {
    if (graph.node(id).opcode != Opcode::CallModule) continue;
    const std::vector<Operand> operands = operands_of(graph, id, types);
    for (const Operand& operand : operands)
      if (operand.is_weight() && operand.type.dtype == DType::F32 &&
          operands.front().type.dtype == DType::F32) {
        layers.push_back({.id = id, .input = operands.front().value});
        layers.back().weight.add(operand.parameter->value.data<float>());
      }
  }
  return layers;
}

void note(Graph& graph, NodeId id, const std::string& operand, const Count& count) {
  OperandStats& stats = graph.node(id).meta.software->args[operand];
  stats.extra["natural_sparsity"] = count.sparsity();
  stats.extra["density"] = count.density();
}

/// Two calls of one module have the same target; the second one is shown by its node's name.
std::string key_of(const Graph& graph, const Layer& layer, const Tree& info,
                   std::string_view what) {
  const Node& node = graph.node(layer.id);
  const std::string key = cat(node.target, "_", what);
  return info.find(key) == nullptr ? key : cat(node.name, "_", what);
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  std::vector<Layer> layers = layers_of(graph, types);
  std::vector<Value> inputs;
  for (const Layer& layer : layers) inputs.push_back(layer.input);
  const std::int64_t rows = std::min(args.integer("num_samples"), context.samples->rows());
  CH_TRY(const auto shapes, sample_shapes(graph, inputs));
  if (!layers.empty())
    CH_CHECK(observe(graph, inputs, *context.samples,
                     {.rows = rows, .threads = context.threads, .through_formats = true},
                     [&](std::span<const Observation> observed) {
                       for (std::size_t i = 0; i < observed.size(); ++i) {
                         const std::int64_t each = shapes[i] ? numel(shapes[i]->shape) : 0;
                         const auto size = static_cast<std::size_t>(each * observed[i].samples);
                         layers[i].activation.add({observed[i].values, size});
                       }
                     }));

  Table table{.columns = {{"Layer", Align::Left, 0, "layer"},
                          {"Weight sparsity", Align::Auto, 0, "weight_sparsity"},
                          {"Weight density", Align::Auto, 0, "weight_density"},
                          {"Activation sparsity", Align::Auto, 0, "activation_sparsity"},
                          {"Activation density", Align::Auto, 0, "activation_density"}},
              .rows = {}};
  const auto add_row = [&table](const std::string& name, const Count& w, const Count& a) {
    table.rows.push_back({name, Cell(w.sparsity(), 4), Cell(w.density(), 4), Cell(a.sparsity(), 4),
                          Cell(a.density(), 4)});
  };
  PassOutput output;
  output.info = Tree::table();
  Count weight;
  Count activation;
  for (const Layer& layer : layers) {
    note(graph, layer.id, "weight", layer.weight);
    note(graph, layer.id, "data_in_0", layer.activation);
    weight.add(layer.weight);
    activation.add(layer.activation);
    output.info.set(key_of(graph, layer, output.info, "weight"), layer.weight.tree());
    output.info.set(key_of(graph, layer, output.info, "activation"), layer.activation.tree());
    add_row(graph.node(layer.id).name, layer.weight, layer.activation);
  }
  add_row("average", weight, activation);
  output.info.set("avg_weight", weight.tree());
  output.info.set("avg_activation", activation.tree());
  output.info.set("num_samples", rows);
  output.text = cat(drawn(table, TableStyle::Simple, context), "over ",
                    shown_rows(rows, context.samples->rows()),
                    "; averages are weighted by the number of elements\n");
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "add_natural_sparsity",
          .doc = "measure how many weights and inputs of linear and convolution layers are zero",
          .details =
              "Sparsity is the share of zeros, density the share of the rest. Both are kept\n"
              "in the software metadata of weight and data_in_0: natural_sparsity, density.",
          .args = {{.name = "num_samples",
                    .initial = 512,
                    .doc = "rows of the data set to run; fewer when it has fewer",
                    .bounds = {.least = 1}}},
          .needs = Needs::Software,
          .needs_samples = true,
          .run = run};
}

}  // namespace chop::passes::add_natural_sparsity
