// Graphs and metadata as JSON: word for word, and back again.
#include "ir/json.hpp"

#include <gtest/gtest.h>

#include "unit/ir/random_graph.hpp"

namespace chop {
namespace {

Graph without_values(Graph graph) {
  for (Parameter& parameter : graph.parameters()) parameter.value = Tensor(parameter.value.type());
  return graph;
}

TEST(GraphJson, HasTheDocumentedLayout) {
  Graph graph("net");
  graph.add_parameter({.name = "fc.weight", .value = Tensor(DType::F32, {2, 3})});
  const NodeId x = graph.add({.opcode = Opcode::Placeholder, .op = "placeholder", .target = "x"});
  const NodeId fc = graph.add({.opcode = Opcode::CallModule,
                               .op = "linear",
                               .target = "fc",
                               .inputs = {{x}},
                               .attrs = {{"bias", false}, {"scale", 2.0}}});
  graph.node(fc).formats["weight"] = {"integer", {{"width", std::int64_t{8}}}};
  graph.set_outputs({{fc, 1}});
  EXPECT_EQ(
      to_json(graph),
      R"({"version":1,"name":"net",)"
      R"("parameters":[{"name":"fc.weight","dtype":"f32","shape":[2,3],"trainable":true}],)"
      R"("nodes":[{"name":"x","opcode":"placeholder","op":"placeholder","target":"x","inputs":[]},)"
      R"({"name":"fc","opcode":"call_module","op":"linear","target":"fc","inputs":["x"],)"
      R"("attrs":{"bias":false,"scale":2.0},)"
      R"("formats":{"weight":{"name":"integer","config":{"width":8}}}},)"
      R"({"name":"output","opcode":"output","op":"output","target":"output",)"
      R"("inputs":[["fc",1]]}]})");
  EXPECT_EQ(graph_from_json(to_json(graph)).value(), graph);
  EXPECT_EQ(graph_from_json(to_json(graph, 2)).value(), graph);
}

TEST(GraphJson, RandomGraphsComeBackUnchanged) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Graph graph = RandomGraph(seed).make();
    const std::string text = to_json(graph);
    const auto again = graph_from_json(text);
    ASSERT_TRUE(again) << "seed " << seed << "\n" << to_string(again.error()) << text;
    ASSERT_EQ(again.value(), without_values(graph)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(to_json(again.value()), text) << "seed " << seed;
  }
}

TEST(GraphJson, ValuesMayComeFromElsewhere) {
  Graph graph("g");
  graph.add_parameter({.name = "w", .value = Tensor::full({2}, 7)});
  graph.set_outputs({});
  const auto again = graph_from_json(
      to_json(graph), ParameterSource([](const std::string& name, const TensorType& type) {
        EXPECT_EQ(name, "w");
        return Result<Tensor>(Tensor::full(type.shape, 7, type.dtype));
      }));
  EXPECT_EQ(again.value(), graph);
}

TEST(MetadataJson, HasTheReferenceSystemsKeys) {
  Metadata meta;
  meta.common = CommonMeta{.mase_type = "module_related_func",
                           .mase_op = "linear",
                           .args = {{"data_in_0", {.shape = {8, 16}}}},
                           .constants = {{"start_dim", std::int64_t{1}}}};
  meta.software = SoftwareMeta{
      .args = {{"data_in_0",
                {.stat = {{"range_min_max", {{"min", -1.5}, {"max", __builtin_inf()}}}},
                 .extra = {{"sparsity", 0.5}}}}}};
  meta.hardware = HardwareMeta{.toolchain = "INTERNAL"};
  EXPECT_EQ(to_json(meta),
            R"({"common":{"mase_type":"module_related_func","mase_op":"linear","args":)"
            R"({"data_in_0":{"shape":[8,16],"torch_dtype":"torch.float32","type":"float",)"
            R"("precision":[32]},"start_dim":1},"results":{}},)"
            R"("software":{"args":{"data_in_0":{"stat":{"range_min_max":)"
            R"({"max":{"real":"inf"},"min":-1.5}},"sparsity":0.5}},"results":{}},)"
            R"("hardware":{"is_implicit":false,"device_id":-1,"toolchain":"INTERNAL",)"
            R"("module":"","verilog_param":{}}})");
  EXPECT_EQ(metadata_from_json(to_json(meta)).value(), meta);
  EXPECT_EQ(to_json(Metadata{}), "{}");
}

TEST(MetadataJson, KeepsWhatHardwareIsMadeOf) {
  Metadata meta;
  meta.hardware = HardwareMeta{.toolchain = "INTERNAL",
                               .module = "net_fc",
                               .interface = {{"weight", {.storage = "BRAM"}}},
                               .dependence_files = {"rtl/net_fc.sv"},
                               .parallelism = {1, 4},
                               .verilog_param = {{"WEIGHT_PRECISION_0", std::int64_t{8}}}};
  EXPECT_EQ(to_json(meta),
            R"({"hardware":{"is_implicit":false,"device_id":-1,"toolchain":"INTERNAL",)"
            R"("module":"net_fc","interface":{"weight":{"storage":"BRAM","transpose":false}},)"
            R"("dependence_files":["rtl/net_fc.sv"],"parallelism":[1,4],)"
            R"("verilog_param":{"WEIGHT_PRECISION_0":8}}})");
  EXPECT_EQ(metadata_from_json(to_json(meta)).value(), meta);
  EXPECT_FALSE(metadata_from_json(
      R"({"hardware":{"is_implicit":false,"device_id":-1,"toolchain":"","module":"",)"
      R"("interface":{"weight":{"storage":3}},"verilog_param":{}}})"));
}

std::string stats_of(const StatValue& value) {
  Metadata meta;
  meta.software = SoftwareMeta{.args = {{"weight", {.stat = {{"s", {{"v", value}}}}}}}};
  const std::string text = to_json(meta);
  const Result<Metadata> again = metadata_from_json(text);
  EXPECT_TRUE(again && again.value() == meta) << text;
  const std::string start = R"({"software":{"args":{"weight":{"stat":{"s":{"v":)";
  return text.substr(start.size(), text.find(R"(}}}},"results")") - start.size());
}

TEST(MetadataJson, TensorsOfStatisticsAreNestedListsThatReadBack) {
  EXPECT_EQ(stats_of(Tensor::of<float>({2, 1}, {0.1F, -0.0F})), "[[0.1],[-0.0]]");
  EXPECT_EQ(stats_of(Tensor::of<std::int64_t>({3}, {1, 0, -2})), "[1,0,-2]");
  EXPECT_EQ(stats_of(Tensor::of<float>({2}, {1.0F, 2.0F})), "[1.0,2.0]");
  EXPECT_EQ(stats_of(Tensor::of<float>({2}, {__builtin_nanf(""), -__builtin_inff()})),
            R"(["nan","-inf"])");
  EXPECT_EQ(stats_of(Tensor(DType::F32, {0, 3})), R"({"tensor":"f32","shape":[0,3],"data":[]})");
  EXPECT_EQ(stats_of(Tensor::scalar(2.5)), R"({"tensor":"f32","shape":[],"data":[2.5]})");
  EXPECT_EQ(stats_of(std::string("NA")), R"("NA")");
}

TEST(MetadataJson, MistakesInTensorsAreReported) {
  const auto what = [](const std::string& value) {
    const Result<Metadata> meta = metadata_from_json(
        R"({"software":{"args":{"w":{"stat":{"s":{"v":)" + value + R"(}}}},"results":{}}})");
    return meta ? "" : meta.error().what;
  };
  const std::string path = "meta.software.args.w.stat.s.v";
  EXPECT_EQ(what("[[1],[1,2]]"), path + "[1]: the rows of a tensor must have the same length");
  EXPECT_EQ(what("[[1],2]"),
            path + "[1]: expected a list as long as its siblings, found a whole number");
  EXPECT_EQ(what("[]"), path + ": the rows of a tensor must have the same length");
  EXPECT_EQ(what("[1.5,{}]"),
            path + ": expected a number, or \"nan\", \"inf\" or \"-inf\", found an object");
  EXPECT_EQ(what("[1e300]"), path + ": 1e+300 does not fit single precision");
  EXPECT_EQ(what(R"({"tensor":"f32","shape":[9000000000000],"data":[]})"),
            path + ".shape: [9000000000000] has elements or is none");
}

struct Mistake {
  std::string text;
  std::string what;
};

std::string graph_with(const std::string& parameters, const std::string& nodes) {
  return R"({"version":1,"name":"g","parameters":[)" + parameters + R"(],"nodes":[)" + nodes + "]}";
}

std::string node_with(const std::string& more) {
  return R"({"name":"output","opcode":"output","op":"output","target":"output")" + more + "}";
}

TEST(GraphJson, MistakesAreNamedWithTheirPath) {
  const std::string output = node_with(R"(,"inputs":[])");
  const std::vector<Mistake> mistakes = {
      {"", "the graph is not valid JSON"},
      {"[1", "the graph is not valid JSON"},
      {"\"\xFF\"", "the graph is not valid JSON"},
      {R"({"version":1,"version":1})", "the graph: the key \"version\" stands in it twice"},
      {"[]", "the graph JSON has no version"},
      {"{}", "the graph JSON has no version"},
      {R"({"version":2})", "the graph JSON has version 2, this program reads version 1"},
      {R"({"version":"1"})", "version: expected a whole number, found a text"},
      {R"({"version":1})", "graph: the key \"name\" is missing"},
      {R"({"version":1,"name":"g","parameters":[],"nodes":[],"x":1})", "graph: unknown key \"x\""},
      {R"({"version":1,"name":1,"parameters":[],"nodes":[]})",
       "name: expected a text, found a whole number"},
      {R"({"version":1,"name":"g","parameters":{},"nodes":[]})",
       "parameters: expected a list, found an object"},
      {graph_with("", ""), "graph 'g' has no output"},
      {graph_with("3", output), "parameters[0]: expected an object, found a whole number"},
      {graph_with(R"({"name":"w","dtype":"f31","shape":[],"trainable":true})", output),
       "unknown dtype 'f31'"},
      {graph_with(R"({"name":"w","dtype":"f32","shape":[-1],"trainable":true})", output),
       "shape [-1] has a negative dimension"},
      {graph_with(R"({"name":"w","dtype":"f32","shape":[4294967296],"trainable":true})", output),
       "shape [4294967296] has more than 2,147,483,648 elements"},
      {graph_with(R"({"name":"w","dtype":"f32","shape":[1.5],"trainable":true})", output),
       "parameters[0].shape[0]: expected a whole number, found a real number"},
      {graph_with(R"({"name":"w","dtype":"f32","shape":[18446744073709551615],"trainable":true})",
                  output),
       "the graph: 18446744073709551615 does not fit 64 bits"},
      {graph_with("", node_with("")), "nodes[0]: the key \"inputs\" is missing"},
      {graph_with("", node_with(R"(,"inputs":["x"])")),
       "nodes[0].inputs[0]: no node before it is named \"x\""},
      {graph_with("", node_with(R"(,"inputs":[7])")),
       "nodes[0].inputs[0]: expected a node's name or [name, number], found a whole number"},
      {graph_with("", node_with(R"(,"inputs":[],"attrs":{"a":null})")),
       "nodes[0].attrs.a: expected a value, found null"},
      {graph_with("", node_with(R"(,"inputs":[],"attrs":{"a":{"real":"x"}})")),
       "nodes[0].attrs.a.real: expected a number, or \"nan\", \"inf\" or \"-inf\", found a text"},
      {graph_with("", node_with(R"(,"inputs":[],"formats":{"w":{"name":"integer"}})")),
       "nodes[0].formats.w: the key \"config\" is missing"},
      {graph_with("", node_with(R"(,"inputs":[],"meta":{"common":{}})")),
       "nodes[0].meta.common: the key \"mase_type\" is missing"},
      {graph_with("", output + "," + output), "nodes[1]: a second node is named \"output\""},
      {graph_with("", R"({"name":"","opcode":"output","op":"","target":"","inputs":[]})"),
       "nodes[0]: a node needs a name"},
      {graph_with("", R"({"name":"a","opcode":"call","op":"","target":"","inputs":[]})"),
       "nodes[0]: unknown opcode \"call\""},
  };
  for (const Mistake& mistake : mistakes) {
    const auto result = graph_from_json(mistake.text);
    ASSERT_FALSE(result) << mistake.text;
    EXPECT_EQ(result.error().what, mistake.what) << mistake.text;
  }
}

TEST(GraphJson, DeepNestingIsRefusedNotFollowed) {
  EXPECT_FALSE(graph_from_json(std::string(200000, '[')));
  EXPECT_FALSE(graph_from_json(std::string(200000, '[') + std::string(200000, ']')));
  EXPECT_FALSE(metadata_from_json("{\"common\":" + std::string(100000, '[') +
                                  std::string(100000, ']') + "}"));
}

}  // namespace
}  // namespace chop
