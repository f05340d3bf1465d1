#include "ops/core/builder.hpp"

#include "ops/core/init.hpp"
#include "ops/core/registry.hpp"

namespace chop::ops {
namespace {

constexpr std::int64_t kLargestValue = std::int64_t{1} << 40;
constexpr std::int64_t kBatch = 2;  // any number above one shows wrong broadcasts

/// Whether a value of this shape could be held at all, products not overflowing.
bool is_possible(const Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t dim : shape) {
    if (dim < 1) return dim == 0;
    if (dim > kLargestValue / size) return false;
    size *= dim;
  }
  return true;
}

bool is_known(const Types& types, Value value) {
  return index(value.node) < types.size() && value.index < types[index(value.node)].size();
}

}  // namespace

GraphBuilder::GraphBuilder(std::string name, std::uint64_t seed)
    : graph_(std::move(name)), seed_(seed) {}

void GraphBuilder::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

Value GraphBuilder::input(std::string_view name, Shape shape, DType dtype) {
  if (failed()) return {};
  Attrs attrs = {{"shape", shape}};
  if (dtype != DType::F32) attrs["dtype"] = std::string(name_of(dtype));
  TensorType type{dtype, std::move(shape)};
  for (std::int64_t& dim : type.shape)
    if (dim == -1) dim = kBatch;
  if (!is_possible(type.shape) || numel(type.shape) == 0) {
    fail({.what =
              cat("input '", name, "' has the shape ", to_string(std::get<Ints>(attrs["shape"]))),
          .hint = "every size must be at least 1, and -1 is the batch; a sample may hold 2^39 "
                  "numbers"});
    return {};
  }
  const NodeId id = graph_.add({.name = std::string(name),
                                .opcode = Opcode::Placeholder,
                                .op = "placeholder",
                                .target = std::string(name),
                                .attrs = std::move(attrs)});
  types_.resize(graph_.id_limit());
  types_[index(id)] = {std::move(type)};
  return {id};
}

Status GraphBuilder::own_parameters(const OpDef& op, const Node& node) {
  const auto known = modules_.find(node.target);
  if (known == modules_.end()) return add_parameters(graph_, op, node.attrs, node.target, seed_);
  const Node& first = graph_.node(known->second);
  if (first.op == node.op && first.attrs == node.attrs) return {};
  return Error{
      .what = cat("module '", node.target, "' is already a ",
                  module_repr(op_of(first), first.attrs), ", not a ", module_repr(op, node.attrs)),
      .hint = "a module used twice must be the same; give the other one its own name"};
}

Result<Value> GraphBuilder::try_call(Node node) {
  CH_TRY(const OpDef* op, find_op(node.op));
  CH_CHECK(check_attrs(*op, node.attrs, AttrsFrom::People));
  for (const Value& input : node.inputs)
    if (!is_known(types_, input))
      return Error{.what = cat(node.op, " reads a value this builder did not make")};
  if (node.opcode == Opcode::CallFunction) node.target = op->function;
  if (node.opcode == Opcode::CallMethod) node.target = op->method;
  if (node.target.empty())
    return Error{.what = cat(node.op, " cannot be called as a ",
                             node.opcode == Opcode::CallMethod ? "method" : "function")};
  const bool is_module = node.opcode == Opcode::CallModule;
  if (is_module) CH_CHECK(own_parameters(*op, node));
  const std::string target = node.target;
  const NodeId id = graph_.add(std::move(node));
  if (is_module) modules_.emplace(target, id);
  types_.resize(graph_.id_limit());
  CH_TRY(types_[index(id)], infer_node(graph_, id, types_));
  for (const TensorType& type : types_[index(id)])
    if (!is_possible(type.shape))
      return Error{.what = cat("the result would have the shape ", to_string(type.shape)),
                   .hint = "no machine holds that; look for a size with too many digits"};
  return Value{id};
}

Value GraphBuilder::call(Node node, std::string_view layer) {
  if (failed()) return {};
  const std::string note = cat("in layer '", layer, "'");
  Result<Value> value = try_call(std::move(node));
  if (value) return value.value();
  fail(std::move(value).error().note(note));
  return {};
}

Value GraphBuilder::module(std::string_view op, std::string_view target, std::vector<Value> inputs,
                           Attrs attrs) {
  return call({.opcode = Opcode::CallModule,
               .op = std::string(op),
               .target = std::string(target),
               .inputs = std::move(inputs),
               .attrs = std::move(attrs)},
              target);
}

Value GraphBuilder::function(std::string_view op, std::vector<Value> inputs, Attrs attrs,
                             std::string_view name) {
  return call({.name = std::string(name),
               .opcode = Opcode::CallFunction,
               .op = std::string(op),
               .inputs = std::move(inputs),
               .attrs = std::move(attrs)},
              name.empty() ? op : name);
}

Value GraphBuilder::method(std::string_view op, std::vector<Value> inputs, Attrs attrs,
                           std::string_view name) {
  return call({.name = std::string(name),
               .opcode = Opcode::CallMethod,
               .op = std::string(op),
               .inputs = std::move(inputs),
               .attrs = std::move(attrs)},
              name.empty() ? op : name);
}

const Shape& GraphBuilder::shape(Value value) const {
  static const Shape kNone;
  return failed() || !is_known(types_, value) ? kNone : type_of(types_, value).shape;
}

std::int64_t GraphBuilder::dim(Value value, std::size_t axis) const {
  const Shape& dims = shape(value);
  return axis < dims.size() ? dims[axis] : 1;
}

void GraphBuilder::initialise(std::string_view parameter, InitKind kind, double scale) {
  if (failed()) return;
  Parameter* found = graph_.find_parameter(parameter);
  if (found == nullptr) {
    fail({.what = cat("there is no parameter '", parameter, "' to initialise")});
    return;
  }
  fill(found->value, kind, scale, init_stream(seed_, parameter));
}

Result<Graph> GraphBuilder::finish(std::vector<Value> outputs) && {
  if (error_) return *std::move(error_);
  if (outputs.empty()) return Error{.what = cat("graph '", graph_.name(), "' has no output")};
  for (const Value& output : outputs)
    if (!is_known(types_, output))
      return Error{.what = cat("graph '", graph_.name(), "' returns a value it does not compute")};
  graph_.set_outputs(std::move(outputs));
  CH_CHECK(verify(graph_));
  return std::move(graph_);
}

}  // namespace chop::ops
