#include "ops/core/infer.hpp"

#include "ir/limits.hpp"
#include "ir/verify.hpp"
#include "ops/core/operand_count.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::ops {
namespace {

Result<TensorType> placeholder_type(const Node& node, std::int64_t batch) {
  TensorType type;
  const auto shape = node.attrs.find("shape");
  if (shape == node.attrs.end() || !std::holds_alternative<Ints>(shape->second))
    return Error{.what = cat("placeholder '", node.name, "' has no shape"),
                 .hint = "give it shape=[-1, ...]; -1 is the batch"};
  type.shape = std::get<Ints>(shape->second);
  for (std::int64_t& dim : type.shape) {
    if (dim == -1) dim = batch;
    if (dim < 0 || dim > (std::int64_t{1} << 40))
      return Error{.what = cat("placeholder '", node.name, "' has the dimension ", dim)};
  }
  if (Status status = ir::check_shape(type.shape, {.elements = std::int64_t{1} << 40}); !status)
    return std::move(status).error().note(cat("placeholder '", node.name, "'"));
  if (const auto dtype = node.attrs.find("dtype"); dtype != node.attrs.end()) {
    const auto* name = std::get_if<std::string>(&dtype->second);
    if (name == nullptr)
      return Error{.what = cat("placeholder '", node.name, "': dtype is not text")};
    CH_TRY(type.dtype, dtype_from_name(*name));
  }
  return type;
}

std::string describe(std::span<const TensorType> types) {
  std::vector<std::string> parts;
  parts.reserve(types.size());
  for (const TensorType& type : types) parts.push_back(to_string(type.shape));
  return parts.empty() ? "nothing" : join(parts, ", ");
}

Status check_parameters(const Graph& graph, const Node& node, const OpDef& op) {
  for (const ParamDef& def : op.params) {
    const Call call{op, node.attrs};
    if (!is_present(def, call)) continue;
    const std::string name = cat(node.target, ".", def.name);
    const Parameter* parameter = graph.find_parameter(name);
    if (parameter == nullptr)
      return Error{.what = cat("node '", node.name, "' (", op.name, ") needs the parameter '", name,
                               "', which the graph does not hold")};
    if (const Shape wanted = def.shape(call); parameter->value.shape() != wanted)
      return Error{.what =
                       cat("parameter '", name, "' has shape ", to_string(parameter->value.shape()),
                           ", ", op.name, " needs ", to_string(wanted))};
  }
  return {};
}

}  // namespace

Result<std::vector<TensorType>> infer_node(const Graph& graph, NodeId id, const Types& types) {
  const Node& node = graph.node(id);
  CH_TRY(const OpDef* op, find_op(node.op));
  std::vector<TensorType> in;
  for (const Value& input : node.inputs) {
    if (input.index >= types[index(input.node)].size())
      return Error{.what = cat("node '", node.name, "' reads result ", input.index, " of '",
                               graph.node(input.node).name, "', which has ",
                               types[index(input.node)].size())};
    in.push_back(type_of(types, input));
  }
  const std::size_t given = in.size();
  if (node.opcode == Opcode::CallModule) {
    CH_CHECK(check_parameters(graph, node, *op));
    for (const ParamDef& def : op->params)
      if (is_present(def, {*op, node.attrs}))
        in.push_back(graph.find_parameter(cat(node.target, ".", def.name))->value.type());
  }
  if (Status status = check_operand_count({*op, node.attrs}, in.size()); !status) {
    Error error = std::move(status).error();
    error.what = cat("node '", node.name, "': ", error.what);
    return error;
  }
  const std::size_t data_inputs =
      node.opcode == Opcode::CallModule ? given : given - parameter_count({*op, node.attrs});
  Result<std::vector<TensorType>> out = op->infer(TypedCall{{*op, node.attrs}, in});
  if (!out)
    return std::move(out).error().note(cat("node '", node.name, "' (", op->name, ") given ",
                                           describe(std::span(in).first(data_inputs))));
  return out;
}

Result<Types> infer_types(const Graph& graph, std::int64_t batch) {
  Types types(graph.id_limit());
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    switch (node.opcode) {
      case Opcode::Placeholder: {
        CH_TRY(TensorType type, placeholder_type(node, batch));
        types[index(id)] = {std::move(type)};
        break;
      }
      case Opcode::GetAttr: {
        const Parameter* parameter = graph.find_parameter(node.target);
        if (parameter == nullptr)
          return Error{.what = cat("node '", node.name, "' reads the parameter '", node.target,
                                   "', which the graph does not hold")};
        types[index(id)] = {parameter->value.type()};
        break;
      }
      case Opcode::Output:
        break;
      default: {
        CH_TRY(types[index(id)], infer_node(graph, id, types));
      }
    }
  }
  return types;
}

Status verify(const Graph& graph) {
  CH_CHECK(verify_structure(graph));
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.opcode == Opcode::Placeholder || node.opcode == Opcode::GetAttr ||
        node.opcode == Opcode::Output)
      continue;
    CH_TRY(const OpDef* op, find_op(node.op));
    Attrs attrs = node.attrs;
    if (Status status = check_attrs(*op, attrs); !status)
      return std::move(status).error().note(cat("node '", node.name, "'"));
    if (!same_bits(attrs, node.attrs))
      return Error{.what = cat("node '", node.name, "' holds an attribute of the wrong kind")};
  }
  CH_TRY(const Types types, infer_types(graph, 2));
  static_cast<void>(types);
  return {};
}

}  // namespace chop::ops
