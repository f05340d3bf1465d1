// Each ONNX call is folded if its operands are constants, otherwise its definition adds nodes of
// ours.
#include "onnx/importer.hpp"

#include "ir/limits.hpp"
#include "ops/core/operand_count.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;  // of any value
constexpr std::size_t kMostDims = 64;

/// A valid torch.fx name: letters, digits and _.
std::string as_name(std::string_view text) {
  std::string name;
  for (const char c : text)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  const std::size_t first = name.find_first_not_of('_');
  name = first == std::string::npos ? "" : name.substr(first);
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "_" + name;
  return name.substr(0, 80);
}

}  // namespace

bool is_possible(const Shape& shape) {
  return shape.size() <= kMostDims && check_shape(shape, {.elements = kMostElements});
}

ImportValue Importer::add(Item item) {
  items_.push_back(std::move(item));
  return static_cast<ImportValue>(items_.size() - 1);
}

void Importer::fail(Error error) {
  if (error_) return;
  error_ = location_.empty() ? std::move(error) : std::move(error).note(location_);
}

void Importer::set_location(std::string node_name, std::string location) {
  node_name_ = as_name(node_name);
  location_ = std::move(location);
}

ImportValue Importer::input(const std::string& name, Shape shape, DType dtype) {
  std::array<TensorType, 2> types = {TensorType{dtype, shape}, TensorType{dtype, shape}};
  for (std::size_t b = 0; b < 2; ++b)
    for (std::int64_t& dim : types.at(b).shape)
      if (dim == -1) {
        dim = kBatches.at(b);
        open_ = true;
      }
  if (!is_possible(types[0].shape)) {
    fail({.what = cat("input '", name, "' has the shape ", to_string(shape))});
    return add({});
  }
  Attrs attrs = {{"shape", std::move(shape)}};
  if (dtype != DType::F32) attrs["dtype"] = std::string(chop::name_of(dtype));
  std::string node_name = as_name(name);
  const NodeId id = graph_.add({.name = node_name.empty() ? "input" : node_name,
                                .opcode = Opcode::Placeholder,
                                .op = "placeholder",
                                .target = name,
                                .attrs = std::move(attrs)});
  for (std::size_t b = 0; b < 2; ++b) {
    types_.at(b).resize(graph_.id_limit());
    types_.at(b)[index(id)] = {types.at(b)};
  }
  return add({.type = types[0], .value = Value{id}});
}

ImportValue Importer::constant(Tensor tensor, std::string name) {
  return add({.type = tensor.type(), .constant = Constant(tensor), .name = std::move(name)});
}

ImportValue Importer::constant(Constant both) {
  return add({.type = both.at[0].type(), .constant = std::move(both)});
}

ImportValue Importer::lazily(TensorType type, std::function<ImportValue()> make) {
  return add({.type = std::move(type), .make = std::move(make)});
}

void Importer::force(ImportValue x) {
  if (!item(x).make) return;
  const std::function<ImportValue()> make = std::exchange(item(x).make, {});
  const ImportValue made = make();
  if (failed() || made == kNone) return;
  force(made);
  const Item copy = item(made);
  item(x) = copy;
}

const TensorType& Importer::type(ImportValue x) {
  static const TensorType kNothing;
  return failed() || x == kNone ? kNothing : item(x).type;
}

Shape Importer::open_shape(ImportValue x) {
  if (failed()) return {};
  force(x);
  if (failed()) return {};
  const Item& it = item(x);
  Shape shape = it.type.shape;
  if (!open_) return shape;
  const Shape& other =
      it.constant ? it.constant->at[1].shape() : type_of(types_[1], *it.value).shape;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != other[d]) shape[d] = -1;
  return shape;
}

ImportValue Importer::quantised(ImportValue x, NumberFormat format) {
  if (failed()) return kNone;
  force(x);
  if (failed()) return kNone;
  Item copy = item(x);
  if (copy.format) {  // a second format: the first one is applied by a node
    const ImportValue once = call("identity", {x});
    if (failed()) return kNone;
    copy = item(once);
  }
  copy.format = std::move(format);
  return add(std::move(copy));
}

ImportValue Importer::without_format(ImportValue x) {
  if (failed() || !item(x).format) return x;
  Item copy = item(x);
  copy.format.reset();
  return add(std::move(copy));
}

ImportValue Importer::call(std::string_view op, std::vector<ImportValue> in, Attrs attrs) {
  return calls(op, std::move(in), std::move(attrs), 1)[0];
}

std::vector<ImportValue> Importer::calls(std::string_view op, std::vector<ImportValue> in,
                                         Attrs attrs, std::size_t results) {
  const std::vector<ImportValue> nothing(results, kNone);
  if (failed()) return nothing;
  Result<const OpDef*> found = find_op(op);
  if (!found) {
    fail(std::move(found).error());
    return nothing;
  }
  const OpDef& def = *found.value();
  if (Status status = check_attrs(def, attrs); !status) {
    fail(std::move(status).error());
    return nothing;
  }
  bool all_constant = true;
  for (const ImportValue x : in) all_constant = is_constant(x) && all_constant;
  if (failed()) return nothing;
  if (all_constant && !in.empty()) {
    const auto constants = fold_constants(def, in, attrs);
    if (!constants || constants->size() < results) return nothing;
    return *constants;
  }
  const std::string target(!def.function.empty() ? def.function : def.method);
  return emit({.name = std::exchange(node_name_, {}),
               .opcode = def.function.empty() ? Opcode::CallMethod : Opcode::CallFunction,
               .op = std::string(op),
               .target = target.empty() ? std::string(op) : target,
               .attrs = std::move(attrs)},
              in, results);
}

