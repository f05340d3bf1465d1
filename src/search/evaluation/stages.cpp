// Cutting a network into stages. For x -> fc1 -> relu -> fc2 -> y with fc1 and fc2 searched, the
// only value that flows on before fc2 is relu's result, so the stages are [fc1, relu] and [fc2]. In
// a residual network two values flow on inside a block, so cuts lie between blocks only.
#include "search/evaluation/stages.hpp"

#include <set>

#include "formats/registry.hpp"
#include "ops/core/quantise.hpp"

namespace chop::search {
namespace {

/// Values made before position `at` of the order that are read from there on.
std::set<Value> flowing(const Graph& graph, std::size_t at) {
  const auto order = graph.order();
  std::set<NodeId> before(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at));
  std::set<Value> found;
  for (std::size_t i = at; i < order.size(); ++i)
    for (const Value& input : graph.node(order[i]).inputs)
      if (before.contains(input.node) && graph.node(input.node).opcode != Opcode::GetAttr)
        found.insert(input);
  return found;
}

/// The shape of one sample, when the first dimension is the batch.
std::optional<Shape> sample_shape(Value value, const Types& small, const Types& large) {
  const TensorType& a = type_of(small, value);
  const TensorType& b = type_of(large, value);
  if (a.dtype != DType::F32 || a.shape.empty() || a.shape[0] != 2 || b.shape[0] != 3) return {};
  if (!std::equal(a.shape.begin() + 1, a.shape.end(), b.shape.begin() + 1, b.shape.end()))
    return {};
  return Shape(a.shape.begin() + 1, a.shape.end());
}

/// The parameters a node reads, those its formats learn among them.
std::vector<std::string> parameters_of(const Graph& graph, const Node& node) {
  std::vector<std::string> found;
  if (node.opcode == Opcode::CallModule)
    for (const Parameter& parameter : graph.parameters())
      if (parameter.name.starts_with(node.target + ".")) found.push_back(parameter.name);
  for (const auto& [operand, format] : node.formats)
    if (const std::string_view learned = find_format(format.name).value()->learned;
        !learned.empty()) {
      const std::string name = learned_parameter(node, operand, learned);
      if (node.opcode != Opcode::CallModule && graph.find_parameter(name) != nullptr)
        found.push_back(name);
    }
  return found;
}

/// Copies nodes one by one, and with them what they own.
class StageBuilder {
 public:
  StageBuilder(const Graph& from, const GraphStage& stage) : from_(from), to_(from.name()) {
    Ints shape = {-1};
    shape.insert(shape.end(), stage.sample.begin(), stage.sample.end());
    const NodeId input = to_.add({.name = "stage_input",
                                  .opcode = Opcode::Placeholder,
                                  .op = "placeholder",
                                  .target = "stage_input",
                                  .attrs = {{"shape", shape}, {"dtype", "f32"}}});
    placed_[stage.input.node] = input;
    input_ = stage.input;
  }

  Value place(Value value) {
    if (value == input_) return {placed_.at(value.node)};
    const auto known = placed_.find(value.node);
    if (known != placed_.end()) return {known->second, value.index};
    return {copy(value.node), value.index};  // a get_attr
  }

  NodeId copy(NodeId id) {
    Node node = from_.node(id);
    for (Value& input : node.inputs) input = place(input);
    node.meta = {};
    if (node.opcode == Opcode::GetAttr) add_parameter(node.target);
    if (is_call(node.opcode))
      for (const std::string& name : parameters_of(from_, node)) add_parameter(name);
    const NodeId made = to_.add(std::move(node));
    placed_[id] = made;
    return made;
  }

  Graph finish(const std::vector<Value>& outputs) {
    std::vector<Value> placed;
    for (const Value& output : outputs) placed.push_back(place(output));
    to_.set_outputs(placed);
    return std::move(to_);
  }

 private:
  void add_parameter(const std::string& name) {
    if (to_.find_parameter(name) == nullptr && from_.find_parameter(name) != nullptr)
      to_.add_parameter(*from_.find_parameter(name));
  }

  const Graph& from_;
  Graph to_;
  Value input_;
  std::map<NodeId, NodeId> placed_;
};

}  // namespace

Result<std::vector<GraphStage>> cut_into_stages(const Graph& graph,
                                                const std::vector<NodeId>& searched) {
  CH_TRY(const Types small, infer_types(graph, 2));
  CH_TRY(const Types large, infer_types(graph, 3));
  std::set<NodeId> wanted(searched.begin(), searched.end());
  if (graph.placeholders().size() != 1 || !sample_shape({graph.placeholders()[0]}, small, large))
    wanted.clear();
  std::vector<GraphStage> stages;
  const auto order = graph.order();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& node = graph.node(order[i]);
    if (stages.empty()) {
      if (node.opcode != Opcode::Placeholder) continue;
      const auto sample = sample_shape({order[i]}, small, large);
      stages.push_back({.nodes = {}, .input = {order[i]}, .sample = sample.value_or(Shape{})});
      continue;
    }
    if (!is_call(node.opcode)) continue;
    if (wanted.contains(order[i]) && !stages.back().nodes.empty()) {
      const std::set<Value> through = flowing(graph, i);
      if (through.size() == 1)
        if (const auto sample = sample_shape(*through.begin(), small, large))
          stages.push_back({.nodes = {}, .input = *through.begin(), .sample = *sample});
    }
    stages.back().nodes.push_back(order[i]);
  }
  if (stages.empty()) return Error{.what = cat("graph '", graph.name(), "' has no input")};
  return stages;
}

Graph stage_graph(const Graph& graph, const std::vector<GraphStage>& stages, std::size_t number) {
  if (stages.size() == 1) return graph;
  StageBuilder builder(graph, stages[number]);
  for (const NodeId id : stages[number].nodes) builder.copy(id);
  return builder.finish(number + 1 < stages.size() ? std::vector<Value>{stages[number + 1].input}
                                                   : graph.outputs());
}

std::string stage_key(const Graph& graph, const GraphStage& stage) {
  std::string key;
  for (const NodeId id : stage.nodes) {
    const Node& node = graph.node(id);
    for (const auto& [operand, format] : node.formats) {
      key.append(operand).append(1, '=').append(format.name);
      for (const auto& [name, value] : format.config)
        key.append(1, ',').append(name).append(1, ':').append(ir::to_text(value));
      const std::string_view learned = find_format(format.name).value()->learned;
      if (const Parameter* parameter =
              learned.empty() ? nullptr
                              : graph.find_parameter(learned_parameter(node, operand, learned))) {
        key.append(1, '@').append(reinterpret_cast<const char*>(parameter->value.bytes()),
                                  parameter->value.size_in_bytes());
      }
      key.append(1, ';');
    }
    key.append(1, '|');
  }
  return key;
}

}  // namespace chop::search
