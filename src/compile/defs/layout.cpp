// Layout propagation: images in chains lie channels last, [n, h, w, c]; a call between them does so
// too where its kernel can; `identity` calls convert where two disagree. What the graph gives is
// dense.
//
//   %x = placeholder                              dense
//   %x_channels_last = identity(%x)               # converts to channels last
//   %conv = conv2d(%x_channels_last, %w)          # channels last; chain 1
//   %pool = max_pool2d(%conv)                     # channels last: its kernel knows both
//   %pool_dense = identity(%pool)                 # converts to dense
//   output(%pool_dense)
//
// One walk in execution order: layouts follow from the operands, so no choice is taken back.
#include "compile/call_facts.hpp"
#include "compile/step_def.hpp"
#include "ops/core/registry.hpp"

namespace chop::compile::steps::layout {
namespace {

class LayoutFinder {
 public:
  explicit LayoutFinder(State& state)
      : graph_(state.graph), types_(*state.types), found_(state.schedule) {}

  void run() {
    for (const Chain& chain : found_.chains) {
      chained_.insert(chain.head);
      chained_.insert(chain.epilogue.begin(), chain.epilogue.end());
    }
    const std::vector<NodeId> order(graph_.order().begin(), graph_.order().end());
    for (const NodeId id : order) {
      const Opcode opcode = graph_.node(id).opcode;
      if (opcode == Opcode::Output) want(id, Layout::Dense);
      if (opcode == Opcode::CallFunction && !found_.constants.contains(id)) settle(id);
    }
  }

 private:
  bool is_image(Value value) const {
    return type_of(types_, value).shape.size() >= 3 &&
           graph_.node(value.node).opcode != Opcode::GetAttr &&
           !found_.constants.contains(value.node);
  }
  void settle(NodeId id) {
    const Layout layout = layout_for(id);
    want(id, layout);
    if (layout == Layout::Dense) return;
    found_.channels_last_calls.insert(id);
    for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k)
      if (types_[index(id)][k].shape.size() >= 3) found_.channels_last.insert({id, k});
  }

  Layout layout_for(NodeId id) const {
    const Node& node = graph_.node(id);
    const Shape& out = types_[index(id)][0].shape;
    if (chained_.contains(id)) return out.size() >= 3 ? Layout::ChannelsLast : Layout::Dense;
    const bool asked = found_.codes.contains(Value{id}) ||
                       std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Value& input) {
                         return found_.channels_last.contains(input);
                       });
    if (!asked || out.size() < 3) return Layout::Dense;
    std::vector<TensorType> in;
    const KernelCall call = describe_call(graph_, types_, id, in);
    if (has(call.op.traits, Trait::View) && !is_training(node))
      return in[0].shape == out ? Layout::ChannelsLast : Layout::Dense;
    switch (layouts_of(call)) {
      case Layouts::Dense:
        return Layout::Dense;
      case Layouts::Both:  // constants are dense, whatever their shape
        for (std::size_t i = 0; i < in.size(); ++i)
          if (in[i].shape.size() >= 3 && !is_image(node.inputs[i])) return Layout::Dense;
        return Layout::ChannelsLast;
      case Layouts::Same:
        break;
    }
    for (std::size_t i = 0; i < in.size(); ++i)
      if (numel(in[i].shape) != 1 && (in[i].shape != out || !is_image(node.inputs[i])))
        return Layout::Dense;
    return Layout::ChannelsLast;
  }

  /// What all kernels of the op say.
  static Layouts layouts_of(const KernelCall& call) {
    const std::vector<const KernelDef*> defs = kernels_of(call.op);
    std::optional<Layouts> agreed;
    for (const KernelDef* def : defs) {
      const Layouts own = def->layouts == nullptr ? Layouts::Dense : def->layouts(call);
      if (agreed.value_or(own) != own) return Layouts::Dense;
      agreed = own;
    }
    return agreed.value_or(Layouts::Dense);
  }

  /// Makes all images that a node reads lie in one way.
  void want(NodeId id, Layout layout) {
    for (std::size_t i = 0; i < graph_.node(id).inputs.size(); ++i) {
      const Value value = graph_.node(id).inputs[i];
      const Shape& shape = type_of(types_, value).shape;
      if (!is_image(value) || found_.layout(value) == layout || is_layout_free(shape)) continue;
      graph_.node(id).inputs[i] = converted(value, layout, id);
    }
  }

  Value converted(Value value, Layout layout, NodeId before) {
    const auto known = conversions_.find({value, layout});
    if (known != conversions_.end()) return known->second;
    const NodeId made = graph_.insert_before(
        before, {.name = cat(graph_.node(value.node).name,
                             layout == Layout::Dense ? "_dense" : "_channels_last"),
                 .opcode = Opcode::CallFunction,
                 .op = "identity",
                 .target = "identity",
                 .inputs = {value}});
    types_.resize(graph_.id_limit());
    types_[index(made)] = {type_of(types_, value)};
    found_.conversions.insert(made);
    if (layout == Layout::ChannelsLast) found_.channels_last.insert({made});
    return conversions_.emplace(std::pair{value, layout}, Value{made}).first->second;
  }

  Graph& graph_;
  Types& types_;
  Schedule& found_;
  std::set<NodeId> chained_;
  std::map<std::pair<Value, Layout>, Value> conversions_;
};

Status run(State& state) {
  LayoutFinder(state).run();
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "layout",
          .doc = "lay out images channels last where chains want them so, and convert between",
          .after = "chains",
          .applies = when_frozen,
          .needs_types = true,
          .run = run};
}

}  // namespace chop::compile::steps::layout
