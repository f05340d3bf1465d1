// add_hardware_metadata: which module of the circuit every node is, and its parameters, under the
// reference system's keys.
#include "hardware/integer/op_def.hpp"
#include "passes/hardware_parts.hpp"
#include "support/text.hpp"

namespace chop::passes::add_hardware_metadata {
namespace {

/// Nodes that only name, move or reshape values.
bool is_implicit(const CommonMeta& common) {
  static constexpr std::array<std::string_view, 4> kTypes = {"placeholder", "output", "get_attr",
                                                             "implicit_func"};
  return std::find(kTypes.begin(), kTypes.end(), common.mase_type) != kTypes.end();
}

/// Whether `text` has `name` between characters that are in no name.
bool mentions(std::string_view text, std::string_view name) {
  const auto in_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_name(text[at - 1])) && (end == text.size() || !in_name(text[end])))
      return true;
  }
  return false;
}

/// What of the circuit is a node of the network: nodes of the integer graph by its name, those of
/// its operands' formats, and those that were realised together with it.
std::vector<std::size_t> parts_of(const IntegerGraph& graph, const std::string& name) {
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const IntegerNode& node = graph.nodes[i];
    if (node.name == name || node.name.starts_with(name + "_data_") || mentions(node.comment, name))
      parts.push_back(i);
  }
  return parts;
}

/// Sizes from the last dimension to the first; a circuit takes one sample.
void add_sizes(const std::string& key, const Shape& shape, bool has_batch, Attrs& params) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t axis = shape.size() - 1 - d;
    const std::int64_t size = has_batch && axis == 0 ? 1 : shape[axis];
    params[cat(key, "_TENSOR_SIZE_DIM_", d)] = size;
    params[cat(key, "_PARALLELISM_DIM_", d)] = size;
  }
}

std::string in_capitals(std::string name) {
  for (char& letter : name)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return name;
}

void add_tensor(const std::string& name, const TensorMeta& meta, Attrs& params) {
  const std::string key = in_capitals(name);
  for (std::size_t i = 0; i < meta.precision.size(); ++i)
    params[cat(key, "_PRECISION_", i)] = meta.precision[i];
  add_sizes(key, meta.shape, name.starts_with("data_"), params);
}

HardwareMeta hardware_of(const Node& node, const Circuit& circuit) {
  const CommonMeta& common = *node.meta.common;
  HardwareMeta meta{.is_implicit = is_implicit(common)};
  if (meta.is_implicit) return meta;
  const std::vector<std::string> modules = module_names(circuit.integers);
  meta.toolchain = "INTERNAL";
  for (const auto& [name, tensor] : common.args) {
    add_tensor(name, tensor, meta.verilog_param);
    if (!name.starts_with("data_"))
      meta.interface[name] = {.storage = circuit.is_folded() ? "BRAM" : "LUT"};
  }
  for (const auto& [name, tensor] : common.results)
    add_sizes(in_capitals(name), tensor.shape, true, meta.verilog_param);
  for (const std::size_t part : parts_of(circuit.integers, node.name)) {
    if (modules[part].empty()) continue;
    meta.module = modules[part];
    meta.dependence_files.push_back(cat("rtl/", modules[part], ".sv"));
    const IntegerType& type = circuit.integers.nodes[part].type;
    meta.verilog_param["DATA_OUT_0_PRECISION_0"] = std::int64_t{width_of(type.range())};
    meta.verilog_param["DATA_OUT_0_PRECISION_1"] = std::int64_t{type.frac};
    meta.parallelism = {1, std::ssize(type.ranges)};
  }
  return meta;
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const Circuit circuit, circuit_of(graph, args, context));
  for (const NodeId id : graph.order())
    graph.node(id).meta.hardware = hardware_of(graph.node(id), circuit);
  return PassOutput{};
}

}  // namespace

PassDef define() {
  return {
      .name = "add_hardware_metadata",
      .doc =
          "write to the metadata which module every node becomes, its files, where its "
          "parameters are kept, and its sizes and widths",
      .details =
          "The parameters have the reference system's names: DATA_IN_0_PRECISION_0 and _1 are\n"
          "width and bits after the point, WEIGHT_TENSOR_SIZE_DIM_0 is the last dimension, and\n"
          "PARALLELISM the same, because a circuit does all of it at once. Results have the\n"
          "widths of the circuit. A node that became part of another's module has none itself.\n"
          "The arguments are those of `ch emit`.",
      .args = circuit_fields(),
      .needs = Needs::Common,
      .run = run,
      .samples = quantised_samples()};
}

}  // namespace chop::passes::add_hardware_metadata
