// One walk in topological order that copies each node: parameters become get_attr nodes, one per
// parameter; an operand or result with a format goes through a quantize call, which readers that
// want the same format share.
#include "compile/lower.hpp"

#include <tuple>

#include "formats/registry.hpp"
#include "ops/core/quantise.hpp"
#include "ops/core/registry.hpp"

namespace chop::compile {
namespace {

class Lowering {
 public:
  Lowering(const Graph& from, Mode mode)
      : from_(from), mode_(mode), result_{.graph = Graph(from.name())}, to_(result_.graph) {
    for (const Parameter& parameter : from.parameters()) to_.add_parameter(parameter);
  }

  Lowered run() {
    for (const NodeId id : from_.order()) {
      Node node = from_.node(id);
      for (Value& input : node.inputs) input = result_.read(input);
      if (node.opcode == Opcode::Output) {
        quantise_operands(node);
        to_.set_outputs(std::move(node.inputs));
        continue;
      }
      if (node.opcode == Opcode::GetAttr) {
        result_.nodes[id] = parameter(node.target).node;
        continue;
      }
      if (node.opcode != Opcode::Placeholder) make_explicit(node);
      const auto formats = std::move(node.formats);
      node.formats.clear();
      result_.nodes[id] = to_.add(std::move(node));
      quantise_results(id, formats);
    }
    return std::move(result_);
  }

 private:
  Value parameter(const std::string& name) {
    const auto found = read_.find(name);
    if (found != read_.end()) return {found->second};
    const NodeId id =
        to_.add({.name = name, .opcode = Opcode::GetAttr, .op = "get_attr", .target = name});
    read_.emplace(name, id);
    return {id};
  }

  void make_explicit(Node& node) {
    const OpDef& op = op_of(node);
    const std::size_t data_inputs = node.inputs.size();
    if (mode_ == Mode::Training && has(op.traits, Trait::TrainingMode))
      node.attrs[kTrainingAttr] = true;
    if (node.opcode == Opcode::CallModule) own_parameters(node, op);
    quantise_operands(node, data_inputs);
    node.opcode = Opcode::CallFunction;
  }

  /// Appends the parameters of a module, as it wants them. Weights are multiplied with their mask,
  /// and the call has no mask any more.
  void own_parameters(Node& node, const OpDef& op) {
    const ParamDef* const mask = mask_of({op, node.attrs});
    const std::size_t data_inputs = node.inputs.size();
    std::vector<const ParamDef*> own;
    for (const ParamDef& def : op.params)
      if (is_present(def, {op, node.attrs}) && &def != mask) {
        own.push_back(&def);
        node.inputs.push_back(parameter(cat(node.target, ".", def.name)));
      }
    for (std::size_t i = 0; i < own.size(); ++i) {
      Value& value = node.inputs[data_inputs + i];
      const std::string name(own[i]->name);
      const bool is_masked = mask != nullptr && own[i]->role == ParamRole::Weight;
      if (is_masked) value = product(cat(node.name, "_", name, "_masked"), value, node, *mask);
      value = quantised(value, node, name);
      if (is_masked && !keeps_zeros(node, name))
        value = product(cat(node.name, "_", name, "_masked_again"), value, node, *mask);
    }
    if (mask != nullptr) node.attrs.erase(std::string(mask->when));
  }

  Value product(std::string name, Value value, const Node& node, const ParamDef& mask) {
    return {to_.add({.name = std::move(name),
                     .opcode = Opcode::CallFunction,
                     .op = "mul",
                     .target = "mul",
                     .inputs = {value, parameter(cat(node.target, ".", mask.name))}})};
  }

  /// Whether the format of an operand leaves zeros zero: binary ones do not.
  static bool keeps_zeros(const Node& node, std::string_view operand) {
    const auto found = node.formats.find(std::string(operand));
    if (found == node.formats.end() || found->second.is_plain()) return true;
    const auto format = formats::complete(found->second);
    const FormatDef& def = *find_format(found->second.name).value();
    return format && def.range(formats::Config(format.value().config)).has_zero;
  }

  void quantise_operands(Node& node, std::size_t data_inputs) {
    for (std::size_t i = 0; i < data_inputs; ++i)
      node.inputs[i] = quantised(node.inputs[i], node, cat("data_in_", i));
  }
  void quantise_operands(Node& node) { quantise_operands(node, node.inputs.size()); }

  void quantise_results(NodeId id, const std::map<std::string, NumberFormat>& formats) {
    Node described = from_.node(id);
    described.formats = formats;
    for (std::uint32_t i = 0; formats.contains(cat("data_out_", i)); ++i)
      result_.formatted[{id, i}] = quantised(result_.made({id, i}), described, cat("data_out_", i));
  }

  /// `value` as the node's operand wants it.
  Value quantised(Value value, const Node& node, const std::string& operand) {
    const auto found = node.formats.find(operand);
    if (found == node.formats.end() || found->second.is_plain()) return value;
    const NumberFormat& format = found->second;
    std::vector<Value> inputs = {value};
    if (const std::string_view learned = find_format(format.name).value()->learned;
        !learned.empty())
      if (const std::string name = learned_parameter(node, operand, learned);
          from_.find_parameter(name) != nullptr)
        inputs.push_back(parameter(name));
    Attrs attrs = quantise_attrs(format);
    const auto key = std::make_tuple(inputs, std::get<std::string>(attrs.at("format")),
                                     std::get<std::string>(attrs.at("config")));
    if (const auto known = quantised_.find(key); known != quantised_.end()) return known->second;
    const Value made{to_.add({.name = ops::quantise_name(node, operand),
                              .opcode = Opcode::CallFunction,
                              .op = "quantize",
                              .target = "quantize",
                              .inputs = inputs,
                              .attrs = std::move(attrs)})};
    quantised_.emplace(key, made);
    return made;
  }

  const Graph& from_;
  Mode mode_;
  Lowered result_;
  Graph& to_;
  std::map<std::string, NodeId> read_;
  std::map<std::tuple<std::vector<Value>, std::string, std::string>, Value> quantised_;
};

}  // namespace

Lowered lower(const Graph& graph, Mode mode) {
  return Lowering(graph, mode).run();
}

}  // namespace chop::compile
