// The report passes on jsc-tiny, word for word, and what they refuse.
#include <filesystem>

#include "ops/core/builder.hpp"
#include "support/system/files.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/passes/pass_fixture.hpp"

namespace chop {
namespace {

constexpr std::string_view kGraphReport =
    R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %seq_blocks_0 : [num_users=1] = call_module[target=seq_blocks.0](args = (%x,), kwargs = {})
    %seq_blocks_1 : [num_users=1] = call_module[target=seq_blocks.1](args = (%seq_blocks_0,), kwargs = {})
    %seq_blocks_2 : [num_users=1] = call_module[target=seq_blocks.2](args = (%seq_blocks_1,), kwargs = {})
    %seq_blocks_3 : [num_users=1] = call_module[target=seq_blocks.3](args = (%seq_blocks_2,), kwargs = {})
    return seq_blocks_3
Network overview:
{'placeholder': 1, 'get_attr': 0, 'call_function': 0, 'call_method': 0, 'call_module': 4, 'output': 1}
Layer types:
[BatchNorm1d(16, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True), ReLU(inplace=True), Linear(in_features=16, out_features=5, bias=True), ReLU(inplace=True)])";

TEST(ReportGraph, PrintsWhatTheReferenceSystemPrints) {
  Graph graph = zoo("jsc-tiny");
  EXPECT_EQ(must_run(graph, "report_graph").text, cat(kGraphReport, "\n"));
}

TEST(ReportGraph, WritesToAFileInsteadOfPrinting) {
  const testing::TempFolder folder;
  Graph graph = zoo("jsc-tiny");
  Tree args;
  args.set("file_name", "reports/graph.txt");
  const PassOutput output = must_run(graph, "report_graph", args, {.folder = folder.path()});
  EXPECT_EQ(output.text, "");
  ASSERT_EQ(output.files.size(), 1U);
  EXPECT_EQ(output.files[0], folder.path() / "reports/graph.txt");
  EXPECT_EQ(read_file(output.files[0]).value(), kGraphReport);
}

TEST(ReportGraph, HasTheSameForPrograms) {
  Graph graph = zoo("jsc-tiny");
  const Tree info = must_run(graph, "report_graph").info;
  EXPECT_EQ(info["counts"]["call_module"], 4);
  EXPECT_EQ(info["layers"][1], "ReLU(inplace=True)");
  EXPECT_EQ(info["graph"].as_text()->substr(0, 8), "graph():");
}

TEST(ReportGraph, NamesQuantisedLayersAsTheReferenceSystemDoes) {
  Graph graph = zoo("jsc-tiny");
  graph.node(*graph.find("seq_blocks_2")).formats["weight"] = {
      "integer", {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}}};
  const Tree info = must_run(graph, "report_graph").info;
  EXPECT_EQ(info["layers"][2], "LinearInteger(in_features=16, out_features=5, bias=True)");
  EXPECT_EQ(info["layers"][3], "ReLU(inplace=True)");
}

TEST(ReportNodeType, TabulatesTypesAndOps) {
  Graph graph = zoo("jsc-tiny");
  EXPECT_EQ(must_run(graph, "report_node_type").text,
            "Node name     Fx Node op    Mase type            Mase op       Value type\n"
            "------------  ------------  -------------------  ------------  ------------\n"
            "x             placeholder   placeholder          placeholder   NA\n"
            "seq_blocks_0  call_module   module               batch_norm1d  float\n"
            "seq_blocks_1  call_module   module_related_func  relu          float\n"
            "seq_blocks_2  call_module   module_related_func  linear        float\n"
            "seq_blocks_3  call_module   module_related_func  relu          float\n"
            "output        output        output               output        NA\n");
}

TEST(ReportNodeType, ShowsTheFormatOfTheFirstInput) {
  Graph graph = zoo("jsc-tiny");
  graph.node(*graph.find("seq_blocks_2")).formats["data_in_0"] = {
      "integer", {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}}};
  const Tree info = must_run(graph, "report_node_type").info;
  EXPECT_EQ(info["nodes"][3]["value_type"], "integer");
  EXPECT_EQ(info["nodes"][4]["value_type"], "float");
}

TEST(ReportNodeShape, ListsWhatGoesInAndOut) {
  Graph graph = zoo("jsc-tiny");
  const std::string text = must_run(graph, "report_node_shape", {}, {.batch_size = 8}).text;
  EXPECT_TRUE(text.starts_with("x:\nin:\nout:\ndata_out_0 = [8, 16]\n\n")) << text;
  EXPECT_NE(text.find("seq_blocks_2:\nin:\nbias = [5]\ndata_in_0 = [8, 16]\nweight = [5, 16]\n"
                      "out:\ndata_out_0 = [8, 5]\n\n"),
            std::string::npos)
      << text;
}

TEST(ReportNodeShape, ShowsArgumentsThatAreNoTensors) {
  Graph graph = zoo("toy");
  const std::string text = must_run(graph, "report_node_shape").text;
  EXPECT_NE(text.find("start_dim = 1\n"), std::string::npos) << text;
}

Tree which(std::vector<std::string> parts) {
  Tree args;
  args.set("which", Tree(parts));
  return args;
}