std::vector<ImportValue> Importer::emit(Node node, const std::vector<ImportValue>& in,
                                        std::size_t results) {
  const std::vector<ImportValue> nothing(results, kNone);
  for (std::size_t i = 0; i < in.size(); ++i) {
    node.inputs.push_back(value_of(in[i]));
    if (failed()) return nothing;
    if (item(in[i]).format) node.formats[cat("data_in_", i)] = *item(in[i]).format;
  }
  const NodeId id = graph_.add(std::move(node));
  for (std::size_t b = 0; b < (open_ ? 2 : 1); ++b) {
    types_.at(b).resize(graph_.id_limit());
    Result<std::vector<TensorType>> types = infer_node(graph_, id, types_.at(b));
    if (!types) {
      fail(std::move(types).error());
      return nothing;
    }
    for (const TensorType& type : types.value())
      if (!is_possible(type.shape)) {
        fail({.what = cat("the result would have the shape ", to_string(type.shape))});
        return nothing;
      }
    types_.at(b)[index(id)] = std::move(types).value();
  }
  if (types_[0][index(id)].size() < results) {
    fail({.what = cat("node '", graph_.node(id).name, "' has no result ", results - 1)});
    return nothing;
  }
  std::vector<ImportValue> operands;
  for (std::uint32_t i = 0; i < results; ++i)
    operands.push_back(add({.type = types_[0][index(id)][i], .value = Value{id, i}}));
  return operands;
}

std::string Importer::parameter_name(const std::string& wanted) {
  const std::string base = wanted.empty() ? "constant" : wanted;
  std::string name = base;
  while (graph_.find_parameter(name) != nullptr) name = cat(base, "_", ++last_used_[base]);
  return name;
}

/// The graph inputs a value depends on.
std::set<std::string> Importer::inputs_of(ImportValue x) const {
  std::set<std::string> inputs;
  if (!item(x).value) return inputs;
  std::vector<bool> needed(graph_.id_limit(), false);
  needed[index(item(x).value->node)] = true;
  const std::span<const NodeId> order = graph_.order();
  for (std::size_t i = order.size(); i-- > 0;) {
    if (!needed[index(order[i])]) continue;
    const Node& node = graph_.node(order[i]);
    if (node.opcode == Opcode::Placeholder) inputs.insert(node.target);
    for (const Value& input : node.inputs) needed[index(input.node)] = true;
  }
  return inputs;
}

Value Importer::value_of(ImportValue x) {
  if (failed()) return {};
  force(x);
  if (failed()) return {};
  Item& it = item(x);
  if (it.value) return *it.value;
  if (!it.constant->is_fixed()) {
    fail({.what = "a constant tensor depends on the batch size",
          .hint = "export the network for one batch size"});
    return {};
  }
  if (const auto shared = interned_.find(it.name); !it.name.empty() && shared != interned_.end())
    if (item(shared->second).value && item(shared->second).constant->at[0] == it.constant->at[0])
      return *(it.value = item(shared->second).value);
  const Tensor tensor = it.constant->at[0];
  const std::string name = parameter_name(it.name);
  const bool trainable = !it.name.empty() && tensor.dtype() == DType::F32;
  graph_.add_parameter({name, tensor, trainable});
  const NodeId id = graph_.add(
      {.name = as_name(name), .opcode = Opcode::GetAttr, .op = "get_attr", .target = name});
  for (Types& types : types_) {
    types.resize(graph_.id_limit());
    types[index(id)] = {tensor.type()};
  }
  if (!it.name.empty()) interned_[it.name] = x;
  return *(it.value = Value{id});
}

std::optional<NodeId> Importer::producer(ImportValue x) const {
  if (failed() || x == kNone || !item(x).value || item(x).constant || item(x).format)
    return std::nullopt;
  return item(x).value->node;
}

Result<Graph> Importer::finish(const std::vector<ImportValue>& outputs,
                               const std::vector<std::string>& names) {
  set_location("", "");
  std::vector<Value> values;
  for (const ImportValue x : outputs) {
    values.push_back(value_of(x));
    if (failed()) return *error_;
  }
  graph_.set_outputs(values);
  const NodeId id = graph_.order().back();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (item(outputs[i]).format)
      graph_.node(id).formats[cat("data_in_", i)] = *item(outputs[i]).format;
  graph_.node(id).attrs["names"] = join(names, "\n");
  graph_.drop_unused();
  CH_CHECK(verify(graph_));
  return std::move(graph_);
}

}  // namespace chop::onnx
