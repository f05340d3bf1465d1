// Pictures of networks: what is in them, and what is refused.
#include "ops/core/builder.hpp"
#include "report/dot.hpp"
#include "support/system/files.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/passes/pass_fixture.hpp"

namespace chop {
namespace {

Tree file(std::string_view name) {
  Tree args;
  args.set("file_name", name);
  return args;
}

std::string plotted(Graph graph, std::string_view name) {
  const testing::TempFolder folder;
  const PassOutput output = must_run(graph, "plot_graph", file(name), {.folder = folder.path()});
  if (output.files.size() != 1) return "";
  EXPECT_EQ(output.files[0], folder.path() / name);
  return read_file(output.files[0]).value();
}

TEST(PlotGraph, ShowsLayersShapesCountsAndFormats) {
  Graph graph = zoo("jsc-tiny");
  graph.node(*graph.find("seq_blocks_2")).formats["weight"] = {
      "integer", {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}}};
  const std::string dot = plotted(graph, "jsc.dot");
  for (const char* part :
       {"digraph", "<TR><TD><B>seq_blocks_2</B></TD></TR><TR><TD>LinearInteger</TD></TR>",
        "85 parameters", "weight: integer(8, 4)",
        "\"seq_blocks_1\" -> \"seq_blocks_2\" [label=<&nbsp;[8, 16]>]",
        "117 trainable parameters, 6 nodes, shapes at batch 8"})
    EXPECT_NE(dot.find(part), std::string::npos) << part << "\n" << dot;
  EXPECT_EQ(dot, plotted(graph, "jsc.dot"));
}

TEST(PlotGraph, DrawsSvgAndPng) {
  if (!has_graphviz()) GTEST_SKIP() << "built without graphviz";
  const std::string svg = plotted(zoo("jsc-tiny"), "a.svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("seq_blocks_2"), std::string::npos);
  EXPECT_TRUE(plotted(zoo("jsc-tiny"), "a.PNG").starts_with("\x89PNG"));
}

TEST(PlotGraph, SaysWhenGraphvizRefuses) {
  if (!has_graphviz()) GTEST_SKIP() << "built without graphviz";
  const Result<std::string> drawn = render_dot("digraph {", "svg");
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().what, "graphviz could not read the graph");
}

TEST(PlotGraph, WithoutGraphvizSaysWhatToInstall) {
  if (has_graphviz()) GTEST_SKIP() << "built with graphviz";
  const std::string message = message_of(zoo("jsc-tiny"), "plot_graph", file("a.svg"));
  EXPECT_NE(message.find("install libgraphviz-dev"), std::string::npos) << message;
}

TEST(PlotGraph, EscapesNames) {
  GraphBuilder b("<b> & \"co\"\n\xff", 0);
  const Value x = b.input("x<1>&", {-1, 2});
  Graph graph = std::move(b).finish({b.function("relu", {x})}).value();
  const std::string dot = plotted(graph, "odd.dot");
  EXPECT_NE(dot.find("<B>x&lt;1&gt;&amp;</B>"), std::string::npos) << dot;
  EXPECT_NE(dot.find("&lt;b&gt; &amp; &quot;co&quot; "), std::string::npos) << dot;
  if (has_graphviz()) {
    EXPECT_TRUE(render_dot(dot, "svg"));
  }
}

TEST(PlotGraph, RefusesOtherExtensions) {
  EXPECT_EQ(message_of(zoo("jsc-tiny"), "plot_graph", file("net.pdf")),
            "error: passes.plot_graph.file_name: pictures are not written as '.pdf'\n"
            "  hint: end the name in .svg, .png or .dot\n");
  EXPECT_NE(message_of(zoo("jsc-tiny"), "plot_graph", file("net")).find("'net' has no extension"),
            std::string::npos);
}

TEST(PlotGraph, SaysWhereItCannotWrite) {
  const testing::TempFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "taken", "a file"));
  const std::string message =
      message_of(zoo("jsc-tiny"), "plot_graph", file("taken/net.dot"), {.folder = folder.path()});
  EXPECT_NE(message.find("taken"), std::string::npos) << message;
}

TEST(PlotGraph, RefusesGraphsTooLargeToRead) {
  GraphBuilder b("deep", 0);
  Value x = b.input("x", {-1, 2});
  for (int i = 0; i < 3001; ++i) x = b.function("relu", {x});
  const std::string message =
      message_of(std::move(b).finish({x}).value(), "plot_graph", file("deep.svg"));
  EXPECT_NE(message.find("has 3,003 nodes, too many for a picture"), std::string::npos) << message;
}

TEST(Dot, AnEmptyPictureIsStillOne) {
  const std::string dot = to_dot({.title = "", .nodes = {}, .edges = {}});
  EXPECT_TRUE(dot.starts_with("digraph network {\n"));
  EXPECT_TRUE(dot.ends_with("}\n"));
}

}  // namespace
}  // namespace chop
