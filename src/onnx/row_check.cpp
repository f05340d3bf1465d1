// Decides by experiment whether a network computes each row of a batch independently of the others.
//
// Many ONNX files are written for a batch of 1. To open them to any batch, two random rows a and b
// are run together, [a; b], and alone, [a] and [b]. If every output has two rows that agree with
// those computed alone, the rows do not influence each other. A Reshape to [1, -1] that mixes rows,
// or a mean over the batch, is found this way. Networks too large to be run quickly are left as
// they are.
#include "onnx/row_check.hpp"

#include <cstring>

#include "compile/compile.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/registry.hpp"
#include "support/rng.hpp"

namespace chop::onnx {
namespace {

constexpr std::int64_t kRows = 2;

/// Row `row` of an input, the same whatever the batch it is part of.
void fill(const Plan& plan, const Node& input, std::int64_t first, std::int64_t rows) {
  const auto memory = plan.input<float>(input.name);
  const auto size = static_cast<std::int64_t>(memory.size()) / rows;
  const Stream stream(1, input.name);
  for (std::int64_t i = 0; i < rows * size; ++i)
    memory[static_cast<std::size_t>(i)] =
        static_cast<float>(2 * stream.uniform(static_cast<std::uint64_t>(first * size + i)) - 1);
}

bool agree(const Plan& all, const Plan& one, std::size_t output, std::int64_t row) {
  const TensorType& wide = all.output_type(output);
  const TensorType& narrow = one.output_type(output);
  if (wide.dtype != narrow.dtype || wide.shape.empty() || wide.shape[0] != kRows ||
      numel(wide.shape) != kRows * numel(narrow.shape))
    return false;
  const std::size_t bytes = narrow.bytes();
  if (wide.dtype != DType::F32)
    return std::memcmp(all.output<char>(output).data() + bytes * static_cast<std::size_t>(row),
                       one.output<char>(output).data(), bytes) == 0;
  const auto a = all.output(output).subspan(static_cast<std::size_t>(row) * (bytes / 4), bytes / 4);
  const auto b = one.output(output);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= 1e-3F * (1 + std::fabs(b[i])) ||
          (std::isnan(a[i]) && std::isnan(b[i])) || a[i] == b[i]))
      return false;
  return true;
}

/// Elements of what each node makes.
std::vector<std::int64_t> sizes_of(const Graph& graph, const Types& types) {
  std::vector<std::int64_t> sizes(graph.id_limit(), 0);
  for (const NodeId id : graph.order())
    for (const TensorType& type : types[index(id)])
      if (graph.node(id).opcode != Opcode::GetAttr) sizes[index(id)] += numel(type.shape);
  return sizes;
}

/// Peak memory in elements: the largest sum over values whose live ranges overlap.
std::int64_t peak_of(const Graph& graph, const std::vector<std::int64_t>& sizes) {
  std::vector<std::size_t> last(graph.id_limit(), 0);
  const std::span<const NodeId> order = graph.order();
  for (std::size_t i = 0; i < order.size(); ++i) {
    last[index(order[i])] = i;
    for (const Value& input : graph.node(order[i]).inputs) last[index(input.node)] = i;
  }
  std::vector<std::int64_t> freed(order.size(), 0);  // after each step
  for (const NodeId id : order) freed[last[index(id)]] += sizes[index(id)];
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    live += sizes[index(order[i])];
    peak = std::max(peak, live);
    live -= freed[i];
  }
  return peak;
}

/// Whether the network is small enough to be run here: a small file may describe a large network.
bool is_quick(const Graph& graph) {
  // An op without a kernel keeps its operands in double precision: about 28 bytes an element.
  constexpr std::int64_t kMostAtOnce = std::int64_t{7} << 20;
  constexpr std::int64_t kMostWork = std::int64_t{1} << 34;
  const Result<Types> types = infer_types(graph, kRows);
  if (!types) return false;
  const std::vector<std::int64_t> sizes = sizes_of(graph, types.value());
  if (peak_of(graph, sizes) > kMostAtOnce) return false;
  std::int64_t work = 0;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const auto op = find_op(node.op);
    work += 64 * sizes[index(id)];
    if (!op || op.value()->cost == nullptr || node.opcode == Opcode::Output) continue;
    std::vector<TensorType> in;
    for (const Value& input : node.inputs) in.push_back(type_of(types.value(), input));
    work += op.value()->cost({{{*op.value(), node.attrs}, in}, types.value()[index(id)]}).macs;
    if (work > kMostWork) return false;
  }
  return true;
}

}  // namespace

bool rows_are_independent(const Graph& graph) {
  if (!is_quick(lower(graph, Mode::Evaluation).graph)) return false;
  Result<Compiled> compiled = compile_graph(graph, {.batch = kRows});
  Result<Compiled> compiled_one = compile_graph(graph, {.batch = 1});
  if (!compiled || !compiled_one) return false;
  Plan& all = compiled.value().plan;
  Plan& one = compiled_one.value().plan;
  for (const NodeId id : graph.placeholders()) {
    const Node& input = graph.node(id);
    if (input.attrs.contains("dtype")) return false;  // indices: random ones prove nothing
    fill(all, input, 0, kRows);
  }
  if (!all.run()) return false;
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (const NodeId id : graph.placeholders()) fill(one, graph.node(id), row, 1);
    if (!one.run()) return false;
    for (std::size_t i = 0; i < one.output_count(); ++i)
      if (!agree(all, one, i, row)) return false;
  }
  return true;
}

}  // namespace chop::onnx
