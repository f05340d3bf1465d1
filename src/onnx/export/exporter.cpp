#include "onnx/export/exporter.hpp"

#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "onnx/model_file.hpp"
#include "onnx/onnx_def.hpp"
#include "ops/core/quantise.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

constexpr int kOpset = 17;
constexpr int kIrVersion = 8;

void set_type(proto::ValueInfoProto& info, const std::string& name, const TensorType& type) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx_type_of(type.dtype));
  tensor.mutable_shape();
  for (const std::int64_t dim : type.shape) {
    auto& out = *tensor.mutable_shape()->add_dim();
    if (dim == -1)
      out.set_dim_param("N");
    else
      out.set_dim_value(dim);
  }
}

}  // namespace

std::string Exporter::unique(const std::string& wanted) {
  std::string name = wanted.empty() ? "value" : wanted;
  for (int n = 1; !taken_.insert(name).second; ++n) name = cat(wanted, "_", n);
  return name;
}

proto::NodeProto& Exporter::add(const std::string& op_type, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs,
                                const std::string& domain) {
  proto::NodeProto& node = *graph().add_node();
  node.set_op_type(op_type);
  node.set_name(cat(op_type, "_", graph().node_size() - 1));
  if (!domain.empty()) node.set_domain(domain);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

std::string Exporter::make(const std::string& op_type, const std::vector<std::string>& inputs,
                           const std::string& domain) {
  std::string name = unique(cat(op_type, "_out"));
  add(op_type, inputs, {name}, domain);
  return name;
}

std::string Exporter::constant(const Tensor& tensor, const std::string& wanted) {
  const std::string key =
      cat(name_of(tensor.dtype()), to_string(tensor.shape()), ":",
          std::string_view(reinterpret_cast<const char*>(tensor.bytes()), tensor.size_in_bytes()));
  if (const auto known = constants_.find(key); known != constants_.end()) return known->second;
  const std::string name = unique(wanted);
  *graph().add_initializer() = to_proto(tensor, name);
  return constants_[key] = name;
}

std::string Exporter::parameter(const std::string& name) {
  if (const auto known = parameters_.find(name); known != parameters_.end()) return known->second;
  const std::string initialiser = unique(name);
  *graph().add_initializer() = to_proto(from_.find_parameter(name)->value, initialiser);
  return parameters_[name] = initialiser;
}

Status Exporter::infer() {
  CH_TRY(const Types two, infer_types(from_, 2));
  CH_TRY(const Types three, infer_types(from_, 3));
  types_ = two;
  for (std::size_t n = 0; n < types_.size(); ++n)
    for (std::size_t r = 0; r < types_[n].size(); ++r)
      for (std::size_t d = 0; d < types_[n][r].shape.size(); ++d)
        if (two[n][r].shape[d] != three[n][r].shape[d]) types_[n][r].shape[d] = -1;
  return {};
}

/// Results that leave the network have the names of its outputs.
void Exporter::name_results() {
  std::map<Value, std::string> outputs;
  const Node* output = nullptr;
  for (const NodeId id : from_.order())
    if (from_.node(id).opcode == Opcode::Output) output = &from_.node(id);
  if (output != nullptr) {
    const auto given = output->attrs.find("names");
    std::vector<std::string> names;
    if (given != output->attrs.end()) names = split(std::get<std::string>(given->second), '\n');
    for (std::size_t i = 0; i < output->inputs.size(); ++i) {
      const Value value = output->inputs[i];
      const Opcode opcode = from_.node(value.node).opcode;
      if (i < names.size() && opcode != Opcode::Placeholder && opcode != Opcode::GetAttr &&
          !output->formats.contains(cat("data_in_", i)) &&
          !from_.node(value.node).formats.contains(cat("data_out_", value.index)))
        outputs.emplace(value, names[i]);
    }
  }
  for (const NodeId id : from_.placeholders())
    names_[{id}] =
        unique(from_.node(id).target.empty() ? from_.node(id).name : from_.node(id).target);
  for (const auto& [value, name] : outputs) names_[value] = unique(name);
  for (const NodeId id : from_.order())
    for (std::uint32_t r = 0; r < types_[index(id)].size(); ++r)
      if (const Value value{id, r};
          !names_.contains(value) && from_.node(id).opcode != Opcode::GetAttr)
        names_[value] = unique(r == 0 ? from_.node(id).name : cat(from_.node(id).name, "_", r));
}

void Exporter::write_input(NodeId id) {
  set_type(*graph().add_input(), names_.at({id}), types_[index(id)][0]);
}

std::string Exporter::quantised(const std::string& value, const Tensor* known, const Node& node,
                                const std::string& operand, const TensorType& type) {
  const auto& [dtype, shape] = type;
  const auto found = node.formats.find(operand);
  if (found == node.formats.end() || found->second.is_plain()) return value;
  const NumberFormat& format = found->second;
  const FormatDef& def = *find_format(format.name).value();
  const Parameter* learned =
      def.learned.empty() ? nullptr
                          : from_.find_parameter(learned_parameter(node, operand, def.learned));
  Shape of_one = shape;  // -1 is the batch here
  std::replace(of_one.begin(), of_one.end(), std::int64_t{-1}, std::int64_t{1});
  const Result<Quantiser> quantiser = Quantiser::make(format, of_one);
  if (!quantiser ||
      (learned != nullptr && learned->value.shape() != Shape{quantiser.value().learned_size()})) {
    fail(cat(node.name, ": ", operand, " in ", display(format), ", which its shape does not suit"));
    return value;
  }
  const std::string key =
      cat(value, "|", display(format), "|", learned == nullptr ? "" : learned->name);
  if (const auto done = quantised_.find(key); done != quantised_.end() && learned == nullptr)
    return done->second;
  // Quantisers of ONNX take float32; numbers of other widths are converted and back.
  std::string wide = value;
  if (dtype != DType::F32) {
    wide = make("Cast", {value});
    ExportCall::set(last(), "to", std::int64_t{onnx_type_of(DType::F32)});
  }
  std::string name =
      write_format(*this, wide, format, shape, learned == nullptr ? nullptr : &learned->value);
  if (!name.empty() && dtype != DType::F32) {
    name = make("Cast", {name});
    ExportCall::set(last(), "to", std::int64_t{onnx_type_of(dtype)});
  }
  if (name.empty() && known != nullptr) {
    // A constant can always be written as the numbers it becomes.
    QuantiseRun run;
    std::vector<float> values;
    if (learned != nullptr)
      values.assign(learned->value.data<float>().begin(), learned->value.data<float>().end());
    run.learned = values;
    if (Result<Tensor> numbers = quantise(format, known->to(DType::F32), run); numbers)
      name = constant(numbers.value().to(dtype), cat(value, "_quantized"));
  }
  if (name.empty()) {
    fail(cat(node.name, ": ", operand, " in ", display(format)));
    return value;
  }
  return quantised_[key] = name;
}

void Exporter::write_call(NodeId id) {
  const Node& node = from_.node(id);
  const OpDef& op = op_of(node);
  std::vector<std::string> inputs;
  std::vector<TensorType> types;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Node& source = from_.node(node.inputs[i].node);
    const Tensor* known =
        source.opcode == Opcode::GetAttr ? &from_.find_parameter(source.target)->value : nullptr;
    types.push_back(type_of(types_, node.inputs[i]));
    inputs.push_back(
        quantised(names_.at(node.inputs[i]), known, node, cat("data_in_", i), types.back()));
  }
  std::vector<std::string> parameters;
  const ParamDef* mask = mask_of({op, node.attrs});
  if (node.opcode == Opcode::CallModule)
    for (const ParamDef& def : op.params) {
      if (!is_present(def, {op, node.attrs}) || &def == mask) continue;
      const std::string name = cat(node.target, ".", def.name);
      const Tensor& value = from_.find_parameter(name)->value;
      parameters.push_back(
          quantised(parameter(name), &value, node, std::string(def.name), value.type()));
      // Weights beside a mask are 0, which not every format keeps.
      if (mask != nullptr && def.role == ParamRole::Weight &&
          node.formats.contains(std::string(def.name)))
        parameters.back() =
            make("Mul", {parameters.back(), parameter(cat(node.target, ".", mask->name))});
    }
  std::vector<std::string> outputs;
  for (std::uint32_t r = 0; r < types_[index(id)].size(); ++r)
    outputs.push_back(names_.at({id, r}));
  auto* const write = find_onnx_export(node.op);
  if (write == nullptr) return fail(cat(node.name, ": the op ", node.op));
  // A result read through a format is made under another name.
  for (std::uint32_t r = 0; r < outputs.size(); ++r)
    if (node.formats.contains(cat("data_out_", r))) outputs[r] = unique(cat(outputs[r], "_plain"));
  ExportCall call(*this, node, std::move(inputs), std::move(parameters), std::move(types),
                  types_[index(id)], outputs);
  write(call);
  for (std::uint32_t r = 0; r < outputs.size(); ++r)
    if (const std::string operand = cat("data_out_", r); node.formats.contains(operand))
      names_[{id, r}] = quantised(outputs[r], nullptr, node, operand, types_[index(id)][r]);
}

