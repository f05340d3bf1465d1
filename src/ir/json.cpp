#include "ir/json.hpp"

#include "ir/json_fields.hpp"
#include "ir/verify.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::ir {
namespace {

Tree parameter_tree(const Parameter& parameter) {
  return Tree::Table{{"name", to_utf8(parameter.name)},
                     {"dtype", name_of(parameter.value.dtype())},
                     {"shape", parameter.value.shape()},
                     {"trainable", parameter.trainable}};
}

Tree node_tree(const Graph& graph, const Node& node) {
  Tree::List inputs;
  for (const Value& input : node.inputs) {
    std::string name = to_utf8(graph.node(input.node).name);
    if (input.index == 0)
      inputs.push_back(std::move(name));
    else
      inputs.push_back(Tree::List{std::move(name), input.index});
  }
  Tree json = Tree::Table{{"name", to_utf8(node.name)},
                          {"opcode", name_of(node.opcode)},
                          {"op", to_utf8(node.op)},
                          {"target", to_utf8(node.target)},
                          {"inputs", std::move(inputs)}};
  if (!node.attrs.empty()) json["attrs"] = tree_of(node.attrs);
  if (!node.formats.empty()) {
    Tree::Table formats;
    for (const auto& [operand, format] : node.formats)
      formats.emplace_back(to_utf8(operand), Tree::Table{{"name", to_utf8(format.name)},
                                                         {"config", tree_of(format.config)}});
    json["formats"] = std::move(formats);
  }
  if (!node.meta.empty()) json["meta"] = tree_of(node.meta);
  return json;
}

Status read_parameter(Graph& graph, const Tree& json, const std::string& path,
                      const ParameterSource& source) {
  CH_CHECK(check_object(json, path, {"name", "dtype", "shape", "trainable"}));
  CH_TRY(std::string name, text_from(json["name"], path + ".name"));
  Parameter parameter{.name = std::move(name)};
  TensorType type;
  CH_TRY(const std::string dtype, text_from(json["dtype"], path + ".dtype"));
  CH_TRY(type.dtype, dtype_from_name(dtype));
  CH_TRY(type.shape, integers_from(json["shape"], path + ".shape"));
  CH_TRY(parameter.trainable, flag_from(json["trainable"], path + ".trainable"));
  if (graph.find_parameter(parameter.name) != nullptr)
    return Error{.what = cat(path, ": a second parameter is named ", in_quotes(parameter.name))};
  Result<Tensor> value = source(parameter.name, type);
  if (!value) return std::move(value).error().note(cat("parameter ", in_quotes(parameter.name)));
  parameter.value = std::move(value).value();
  graph.add_parameter(std::move(parameter));
  return {};
}

Result<Value> read_input(const Graph& graph, const Tree& json, const std::string& path) {
  const bool numbered = json.is_list() && json.size() == 2;
  if (!numbered && !json.is_text())
    return unexpected(json, path, "a node's name or [name, number]");
  CH_TRY(const std::string name, text_from(numbered ? json[0] : json, path));
  std::int64_t number = 0;
  if (numbered) {
    CH_TRY(number, integer_from(json[1], path + "[1]"));
  }
  if (number < 0 || number > std::int64_t{std::numeric_limits<std::uint32_t>::max()})
    return Error{.what = cat(path, ": a node has no result ", number)};
  const auto node = graph.find(name);
  if (!node) return Error{.what = cat(path, ": no node before it is named ", in_quotes(name))};
  return Value{*node, static_cast<std::uint32_t>(number)};
}

Result<std::map<std::string, NumberFormat>> read_formats(const Tree& json,
                                                         const std::string& path) {
  if (!json.is_table()) return unexpected(json, path, "an object");
  std::map<std::string, NumberFormat> formats;
  for (const auto& [key, value] : *json.as_table()) {
    const std::string at = cat(path, ".", key);
    CH_CHECK(check_object(value, at, {"name", "config"}));
    NumberFormat& format = formats[from_utf8(key)];
    CH_TRY(format.name, text_from(value["name"], at + ".name"));
    CH_TRY(format.config, attrs_from(value["config"], at + ".config"));
  }
  return formats;
}

Status read_node(Graph& graph, const Tree& json, const std::string& path) {
  CH_CHECK(check_object(json, path, {"name", "opcode", "op", "target", "inputs"},
                        {"attrs", "formats", "meta"}));
  CH_TRY(std::string name, text_from(json["name"], path + ".name"));
  Node node{.name = std::move(name)};
  CH_TRY(const std::string opcode, text_from(json["opcode"], path + ".opcode"));
  CH_TRY(node.op, text_from(json["op"], path + ".op"));
  CH_TRY(node.target, text_from(json["target"], path + ".target"));
  if (node.name.empty()) return Error{.what = path + ": a node needs a name"};
  if (graph.find(node.name))
    return Error{.what = cat(path, ": a second node is named ", in_quotes(node.name))};
  const auto known = opcode_from_name(opcode);
  if (!known) return Error{.what = cat(path, ": unknown opcode ", in_quotes(opcode))};
  node.opcode = *known;
  const Tree& inputs = json["inputs"];
  if (!inputs.is_list()) return unexpected(inputs, path + ".inputs", "a list");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CH_TRY(node.inputs.emplace_back(), read_input(graph, inputs[i], cat(path, ".inputs[", i, "]")));
  }
  if (json.contains("attrs")) {
    CH_TRY(node.attrs, attrs_from(json["attrs"], path + ".attrs"));
  }
  if (json.contains("formats")) {
    CH_TRY(node.formats, read_formats(json["formats"], path + ".formats"));
  }
  if (json.contains("meta")) {
    CH_TRY(node.meta, metadata_from(json["meta"], path + ".meta"));
  }
  graph.add(std::move(node));
  return {};
}

