// Type inference: one walk in topological order, in which each op's `infer` gives the types of its
// results from those of its operands. Verification infers types too, and checks attributes and
// formats.
#include "ops/core/infer.hpp"

#include "formats/registry.hpp"
#include "ir/limits.hpp"
#include "ir/verify.hpp"
#include "ops/core/operand_count.hpp"
#include "ops/core/quantise.hpp"
#include "ops/core/registry.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::ops {
namespace {

/// Attributes come from files: what an op makes of them must be a shape that could be held.
constexpr ir::ReadLimits kMostOfAValue{.elements = std::int64_t{1} << 40};

Result<const OpDef*> find_op(const Node& node) {
  Result<const OpDef*> found = ops::find_op(node.op);
  if (!found) return std::move(found).error().note(cat("node '", node.name, "'"));
  return found;
}

Result<TensorType> placeholder_type(const Node& node, std::int64_t batch) {
  TensorType type;
  const auto shape = node.attrs.find("shape");
  if (shape == node.attrs.end() || !std::holds_alternative<Ints>(shape->second))
    return Error{.what = cat("placeholder '", node.name, "' has no shape"),
                 .hint = "give it shape=[-1, ...]; -1 is the batch"};
  type.shape = std::get<Ints>(shape->second);
  for (std::int64_t& dim : type.shape) {
    if (dim == -1) dim = batch;
    if (dim < 0 || dim > kMostOfAValue.elements)
      return Error{.what = cat("placeholder '", node.name, "' has the dimension ", dim)};
  }
  if (Status status = ir::check_shape(type.shape, kMostOfAValue); !status)
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

Status check_inputs(const Graph& graph, const Node& node, const Types& types) {
  for (const Value& input : node.inputs)
    if (const std::size_t results = types[index(input.node)].size(); input.index >= results)
      return Error{.what = cat("node '", node.name, "' reads result ", input.index, " of '",
                               graph.node(input.node).name, "', which has ", results)};
  return {};
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
  CH_TRY(const OpDef* op, find_op(node));
  CH_CHECK(check_inputs(graph, node, types));
  std::vector<TensorType> in;
  for (const Value& input : node.inputs) in.push_back(type_of(types, input));
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
  Result<std::vector<TensorType>> out = [&]() -> Result<std::vector<TensorType>> {
    CH_CHECK(check_allowed(*op, node.attrs));
    CH_TRY(std::vector<TensorType> results, op->infer(TypedCall{{*op, node.attrs}, in}));
    for (const TensorType& type : results) CH_CHECK(ir::check_shape(type.shape, kMostOfAValue));
    return results;
  }();
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
        CH_CHECK(check_inputs(graph, node, types));
        break;
      default: {
        CH_TRY(types[index(id)], infer_node(graph, id, types));
      }
    }
  }
  return types;
}

namespace {

/// Attributes of nodes that are no calls.
struct Declared {
  Opcode opcode;
  const char* attr;
  FieldKind kind;
};
constexpr std::array kDeclared = {Declared{Opcode::Placeholder, "shape", FieldKind::Integers},
                                  Declared{Opcode::Placeholder, "dtype", FieldKind::Text},
                                  Declared{Opcode::Output, "names", FieldKind::Text}};

Status check_attrs(const Node& node) {
  for (const Declared& declared : kDeclared)
    if (const auto found = node.attrs.find(declared.attr); found != node.attrs.end() &&
                                                           node.opcode == declared.opcode &&
                                                           kind_of(found->second) != declared.kind)
      return Error{.what = cat("node '", node.name, "' holds an attribute of the wrong kind"),
                   .hint = cat(declared.attr, " is ", in_a_sentence(declared.kind))};
  if (!is_call(node.opcode)) return {};
  CH_TRY(const OpDef* op, find_op(node));
  Attrs attrs = node.attrs;
  if (Status status = check_attrs(*op, attrs); !status)
    return std::move(status).error().note(cat("node '", node.name, "'"));
  if (!same_bits(attrs, node.attrs))
    return Error{.what = cat("node '", node.name, "' holds an attribute of the wrong kind")};
  return {};
}

/// The operands and results of a node that may carry a format, with their types.
std::map<std::string, TensorType> formatted(const Graph& graph, NodeId id, const Types& types) {
  const Node& node = graph.node(id);
  std::map<std::string, TensorType> found;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    found.emplace(cat("data_in_", i), type_of(types, node.inputs[i]));
  for (std::size_t i = 0; i < types[index(id)].size(); ++i)
    found.emplace(cat("data_out_", i), types[index(id)][i]);
  if (node.opcode != Opcode::CallModule) return found;
  const OpDef& op = op_of(node);
  for (const ParamDef& def : op.params)
    if (is_present(def, {op, node.attrs}))
      found.emplace(def.name, graph.find_parameter(cat(node.target, ".", def.name))->value.type());
  return found;
}

Status check_formats(const Graph& graph, NodeId id, const Types& types) {
  const Node& node = graph.node(id);
  if (node.formats.empty()) return {};
  const std::map<std::string, TensorType> operands = formatted(graph, id, types);
  for (const auto& [operand, format] : node.formats) {
    const auto found = operands.find(operand);
    if (found == operands.end()) {
      std::vector<std::string> names;
      for (const auto& [name, type] : operands) names.push_back(name);
      return Error{.what = cat("node '", node.name, "' has a number format for ",
                               in_quotes(operand), ", which it does not have"),
                   .hint = cat("its operands and results are ", join(names, ", "))};
    }
    if (Result<NumberFormat> whole = complete(format); !whole)
      return std::move(whole).error().note(cat("node '", node.name, "', ", operand));
    const std::string_view learned = find_format(format.name).value()->learned;
    const Parameter* numbers =
        learned.empty() ? nullptr : graph.find_parameter(learned_parameter(node, operand, learned));
    if (numbers != nullptr && numbers->value.dtype() != DType::F32)
      return Error{.what = cat("parameter '", numbers->name, "' is ",
                               name_of(numbers->value.dtype()), ", ", format.name, " learns f32")};
    if (!format.is_plain() && !is_floating(found->second.dtype))
      return Error{.what = cat("node '", node.name, "': ", operand, " is ",
                               name_of(found->second.dtype),
                               ", and number formats are for real numbers")};
  }
  return {};
}

}  // namespace

Status verify(const Graph& graph) {
  CH_CHECK(verify_structure(graph));
  for (const NodeId id : graph.order()) CH_CHECK(check_attrs(graph.node(id)));
  CH_TRY(const Types types, infer_types(graph, 2));
  for (const NodeId id : graph.order()) CH_CHECK(check_formats(graph, id, types));
  return {};
}

}  // namespace chop::ops