void Exporter::write_outputs(const Node& node) {
  const auto given = node.attrs.find("names");
  std::vector<std::string> wanted;
  if (given != node.attrs.end()) wanted = split(std::get<std::string>(given->second), '\n');
  std::set<std::string> done;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value value = node.inputs[i];
    const TensorType& type = type_of(types_, value);
    std::string name = quantised(names_.at(value), nullptr, node, cat("data_in_", i), type);
    const Opcode opcode = from_.node(value.node).opcode;
    const bool own = opcode != Opcode::Placeholder && opcode != Opcode::GetAttr;
    const std::string called = i < wanted.size() ? wanted[i] : own ? name : cat("output_", i);
    if (name != called || !own || done.contains(name)) {
      const std::string copy = unique(called);
      add("Identity", {name}, {copy});
      name = copy;
    }
    done.insert(name);
    set_type(*graph().add_output(), name, type);
  }
}

Result<std::string> Exporter::run() {
  CH_CHECK(infer());
  model_.set_ir_version(kIrVersion);
  model_.set_producer_name("chop");
  model_.set_producer_version(CH_VERSION);
  graph().set_name(from_.name());
  name_results();
  for (const NodeId id : from_.order()) {
    const Node& node = from_.node(id);
    switch (node.opcode) {
      case Opcode::Placeholder:
        write_input(id);
        break;
      case Opcode::GetAttr:
        names_[{id}] = parameter(node.target);
        break;
      case Opcode::Output:
        write_outputs(node);
        break;
      default:
        write_call(id);
    }
  }
  if (!problems_.empty())
    return Error{
        .what = cat("ONNX cannot hold ",
                    join(std::vector<std::string>(problems_.begin(), problems_.end()), "; ")),
        .hint =
            "integer, affine, lsq_integer and binary formats of activations can be "
            "written, and any format of weights"};
  auto& main = *model_.add_opset_import();
  main.set_domain("");
  main.set_version(kOpset);
  for (const std::string& domain : domains_) {
    auto& set = *model_.add_opset_import();
    set.set_domain(domain);
    set.set_version(1);
  }
  return model_.SerializeAsString();
}

Result<std::string> export_onnx(const Graph& graph, const OnnxExportOptions& options) {
  Result<std::string> bytes = Exporter(graph, options).run();
  if (!bytes) return std::move(bytes).error().note(cat("while writing ", graph.name(), " as ONNX"));
  return bytes;
}

}  // namespace chop::onnx