TEST(ReportNodeMetaParam, DrawsAGridOfPythonDicts) {
  Graph graph = zoo("jsc-tiny");
  const std::string text = must_run(graph, "report_node_meta_param", which({"software"})).text;
  EXPECT_NE(text.find("| x            | placeholder  | placeholder         | placeholder  | "
                      "{'results': {'data_out_0': {'stat': {}}}}"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("{'args': {'bias': {'stat': {}},"), std::string::npos) << text;
  EXPECT_EQ(text.find("Common Param"), std::string::npos);
}

TEST(ReportNodeMetaParam, ShowsAllPartsUnlessToldOtherwise) {
  Graph graph = zoo("jsc-tiny");
  const PassOutput output = must_run(graph, "report_node_meta_param");
  for (const char* header : {"Common Param", "Hardware Param", "Software Param"})
    EXPECT_NE(output.text.find(header), std::string::npos) << header;
  EXPECT_NE(output.text.find("'torch_dtype': torch.float32"), std::string::npos);
  const Tree info = output.info;
  EXPECT_EQ(info["nodes"][3]["common"]["args"]["weight"]["shape"], (Ints{5, 16}));
  EXPECT_EQ(info["nodes"][3]["hardware"], Tree::table());
}

TEST(ReportNodeMetaParam, SavesTheTableItPrints) {
  const testing::TempFolder folder;
  Graph graph = zoo("jsc-tiny");
  Tree args = which({"common"});
  args.set("save_path", "meta.txt");
  const PassOutput output =
      must_run(graph, "report_node_meta_param", args, {.folder = folder.path()});
  ASSERT_EQ(output.files.size(), 1U);
  EXPECT_EQ(read_file(output.files[0]).value(), output.text);
}

TEST(ReportNodeMetaParam, AnUnknownPartListsTheKnownOnes) {
  Tree args;
  args.set("which", "foo");
  EXPECT_EQ(message_of(zoo("jsc-tiny"), "report_node_meta_param", args),
            "error: passes.report_node_meta_param.which = \"foo\" is not allowed\n"
            "  hint: which is a list of: all, common, hardware, software\n");
}

TEST(ReportNodeHardwareType, LeavesOutWhatNeedsNoHardware) {
  Graph graph = zoo("jsc-tiny");
  PassContext context;
  ASSERT_TRUE(add_metadata(graph, context));
  graph.node(*graph.find("x")).meta.hardware = HardwareMeta{.is_implicit = true};
  graph.node(*graph.find("seq_blocks_2")).meta.hardware =
      HardwareMeta{.device_id = 1, .toolchain = "INTERNAL"};
  const PassCall call = make_call("report_node_hardware_type", {}).value();
  const auto reports = run_passes(graph, {&call, 1}, context);
  ASSERT_TRUE(reports);
  const Tree info = reports.value()[0].output.info;
  EXPECT_EQ(info["nodes"].size(), 5U);
  EXPECT_EQ(info["nodes"][2]["toolchain"], "INTERNAL");
  EXPECT_EQ(info["nodes"][2]["device_id"], 1);
}

TEST(ReportTrainableParameters, CountsWhatIsTrained) {
  Graph graph = zoo("jsc-tiny");
  const PassOutput output = must_run(graph, "report_trainable_parameters");
  const Tree info = output.info;
  EXPECT_EQ(info["trainable"], 117);
  EXPECT_EQ(info["buffers"], 32);
  EXPECT_NE(output.text.find("\n117 trainable parameters, 32 numbers in buffers"),
            std::string::npos)
      << output.text;
  EXPECT_NE(output.text.find("seq_blocks.2.weight        [5, 16]            80  True\n"),
            std::string::npos)
      << output.text;
}

TEST(Reports, ExplainAddsTwoLines) {
  for (const char* pass : {"report_graph", "report_node_type", "report_node_shape",
                           "report_node_meta_param", "report_node_hardware_type"}) {
    Graph graph = zoo("jsc-tiny");
    Tree args;
    args.set("explain", true);
    const std::string plain = must_run(graph, pass).text;
    const std::string more = must_run(graph, pass, args).text;
    ASSERT_TRUE(more.starts_with(plain)) << pass;
    const std::string added = more.substr(plain.size());
    EXPECT_EQ(std::count(added.begin(), added.end(), '\n'), 2) << pass;
  }
}

TEST(Reports, ChangeNothing) {
  for (const char* pass :
       {"report_graph", "report_node_type", "report_node_shape", "report_node_meta_param",
        "report_node_hardware_type", "report_trainable_parameters", "calculate_avg_bits"}) {
    Graph graph = zoo("jsc-tiny");
    ASSERT_TRUE(add_metadata(graph, {}));
    const Graph before = graph;
    const std::string first = must_run(graph, pass).text;
    EXPECT_EQ(graph, before) << pass;
    EXPECT_EQ(must_run(graph, pass).text, first) << pass;
  }
}

TEST(Reports, RefuseArgumentsTheyDoNotKnow) {
  Tree args;
  args.set("filename", "a.txt");
  EXPECT_NE(message_of(zoo("jsc-tiny"), "report_graph", args).find("did you mean 'file_name'?"),
            std::string::npos);
}

}  // namespace
}  // namespace chop