Status check_version(const Tree& json) {
  if (!json.is_table() || !json.contains("version"))
    return Error{.what = "the graph JSON has no version"};
  CH_TRY(const std::int64_t version, integer_from(json["version"], "version"));
  if (version != kGraphJsonVersion)
    return Error{.what = cat("the graph JSON has version ", version,
                             ", this program reads version ", kGraphJsonVersion),
                 .hint = "read it with the program that wrote it, or a newer one"};
  return check_object(json, "graph", {"version", "name", "parameters", "nodes"});
}

}  // namespace

std::string to_json(const Graph& graph, int indent) {
  Tree::List parameters;
  for (const Parameter& parameter : graph.parameters())
    parameters.push_back(parameter_tree(parameter));
  Tree::List nodes;
  for (const NodeId id : graph.order()) nodes.push_back(node_tree(graph, graph.node(id)));
  const Tree json = Tree::Table{{"version", kGraphJsonVersion},
                                {"name", to_utf8(graph.name())},
                                {"parameters", std::move(parameters)},
                                {"nodes", std::move(nodes)}};
  return to_json(json, indent);
}

Result<Graph> graph_from_json(std::string_view text, const ParameterSource& source) {
  CH_TRY(const Tree json, parse_json(text, "the graph"));
  CH_CHECK(check_version(json));
  CH_TRY(std::string name, text_from(json["name"], "name"));
  Graph graph(std::move(name));
  const Tree& parameters = json["parameters"];
  if (!parameters.is_list()) return unexpected(parameters, "parameters", "a list");
  for (std::size_t i = 0; i < parameters.size(); ++i)
    CH_CHECK(read_parameter(graph, parameters[i], cat("parameters[", i, "]"), source));
  const Tree& nodes = json["nodes"];
  if (!nodes.is_list()) return unexpected(nodes, "nodes", "a list");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    CH_CHECK(read_node(graph, nodes[i], cat("nodes[", i, "]")));
  CH_CHECK(verify_structure(graph));
  return graph;
}

Result<Graph> graph_from_json(std::string_view text, const ReadLimits& limits) {
  ZeroTensors zeros(limits);
  return graph_from_json(
      text, ParameterSource([&](const std::string&, const TensorType& type) -> Result<Tensor> {
        return zeros.make(type);
      }));
}

}  // namespace chop::ir
