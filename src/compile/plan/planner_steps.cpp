// The steps of a plan: what a kernel is told, and how chains and conversions are put together.
#include <cstring>

#include "compile/call_facts.hpp"
#include "compile/plan/planner.hpp"
#include "ops/core/check_indices.hpp"
#include "ops/core/registry.hpp"
#include "runtime/conv/frozen/apply_epilogue.hpp"
#include "runtime/conv/frozen/convert_layout.hpp"

namespace chop::compile {

namespace {

/// What a call does behind its own op.
std::vector<std::string> ops_behind(const Node& call) {
  std::vector<std::string> ops = ops_of(call);
  ops.erase(ops.begin());
  return ops;
}

/// Whether what an epilogue makes lies on the grid already: it came onto it before, and was only
/// clamped at zero since. Coming onto it again changes nothing then.
bool is_on(const Epilogue& epilogue, const Grid& grid) {
  for (auto op = epilogue.rbegin(); op != epilogue.rend(); ++op) {
    if (op->kind == EpilogueKind::Quantise)
      return op->grid == grid && grid.is_binary() && grid.low <= 0 && grid.high >= 0;
    if (!keeps_grid(*op)) return false;
  }
  return false;
}

}  // namespace

const float* Planner::fixed_values(Value value) const {
  const bool is_fixed =
      state_.target.frozen && (graph_.node(value.node).opcode == Opcode::GetAttr ||
                               schedule_.constants.contains(value.node));
  if (!is_fixed || type_of(types_, value).dtype != DType::F32) return nullptr;
  return reinterpret_cast<const float*>(memory_of(value));
}

KernelCall Planner::call_of(NodeId id, std::vector<TensorType>& in) const {
  KernelCall call = describe_call(graph_, types_, id, in);
  if (schedule_.channels_last_calls.contains(id)) call.layout = Layout::ChannelsLast;
  call.exact = schedule_.exact;
  for (const Value& input : graph_.node(id).inputs) {
    call.fixed.push_back(fixed_values(input));
    call.grid.push_back(state_.target.frozen ? grid_of(graph_, types_, input) : std::nullopt);
  }
  for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k)
    call.used.push_back(placed_.contains({id, k}) || wanted({id, k}));
  return call;
}

Plan::Step Planner::make_step(NodeId id) {
  const Node& node = graph_.node(id);
  Plan::Step step{
      .info = {
          .name = node.name, .op = node.op, .nodes = nodes_of(id), .epilogue = ops_behind(node)}};
  std::vector<TensorType> in;
  const KernelCall call = call_of(id, in);
  step.info.layout = call.layout;
  for (const Value& input : node.inputs) step.args.in.push_back(memory_of(input));
  for (std::uint32_t k = 0; k < call.used.size(); ++k)
    step.args.out.push_back(call.used[k] ? memory_of({id, k}) : nullptr);
  if (!state_.target.reference_only) step.kernel = fast_kernel(call);
  if (!step.kernel) step.kernel = reference_kernel(call);
  if (call.op.indices != nullptr)
    step.check = [&op = call.op, name = node.name, indices = ops::indices_of(call),
                  types = in](const KernelArgs& args) {
      return ops::check_indices(op.name, name, indices, types[indices.operand.operand],
                                args.in[indices.operand.operand]);
    };
  return step;
}

/// The call itself and those that the step `fuse` made part of it.
std::vector<NodeId> Planner::nodes_of(NodeId id) const {
  const auto parts = state_.absorbed.find(id);
  std::vector<NodeId> nodes =
      parts == state_.absorbed.end() ? std::vector<NodeId>() : parts->second;
  nodes.push_back(id);
  return nodes;
}

Plan::Step Planner::make_conversion(NodeId id) {
  const Node& node = graph_.node(id);
  const NodeId reader = graph_.users(id)[0];
  const Layout layout = schedule_.layout({id});
  Plan::Step step{.info = {.name = node.name, .op = node.op, .layout = layout},
                  .kernel = convert_layout(types_[index(id)][0].shape, layout),
                  .args = {{memory_of(node.inputs[0])}, {memory_of({id})}}};
  if (graph_.node(reader).opcode != Opcode::Output) step.info.serves = reader;
  return step;
}

