#include "hardware/stream/flows.hpp"

#include "hardware/stream/timing.hpp"

namespace chop::hardware {

std::vector<std::size_t> distinct_inputs(const IntegerNode& node) {
  std::vector<std::size_t> all = node.inputs;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Flows::Flows(const IntegerGraph& graph)
    : graph_(graph), readers_(graph.nodes.size()), branches_(graph.nodes.size()) {
  made_.name = cat(plain_name(graph.name), "_stream");
  made_.cores.enable = true;
  for (const IntegerNode& node : graph.nodes)
    for (const std::size_t input : distinct_inputs(node)) ++readers_[input];
  for (const std::size_t output : graph.outputs) ++readers_[output];
}

std::size_t Flows::link(Word word) {
  made_.links.push_back(std::move(word));
  return made_.links.size() - 1;
}

std::size_t Flows::input(Word word, const TokenLayout& layout) {
  made_.input = link(std::move(word));
  made_.given = layout.elements();
  return made_.input;
}

std::size_t Flows::unit(std::string name, decltype(Unit::what) what, std::vector<std::size_t> in,
                        Word word, std::string comment) {
  const std::size_t out = link(std::move(word));
  made_.units.push_back({.name = cat(plain_name(graph_.name), "_", name),
                         .what = std::move(what),
                         .in = std::move(in),
                         .out = {out},
                         .comment = std::move(comment)});
  return out;
}

std::size_t Flows::append(Netlist core) {
  const std::size_t first = made_.cores.modules.size();
  for (Module& module : core.modules) {
    for (Instance& instance : module.instances) instance.module += first;
    made_.cores.modules.push_back(std::move(module));
  }
  return made_.cores.modules.size() - 1;
}

void Flows::give(std::size_t node, const Flow& flow) {
  given_.insert(node);
  if (readers_[node] == 1) {
    branches_[node] = {flow};
    return;
  }
  Unit fork{.name = cat(plain_name(graph_.name), "_", plain_name(graph_.nodes[node].name), "_fork"),
            .what = ForkUnit{},
            .in = {flow.link}};
  for (std::size_t i = 0; i < readers_[node]; ++i) {
    Flow branch = flow;
    branch.link = link(Word(made_.links[flow.link]));
    fork.out.push_back(branch.link);
    branches_[node].push_back(std::move(branch));
  }
  made_.units.push_back(std::move(fork));
}

Flow Flows::take(std::size_t node) {
  Flow flow = std::move(branches_[node].back());
  branches_[node].pop_back();
  return flow;
}

Flow Flows::join(const IntegerNode& node, std::vector<Flow> flows) {
  Flow joined{.layout = layout_of(node.type.shape), .need = flows[0].need};
  for (const Flow& flow : flows) {
    joined.latency = std::max(joined.latency, flow.latency);
    for (std::size_t t = 0; t < joined.need.size(); ++t)
      joined.need[t] = std::max(joined.need[t], flow.need[t]);
  }
  std::vector<std::size_t> in;
  Word word;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    std::int64_t ahead = 0;
    for (std::size_t t = 0; t < joined.need.size(); ++t) {
      const auto known = std::upper_bound(flow.need.begin(), flow.need.end(), joined.need[t]);
      ahead = std::max(ahead, known - flow.need.begin() - static_cast<std::int64_t>(t));
    }
    std::size_t from = flow.link;
    const std::int64_t depth = ahead + joined.latency - flow.latency + 1;
    if (depth > 2)
      from = unit(cat(plain_name(node.name), "_wait", i), FifoUnit{depth}, {from},
                  Word(made_.links[from]),
                  cat("holds ", depth, " words while another branch is behind"));
    in.push_back(from);
    word.insert(word.end(), made_.links[from].begin(), made_.links[from].end());
  }
  joined.link = unit(cat(plain_name(node.name), "_join"), JoinUnit{}, in, std::move(word));
  return joined;
}

Result<Dataflow> Flows::finish() {
  const Flow flow = take(graph_.outputs[0]);
  made_.output = flow.link;
  made_.made = flow.layout.elements();
  if (!made_.cores.modules.empty()) CH_CHECK(verify(made_.cores));
  CH_TRY(const StreamTiming timing, timing_of(made_));
  made_.latency = timing.latency;
  made_.interval = timing.interval;
  return std::move(made_);
}

}  // namespace chop::hardware
