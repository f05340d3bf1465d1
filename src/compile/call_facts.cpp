// Questions about a call before there is a plan, answered by the op's definition and by the kernels
// that can run it.
#include "compile/call_facts.hpp"

#include "ops/core/quantise.hpp"
#include "ops/core/registry.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::compile {

bool is_call(const Graph& graph, NodeId id) {
  return graph.node(id).opcode == Opcode::CallFunction;
}

std::vector<std::string> ops_of(const Node& call) {
  std::vector<std::string> ops = {call.op};
  const auto relu = call.attrs.find(kReluAttr);
  if (relu != call.attrs.end() && std::get<bool>(relu->second)) ops.emplace_back(kReluOp);
  return ops;
}

Readers readers_of(const Graph& graph) {
  Readers readers;
  for (const NodeId id : graph.order())
    for (const Value& input : graph.node(id).inputs) readers[input].push_back(id);
  return readers;
}

KernelCall describe_call(const Graph& graph, const Types& types, NodeId id,
                         std::vector<TensorType>& in) {
  const Node& node = graph.node(id);
  in.clear();
  for (const Value& input : node.inputs) in.push_back(type_of(types, input));
  return {{{{op_of(node), node.attrs}, in}, types[index(id)]}, node.name, {}, {}, {}, {}};
}

Epilogue epilogue_of(const KernelCall& call, std::size_t from) {
  for (const KernelDef* def : kernels_of(call.op))
    if (def->epilogue != nullptr)
      if (Epilogue epilogue = def->epilogue(call, from); !epilogue.empty()) return epilogue;
  return {};
}

namespace {

/// Whether some kernel says yes to a question about a call.
bool some_kernel(const Graph& graph, const Types& types, NodeId id,
                 bool (*KernelDef::*question)(const KernelCall&)) {
  if (!is_call(graph, id)) return false;
  std::vector<TensorType> in;
  const KernelCall call = describe_call(graph, types, id, in);
  const std::vector<const KernelDef*> defs = kernels_of(call.op);
  return std::any_of(defs.begin(), defs.end(), [&](const KernelDef* def) {
    return def->*question != nullptr && (def->*question)(call);
  });
}

}  // namespace

bool selects_elements(const Graph& graph, const Types& types, NodeId id) {
  return some_kernel(graph, types, id, &KernelDef::selects_elements);
}

bool keeps_range(const Graph& graph, const Types& types, NodeId id) {
  return some_kernel(graph, types, id, &KernelDef::keeps_range);
}

bool is_random(const Graph& graph, const Types& types, NodeId id) {
  return is_call(graph, id) && has(op_of(graph.node(id)).traits, Trait::Random) &&
         !some_kernel(graph, types, id, &KernelDef::draws_nothing);
}

bool makes_denormals(const Graph& graph, const Types& types, NodeId id) {
  if (!is_call(graph, id) || !has(op_of(graph.node(id)).traits, Trait::Surrogate)) return false;
  const Node& node = graph.node(id);
  const auto quantiser =
      ops::quantiser_of({op_of(node), node.attrs}, type_of(types, node.inputs[0]).shape);
  if (!quantiser || quantiser.value().groups() > 0) return false;  // groups follow their values
  const formats::FormatDef& def = quantiser.value().def();
  const formats::Element element = def.codec.element(quantiser.value().config());
  for (const float x : {1.0F, 0x1p-40F, 0x1p-80F, 0x1p-120F}) {
    const float q = std::fabs(def.codec.quantise(x, element, 0));
    if (q > 0 && q < std::numeric_limits<float>::min()) return true;
  }
  return false;
}

bool may_head(const Graph& graph, NodeId id) {
  if (!is_call(graph, id)) return false;
  const std::vector<const KernelDef*> defs = kernels_of(op_of(graph.node(id)));
  return std::any_of(defs.begin(), defs.end(),
                     [](const KernelDef* def) { return def->heads_chain != nullptr; });
}

namespace {

/// The only epilogue op of the call that gives a value; none when there are several.
std::optional<EpilogueOp> only_op(const Graph& graph, const Types& types, Value value) {
  if (!is_call(graph, value.node) || value.index != 0) return {};
  std::vector<TensorType> in;
  Epilogue epilogue = epilogue_of(describe_call(graph, types, value.node, in), 0);
  if (epilogue.size() != 1) return {};
  return std::move(epilogue[0]);
}

}  // namespace

std::optional<Grid> grid_of(const Graph& graph, const Types& types, Value value) {
  if (!is_call(graph, value.node) || value.index != 0) return {};
  if (selects_elements(graph, types, value.node))
    return grid_of(graph, types, graph.node(value.node).inputs[0]);
  const std::optional<EpilogueOp> op = only_op(graph, types, value);
  if (!op || op->kind != EpilogueKind::Quantise || !op->grid.is_binary()) return {};
  return op->grid;
}

bool keeps_grid(const EpilogueOp& op) {
  return op.kind == EpilogueKind::Identity || (op.kind == EpilogueKind::Clamp && op.low == 0 &&
                                               op.high == std::numeric_limits<float>::infinity());
}

bool repeats_grid(const Graph& graph, const Types& types, NodeId id) {
  const std::optional<EpilogueOp> last = only_op(graph, types, Value{id});
  if (!last || last->kind != EpilogueKind::Quantise || !last->grid.is_binary() ||
      last->grid.low > 0 || last->grid.high < 0)
    return false;
  Value value = graph.node(id).inputs[0];
  while (true) {
    const std::optional<EpilogueOp> op = only_op(graph, types, value);
    if (!op) return false;
    if (op->kind == EpilogueKind::Quantise) return op->grid == last->grid;
    if (!keeps_grid(*op)) return false;
    value = graph.node(value.node).inputs[0];
  }
}

bool is_layout_free(const Shape& shape) {
  return shape.size() < 3 || shape[1] == 1 || ops::product(shape, 2) == 1;
}

}  // namespace chop::compile
