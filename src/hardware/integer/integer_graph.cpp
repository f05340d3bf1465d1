#include "hardware/integer/integer_graph.hpp"

#include "hardware/integer/op_def.hpp"

namespace chop::hardware {

Interval IntegerType::range() const {
  if (ranges.empty()) return {};
  Interval all = ranges[0];
  for (const Interval& range : ranges) all = hull(all, range);
  return all;
}

std::int64_t IntegerNode::at(const std::string& attr, std::size_t element) const {
  const Codes& entries = attrs.at(attr);
  return entries[element * entries.size() / type.size()];
}

IntegerCall call_of(const IntegerGraph& graph, const IntegerNode& node) {
  IntegerCall call{node, {}};
  for (const std::size_t input : node.inputs) call.in.push_back(&graph.nodes[input].type);
  return call;
}

Result<IntegerGraph> with_argmax(IntegerGraph graph) {
  if (graph.outputs.size() != 1)
    return Error{.what =
                     cat("the network has ", graph.outputs.size(), " outputs, argmax takes one")};
  const std::size_t from = graph.outputs[0];
  IntegerNode node{.name = "argmax",
                   .op = "argmax",
                   .inputs = {from},
                   .type = {.shape = {1}, .frac = 0, .ranges = {{}}}};
  const auto is_taken = [&](const IntegerNode& other) { return other.name == node.name; };
  while (std::any_of(graph.nodes.begin(), graph.nodes.end(), is_taken)) node.name += "_";
  node.type.ranges = find_integer_op(node.op)->ranges(call_of(graph, node));
  graph.nodes.push_back(std::move(node));
  graph.outputs = {graph.nodes.size() - 1};
  return graph;
}

struct Interpreter::Step {
  const IntegerOpDef& op;
  IntegerCall call;
  std::vector<const Codes*> in;
  Codes& out;
};

Interpreter::Interpreter(const IntegerGraph& graph) : graph_(graph), values_(graph.nodes.size()) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const IntegerNode& node = graph.nodes[i];
    values_[i].resize(node.type.size());
    const IntegerOpDef& op = *find_integer_op(node.op);
    if (op.evaluate == nullptr) continue;
    Step step{op, call_of(graph, node), {}, values_[i]};
    for (const std::size_t input : node.inputs) step.in.push_back(&values_[input]);
    steps_.push_back(std::move(step));
  }
}

Interpreter::~Interpreter() = default;

const Codes& Interpreter::run(std::span<const Codes> inputs) {
  assert(inputs.size() == graph_.inputs.size() && "one list of codes for each input");
  for (std::size_t i = 0; i < inputs.size(); ++i) values_[graph_.inputs[i].node] = inputs[i];
  for (const Step& step : steps_) step.op.evaluate(step.call, step.in, step.out);
  outputs_.clear();
  for (const std::size_t output : graph_.outputs)
    outputs_.insert(outputs_.end(), values_[output].begin(), values_[output].end());
  return outputs_;
}

}  // namespace chop::hardware
