#include "compile/run_graph.hpp"

#include <cstring>
#include <set>

#include "compile/compile.hpp"
#include "support/text.hpp"

namespace chop::compile {
namespace {

const NamedTensors::value_type* given_for(const Node& input, const NamedTensors& inputs) {
  for (const std::string& name : {input.target, input.name})
    if (const auto found = inputs.find(name); found != inputs.end()) return &*found;
  return nullptr;
}

Shape declared_shape(const Node& input) {
  return std::get<Ints>(input.attrs.at("shape"));
}

DType declared_dtype(const Node& input) {
  const auto found = input.attrs.find("dtype");
  return found == input.attrs.end() ? DType::F32
                                    : dtype_from_name(std::get<std::string>(found->second)).value();
}

/// "x f32 [-1, 16]" for each input.
std::string wanted(const Graph& graph) {
  std::vector<std::string> list;
  for (const NodeId id : graph.placeholders()) {
    const Node& input = graph.node(id);
    list.push_back(cat(input.target, " ", name_of(declared_dtype(input)), " ",
                       to_string(declared_shape(input))));
  }
  return list.empty() ? "no inputs" : join(list, ", ");
}

/// The batch size the given inputs agree on; an error where a shape does not fit.
Result<std::int64_t> batch_of(const Graph& graph, const NamedTensors& inputs) {
  std::optional<std::int64_t> batch;
  std::set<std::string> used;
  for (const NodeId id : graph.placeholders()) {
    const Node& input = graph.node(id);
    const auto* given = given_for(input, inputs);
    if (given == nullptr)
      return Error{.what = cat("no values for the input '", input.target, "'"),
                   .hint = cat("the network takes ", wanted(graph))};
    used.insert(given->first);
    const Shape declared = declared_shape(input);
    const Shape& shape = given->second.shape();
    bool fits = declared.size() == shape.size();
    for (std::size_t d = 0; fits && d < shape.size(); ++d) {
      if (declared[d] == -1) {
        fits = !batch || *batch == shape[d];
        batch = shape[d];
      } else {
        fits = declared[d] == shape[d];
      }
    }
    if (!fits)
      return Error{.what = cat("the input '", given->first, "' has the shape ", to_string(shape)),
                   .hint = cat("the network takes ", wanted(graph),
                               batch ? cat(", -1 being the same for all inputs") : "")};
  }
  for (const auto& [name, tensor] : inputs)
    if (!used.contains(name))
      return Error{.what = cat("the network has no input '", name, "'"),
                   .hint = cat("it takes ", wanted(graph))};
  if (batch && *batch < 1)
    return Error{.what = "the inputs have no rows", .hint = "give at least one"};
  return batch.value_or(1);
}

/// The same numbers in the network's type, if it can hold them all.
Result<Tensor> as_type(const Tensor& tensor, DType dtype, const std::string& name) {
  if (tensor.dtype() == dtype) return tensor;
  Tensor converted = tensor.to(dtype);
  const bool rounds = is_floating(tensor.dtype()) && is_floating(dtype);
  if (!rounds && !(converted.to(tensor.dtype()) == tensor))
    return Error{.what = cat("the input '", name, "' is ", name_of(tensor.dtype()),
                             ", and its values are not all ", name_of(dtype)),
                 .hint = cat("give it as ", name_of(dtype))};
  return converted;
}

}  // namespace

std::vector<std::string> output_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.opcode != Opcode::Output) continue;
    if (const auto given = node.attrs.find("names"); given != node.attrs.end())
      if (const auto* text = std::get_if<std::string>(&given->second)) names = split(*text, '\n');
    if (names.size() != node.inputs.size()) {
      names.clear();
      for (std::size_t i = 0; i < node.inputs.size(); ++i) names.push_back(cat("output_", i));
    }
  }
  return names;
}

Result<std::vector<NamedOutput>> run_graph(const Graph& graph, const NamedTensors& inputs,
                                           int threads) {
  CH_TRY(const std::int64_t batch, batch_of(graph, inputs));
  CH_TRY(Compiled compiled,
         compile_graph(graph, {.batch = batch, .threads = threads, .frozen = true}));
  Plan& plan = compiled.plan;
  for (const NodeId id : graph.placeholders()) {
    const Node& input = graph.node(id);
    const auto* given = given_for(input, inputs);
    CH_TRY(const Tensor tensor, as_type(given->second, declared_dtype(input), given->first));
    const std::span<char> memory = plan.input<char>(input.name);
    // Empty for an input nothing reads.
    if (!memory.empty()) std::memcpy(memory.data(), tensor.bytes(), tensor.size_in_bytes());
  }
  CH_CHECK(plan.run());
  const std::vector<std::string> names = output_names(graph);
  std::vector<NamedOutput> outputs;
  for (std::size_t i = 0; i < plan.output_count(); ++i) {
    Tensor tensor(plan.output_type(i));
    if (tensor.size() > 0)
      std::memcpy(tensor.mutable_bytes(), plan.output<char>(i).data(), tensor.size_in_bytes());
    outputs.push_back({names[i], std::move(tensor)});
  }
  return outputs;
}

}  // namespace chop::compile