/// The last op so far makes `value`, which is to be kept.
void Planner::add_output(Value value, Plan::Step& step, Epilogue& epilogue) const {
  if (schedule_.inside.contains(value)) return;
  if (epilogue.empty()) epilogue.emplace_back();
  EpilogueOp& op = epilogue.back();
  op.output = static_cast<int>(step.args.out.size());
  step.args.out.push_back(memory_of(value));
  const DType dtype = type_of(types_, value).dtype;
  op.integers = dtype != DType::F32;
  if (dtype == DType::U8) op.grid.low = 0;  // no value is below
}

void Planner::add_epilogue(NodeId id, Value from, Plan::Step& step, Epilogue& epilogue) const {
  const std::vector<Value>& inputs = graph_.node(id).inputs;
  const auto operand =
      static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), from) - inputs.begin());
  std::vector<TensorType> in;
  const KernelCall call = call_of(id, in);
  Epilogue own = epilogue_of(call, operand);
  assert(!own.empty() && "a chain has calls that are epilogue ops");
  for (EpilogueOp& op : own) {
    if (op.kind == EpilogueKind::Add) {
      step.args.in.push_back(memory_of(inputs[op.operand]));
      op.operand = step.args.in.size() - 1;
    }
    // Bytes are stored by the grid of their own op, and an op has one result.
    if (op.kind == EpilogueKind::Quantise && is_on(epilogue, op.grid) &&
        epilogue.back().output < 0 && type_of(types_, Value{id}).dtype == DType::F32)
      continue;
    epilogue.push_back(std::move(op));
  }
}

void Planner::add_chain(const Chain& chain) {
  const Node& head = graph_.node(chain.head);
  const NodeId end = chain.epilogue.empty() ? chain.head : chain.epilogue.back();
  std::vector<TensorType> in;
  const KernelCall call = call_of(chain.head, in);
  Plan::Step step{.info = {.name = graph_.node(end).name,
                           .op = head.op,
                           .nodes = nodes_of(chain.head),
                           .epilogue = ops_behind(head),
                           .layout = call.layout}};
  for (const Value& input : head.inputs) step.args.in.push_back(memory_of(input));
  const bool is_product = may_head(graph_, chain.head);
  Epilogue epilogue = is_product ? Epilogue() : epilogue_of(call, 0);
  add_output({chain.head}, step, epilogue);
  Value value{chain.head};
  for (const NodeId id : chain.epilogue) {
    add_epilogue(id, value, step, epilogue);
    value = Value{id};
    add_output(value, step, epilogue);
    const std::vector<NodeId> nodes = nodes_of(id);
    step.info.nodes.insert(step.info.nodes.end(), nodes.begin(), nodes.end());
    for (std::string& op : ops_of(graph_.node(id))) step.info.epilogue.push_back(std::move(op));
  }
  if (!is_product && !state_.target.refuse.contains(head.name))
    step.kernel = epilogue_kernel(call.shape(0)[0], call.shape(0)[1], epilogue);
  if (is_product && !state_.target.refuse.contains(head.name))
    for (const KernelDef* def : kernels_of(call.op))
      if (def->make_chain != nullptr && !step.kernel) step.kernel = def->make_chain(call, epilogue);
  if (!step.kernel) refused_.insert(chain.head);
  parts_.steps.push_back(std::move(step));
}

/// A view whose result the caller placed elsewhere has to be copied there.
void Planner::add_copy(NodeId id) {
  const std::size_t bytes = types_[index(id)][0].bytes();
  const Node& node = graph_.node(id);
  parts_.steps.push_back({.info = {.name = node.name, .op = node.op, .nodes = {id}},
                          .kernel =
                              [bytes](const KernelArgs& args, const RunContext& /*context*/) {
                                std::memcpy(args.out[0], args.in[0], bytes);
                              },
                          .args = {{memory_of(node.inputs[0])}, {placed_.at({id})}}});
}

}  // namespace chop::compile
