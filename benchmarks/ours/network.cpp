#include "network.hpp"

#include <algorithm>

#include "models/registry.hpp"
#include "passes/manager.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

NumberFormat integer(std::int64_t fraction) {
  return {"integer", {{"width", std::int64_t{8}}, {"frac_width", fraction}}};
}

void quantise(Graph& graph, const WorkArgs& args) {
  const std::vector<std::string> ops = split(args.text("quantise"), ',');
  const NumberFormat data = integer(args.number("data", 4));
  const NumberFormat weight = integer(args.number("weight", 4));
  for (const NodeId id : graph.order()) {
    Node& node = graph.node(id);
    if (std::find(ops.begin(), ops.end(), node.op) == ops.end()) continue;
    node.formats = {{"data_in_0", data}};
    if (graph.find_parameter(cat(node.target, ".weight")) != nullptr)
      node.formats["weight"] = weight;
    if (graph.find_parameter(cat(node.target, ".bias")) != nullptr) node.formats["bias"] = weight;
  }
}

}  // namespace

Result<Graph> network_of(const WorkArgs& args) {
  const std::string model = args.text("model", "jsc-tiny");
  const std::int64_t size = args.number("size", 0);
  const Shape shape = size == 0 ? Shape{} : Shape{3, size, size};
  CH_TRY(Graph graph,
         build_model(model,
                     {.sample_shape = shape, .num_classes = args.number("classes", 0), .seed = 1}));
  if (args.number("fuse", 0) != 0) {
    const PassContext context;
    CH_CHECK(add_metadata(graph, context));
    CH_TRY(const PassCall call, make_call("fuse_batch_norm", Tree::table()));
    CH_TRY(const auto reports, run_passes(graph, {&call, 1}, context));
  }
  quantise(graph, args);
  return graph;
}

void fill_normal(std::span<float> values) {
  const Stream noise(1, "bench");
  std::uint64_t n = 0;
  for (float& x : values) x = static_cast<float>(noise.normal(n++));
}

}  // namespace chop
