// The text form of a graph on its way to a plan: comments show what the steps found out.
//
//   # f32[1, 64, 112, 112]; chain 1: conv2d + batch_norm2d + relu; channels last; never in memory
//   %conv1 = call_function[target=conv1] conv2d(%x_channels_last, %conv1.weight) {...}
#include "compile/call_facts.hpp"
#include "compile/state.hpp"
#include "support/text.hpp"

namespace chop::compile {
namespace {

std::string rows_text(const State& state) {
  const std::int64_t slices = state.schedule.slices;
  if (slices == 1) return cat("batch ", state.target.batch);
  return cat("batch ", state.target.batch, " in ", slices, " slices of ", state.rows(),
             state.rows() == 1 ? " row" : " rows");
}

std::string target_text(const State& state) {
  return cat(state.target.mode == Mode::Training ? "training" : "evaluation",
             state.target.frozen ? ", frozen" : "", ", ", rows_text(state));
}

class Notes {
 public:
  explicit Notes(const State& state) : state_(state), schedule_(state.schedule) {
    for (std::size_t i = 0; i < schedule_.chains.size(); ++i) {
      const Chain& chain = schedule_.chains[i];
      chain_of_[chain.head] = i + 1;
      for (const NodeId id : chain.epilogue) chain_of_[id] = i + 1;
    }
    for (const auto& [name, value] : state.gradients)
      gradients_[value.node][value.index] =
          cat(value.index == 0 ? std::string() : cat("result ", value.index, " is the "),
              "gradient of ", name);
  }

  std::string of(NodeId id) const {
    std::vector<std::string> parts;
    if (const std::string types = types_of(id); !types.empty()) parts.push_back(types);
    if (schedule_.constants.contains(id)) parts.emplace_back("constant");
    if (const auto chain = chain_of_.find(id); chain != chain_of_.end())
      parts.push_back(chain_text(id, chain->second));
    const bool last = schedule_.channels_last.contains({id});
    if (schedule_.conversions.contains(id))
      parts.push_back(cat("converts to ", last ? "channels last" : "dense"));
    else if (last)
      parts.emplace_back("channels last");
    if (schedule_.codes.contains({id})) parts.emplace_back("kept as codes");
    if (schedule_.inside.contains({id})) parts.emplace_back("never in memory");
    if (const auto names = gradients_.find(id); names != gradients_.end())
      for (const auto& [number, name] : names->second) parts.push_back(name);
    return join(parts, "; ");
  }

 private:
  std::string types_of(NodeId id) const {
    if (!state_.types || state_.graph.node(id).opcode == Opcode::GetAttr) return "";
    std::vector<std::string> types;
    for (std::uint32_t k = 0; k < (*state_.types)[index(id)].size(); ++k) {
      const TensorType& type = (*state_.types)[index(id)][k];
      const auto code = schedule_.codes.find({id, k});
      types.push_back(cat(name_of(code == schedule_.codes.end() ? type.dtype : code->second),
                          to_string(type.shape)));
    }
    return join(types, ", ");
  }

  std::string chain_text(NodeId id, std::size_t number) const {
    const Chain& chain = schedule_.chains[number - 1];
    std::string text = cat("chain ", number);
    if (id != chain.head) return text;
    std::vector<std::string> ops = ops_of(state_.graph.node(id));
    for (const NodeId next : chain.epilogue)
      for (std::string& op : ops_of(state_.graph.node(next))) ops.push_back(std::move(op));
    return cat(text, ": ", join(ops, " + "));
  }

  const State& state_;
  const Schedule& schedule_;
  std::map<NodeId, std::size_t> chain_of_;
  std::map<NodeId, std::map<std::uint32_t, std::string>> gradients_;  ///< by result
};

/// What the words of the notes mean, a line for each that there is.
std::string legend(const State& state) {
  const Schedule& schedule = state.schedule;
  const std::span<const NodeId> order = state.graph.order();
  const bool fused = std::any_of(order.begin(), order.end(), [&](NodeId id) {
    return is_call(state.graph, id) && ops_of(state.graph.node(id)).size() > 1;
  });
  const std::pair<bool, std::string_view> lines[] = {
      {fused, "relu=true: a relu is fused into the call"},
      {!schedule.constants.empty(), "constant: computed once, when the plan is made"},
      {!schedule.chains.empty(),
       "chain: a convolution or product and the calls that finish its result, run as one, tile by "
       "tile"},
      {!schedule.inside.empty(), "never in memory: only the next call of its chain sees it"},
      {!schedule.codes.empty(), "kept as codes: as the integers of its number format"},
      {!schedule.channels_last.empty(),
       "channels last: images lie as [n, h, w, c]; dense: as [n, c, h, w]"}};
  std::string text;
  for (const auto& [found, line] : lines)
    if (found) text += cat("# ", line, "\n");
  return text;
}

std::string step_text(const State& state, const StepInfo& step) {
  std::string text = cat(step.name, ": ", step.op);
  for (const std::string& op : step.epilogue) text += cat(" + ", op);
  if (step.nodes.empty()) {
    text += step.layout == Layout::Dense ? " to dense" : " to channels last";
    return text + (step.serves ? cat(", for ", state.graph.node(*step.serves).name)
                               : std::string(", for the output"));
  }
  if (step.layout == Layout::ChannelsLast) text += ", channels last";
  if (step.backend == kReference) text += " (reference)";
  return text;
}

std::string plan_text(const State& state) {
  std::string text = cat(
      "# ", state.plan->step_count(), state.plan->step_count() == 1 ? " step in " : " steps in ",
      human_bytes(state.plan->memory_bytes()), "\nplan ", state.graph.name(), " {\n");
  for (const StepInfo& step : state.plan->steps()) text += cat("  ", step_text(state, step), "\n");
  return text + "}\n";
}

}  // namespace

std::string print(const State& state, std::string_view after, const PrintOptions& options) {
  const std::string head = cat("# after ", after, ": ", target_text(state), "\n");
  if (state.plan) return head + plan_text(state);
  const Notes notes(state);
  return head + legend(state) +
         ir::print(state.graph,
                   {.values = options.values, .note = [&](NodeId id) { return notes.of(id); }});
}

}  // namespace chop::compile
