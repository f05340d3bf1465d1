// Not a measurement: writes the network as an ONNX file, so that peers run the same one.
#include "network.hpp"
#include "onnx/export/export.hpp"

namespace chop::works {
namespace {

Result<PreparedWork> prepare(const WorkArgs& args) {
  CH_TRY(const Graph graph, network_of(args));
  CH_CHECK(write_onnx(args.text("file", "model.onnx"), graph));
  return PreparedWork{.facts = {{"parameters", double(graph.parameter_count())}},
                      .measure = []() -> Result<Numbers> { return Numbers{}; }};
}

}  // namespace

WorkDef export_onnx() {
  return {.name = "export_onnx", .doc = "model=, fuse=, file=: an ONNX file", .prepare = prepare};
}

}  // namespace chop::works
