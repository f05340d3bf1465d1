// The text form, word for word, and back again to the last bit.
#include "ir/text/text.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ir/verify.hpp"
#include "unit/ir/random_graph.hpp"

namespace chop {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const PrintOptions kValues{.values = true};

Graph small_network() {
  Graph graph("net");
  graph.add_parameter(
      {.name = "fc.weight", .value = Tensor::of<float>({1, 3}, {0.1F, -0.0F, 2.0F})});
  graph.add_parameter(
      {.name = "bn.running_mean", .value = Tensor(DType::F32, {3}), .trainable = false});
  const NodeId x = graph.add({.name = "x",
                              .opcode = Opcode::Placeholder,
                              .op = "placeholder",
                              .target = "x",
                              .attrs = {{"shape", Ints{-1, 3}}}});
  const NodeId split =
      graph.add({.name = "split", .op = "split", .target = "torch.split", .inputs = {{x}}});
  const NodeId fc = graph.add({.opcode = Opcode::CallModule,
                               .op = "linear",
                               .target = "fc",
                               .inputs = {{split, 1}},
                               .attrs = {{"bias", false}, {"in_features", std::int64_t{3}}}});
  graph.node(fc).formats["weight"] = {
      "integer", {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}}};
  graph.node(fc).formats["data_in"] = {};
  graph.node(fc).meta.hardware = HardwareMeta{.toolchain = "INTERNAL"};
  graph.set_outputs({{fc}, {split}});
  return graph;
}

TEST(Print, HasTheDocumentedForm) {
  EXPECT_EQ(print(small_network()),
            R"(graph net {
  parameter fc.weight: f32[1, 3]
  buffer bn.running_mean: f32[3]

  %x = placeholder[target=x] {shape=[-1, 3]}
  %split = call_function[target=torch.split] split(%x)
  %fc = call_module[target=fc] linear(%split.1) {bias=false, in_features=3} formats {data_in: float, weight: integer{frac_width=4, width=8}} meta {"hardware":{"is_implicit":false,"device_id":-1,"toolchain":"INTERNAL","module":"","verilog_param":{}}}
  output(%fc, %split)
}
)");
}

TEST(Print, ValuesFollowTheirShape) {
  const std::string text = print(small_network(), kValues);
  EXPECT_NE(text.find("  parameter fc.weight: f32[1, 3] = [0.1, -0.0, 2.0]\n"), std::string::npos);
  EXPECT_NE(text.find("  buffer bn.running_mean: f32[3] = [0.0, 0.0, 0.0]\n"), std::string::npos);
}

TEST(Print, LongValuesAreBrokenIntoLines) {
  Graph graph("g");
  graph.add_parameter({.name = "w", .value = Tensor::full({100}, 0.125)});
  graph.set_outputs({});
  const std::string text = print(graph, kValues);
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    longest = std::max(longest, text.find('\n', at) - at);
  EXPECT_LE(longest, 100U);
  EXPECT_GE(longest, 90U);
  EXPECT_EQ(read_text(text).value(), graph);
}

TEST(Print, TheEmptyGraphIsShort) {
  Graph graph("g");
  graph.set_outputs({});
  EXPECT_EQ(print(graph), "graph g {\n  output()\n}\n");
  EXPECT_EQ(read_text(print(graph)).value(), graph);
}

TEST(ReadText, GivesBackTheSameGraph) {
  const Graph graph = small_network();
  const auto again = read_text(print(graph, kValues));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again.value(), graph);
}

TEST(ReadText, WithoutValuesTensorsAreZeros) {
  Graph graph = small_network();
  const Graph again = read_text(print(graph)).value();
  EXPECT_NE(again, graph);
  graph.find_parameter("fc.weight")->value = Tensor(DType::F32, {1, 3});
  EXPECT_EQ(again, graph);
}

TEST(ReadText, KeepsEveryKindOfAttribute) {
  Graph graph("g");
  const NodeId x = graph.add({.name = "x",
                              .op = "op",
                              .target = "",
                              .attrs = {{"flag", true},
                                        {"whole", std::numeric_limits<std::int64_t>::min()},
                                        {"real", 1.0 / 3.0},
                                        {"round", 2.0},
                                        {"nan", __builtin_nan("")},
                                        {"odd_nan", __builtin_bit_cast(double, 0xfff0000000000001)},
                                        {"minus", -kInf},
                                        {"tiny", 5e-324},
                                        {"text", std::string("a\"\\\n\t\0#", 7)},
                                        {"not utf-8", std::string("\xFF\xC3")},
                                        {"none", std::string()},
                                        {"ints", Ints{1, -2}},
                                        {"no_ints", Ints{}},
                                        {"reals", std::vector<double>{-0.0, kInf, 1e300}},
                                        {"no_reals", std::vector<double>{}}}});
  graph.set_outputs({{x}});
  const auto again = read_text(print(graph));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again.value(), graph);
}

TEST(ReadText, KeepsOddNames) {
  Graph graph("jsc tiny \"x\"\n");
  graph.add_parameter({.name = "0.weight", .value = Tensor::scalar(1.0)});
  graph.add_parameter({.name = "", .value = Tensor(DType::I8, {0, 2})});
  std::vector<Value> outputs;
  for (const char* name : {"params.0", "0", "a.b.c", "output", "%x", "a b", "é", "a..b", "a.",
                           "graph", "parameter", "a.1.", "x-1", "-1", "meta", "x.01"})
    outputs.push_back({graph.add({.name = name, .op = name, .target = name}), 1});
  graph.set_outputs(outputs);
  EXPECT_EQ(graph.node(graph.order().back()).name, "output_1");
  const auto again = read_text(print(graph, kValues));
  ASSERT_TRUE(again) << to_string(again.error()) << print(graph);
  EXPECT_EQ(again.value(), graph);
}

TEST(ReadText, KeepsEveryDtypeToTheLastBit) {
  Graph graph("g");
  const auto keep = [&](const std::string& name, Tensor value) {
    graph.add_parameter({.name = name, .value = std::move(value)});
  };
  const Tensor codes = [] {
    Tensor all(DType::F16, {65536});
    for (std::uint32_t i = 0; i < 65536; ++i)
      all.mutable_data<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
    return all;
  }();
  Tensor bfloats(DType::BF16, {65536});
  std::copy(codes.bytes(), codes.bytes() + codes.size_in_bytes(), bfloats.mutable_bytes());
  keep("f16", codes);
  keep("bf16", bfloats);
  keep("f32", Tensor::of<float>({5}, {0.1F, 1e-45F, 3.4028235e38F, -0.0F, __builtin_nanf("")}));
  keep("odd_nan", Tensor::of<float>({1}, {__builtin_bit_cast(float, 0xff800001U)}));
  keep("f64", Tensor::of<double>({4}, {1.0 / 3, 5e-324, 1.7976931348623157e308, -kInf}));
  keep("i64", Tensor::of<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(),
                                             std::numeric_limits<std::int64_t>::max()}));
  keep("i32", Tensor::of<std::int32_t>({2}, {std::numeric_limits<std::int32_t>::min(), 7}));
  keep("i16", Tensor::of<std::int16_t>({2}, {-32768, 32767}));
  keep("i8", Tensor::of<std::int8_t>({2}, {-128, 127}));
  keep("u16", Tensor::of<std::uint16_t>({2}, {0, 65535}));
  keep("u32", Tensor::of<std::uint32_t>({2}, {0, 4294967295U}));
  keep("u64", Tensor::of<std::uint64_t>({2}, {0, 18446744073709551615ULL}));
  keep("u8", Tensor::of<std::uint8_t>({2}, {0, 255}));
  keep("bool", Tensor::of<bool>({2}, {true, false}));
  keep("empty", Tensor(DType::F64, {2, 0, 3}));
  keep("scalar", Tensor::scalar(2.5));
  graph.set_outputs({});
  const auto again = read_text(print(graph, kValues));
  ASSERT_TRUE(again) << to_string(again.error());
  for (const Parameter& parameter : graph.parameters())
    EXPECT_EQ(again.value().find_parameter(parameter.name)->value, parameter.value)
        << parameter.name;
}

TEST(ReadText, RandomGraphsComeBackUnchanged) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Graph graph = RandomGraph(seed).make();
    ASSERT_TRUE(verify_structure(graph)) << "seed " << seed;
    const std::string text = print(graph, kValues);
    const auto again = read_text(text);
    ASSERT_TRUE(again) << "seed " << seed << "\n" << to_string(again.error()) << text;
    ASSERT_EQ(again.value(), graph) << "seed " << seed << "\n" << text;
    const auto bare = read_text(print(graph));
    ASSERT_TRUE(bare) << "seed " << seed << "\n" << to_string(bare.error());
    ASSERT_EQ(print(bare.value()), print(graph)) << "seed " << seed;
  }
}

TEST(ReadText, BlanksAndCommentsDoNotMatter) {
  const Graph graph =
      read_text("# before\ngraph g{%x=placeholder[target=x] # an input\r\n\toutput(%x)}# after")
          .value();
  EXPECT_EQ(print(graph), "graph g {\n  %x = placeholder[target=x]\n  output(%x)\n}\n");
}

TEST(ReadText, IntegersAreAcceptedForReals) {
  const Graph graph = read_text("graph g { parameter w: f32[2] = [1, -2] output() }").value();
  EXPECT_EQ(graph.find_parameter("w")->value, Tensor::of<float>({2}, {1.0F, -2.0F}));
}

struct Mistake {
  const char* text;
  const char* what;
  const char* where;
  const char* hint = "";
};

class ReadTextMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(ReadTextMistakes, AreNamedWithLineAndColumn) {
  const auto result = read_text(GetParam().text);
  ASSERT_FALSE(result) << GetParam().text;
  EXPECT_EQ(result.error().what, GetParam().what);
  ASSERT_EQ(result.error().notes.size(), 1U);
  EXPECT_EQ(result.error().notes[0], GetParam().where);
  EXPECT_EQ(result.error().hint, GetParam().hint);
}

INSTANTIATE_TEST_SUITE_P(
    Text, ReadTextMistakes,
    testing::Values(
        Mistake{"", "expected 'graph', found the end of the text", "line 1, column 1: "},
        Mistake{"graph g {\n  output(%x)\n}", "no earlier node is named \"x\"",
                "line 2, column 10: output(%x)"},
        Mistake{"graph g {\n  %relu = placeholder\n  output(%rellu)\n}",
                "no earlier node is named \"rellu\"", "line 3, column 10: output(%rellu)",
                "did you mean 'relu'?"},
        Mistake{"graph g { output() ",
                "expected 'parameter', 'buffer', a node like %name, 'output' or '}', found the end "
                "of the text",
                "line 1, column 20: graph g { output()"},
        Mistake{
            "graph g { %a = call relu() output() }",
            "expected placeholder, get_attr, call_function, call_method, call_module or output, "
            "found 'call'",
            "line 1, column 16: graph g { %a = call relu() output() }"},
        Mistake{"graph g { %a = placeholder {x=} output() }",
                "expected a value: true, 3, 0.5, \"text\", [1, 2] or reals[0.5], found '}'",
                "line 1, column 31: graph g { %a = placeholder {x=} output() }"},
        Mistake{"graph g { %a = placeholder %a = placeholder output() }",
                "a second node is named \"a\"",
                "line 1, column 28: graph g { %a = placeholder %a = placeholder output() }"},
        Mistake{"graph g { %a.1 = placeholder output() }",
                "a node's name cannot end in a number of its own",
                "line 1, column 11: graph g { %a.1 = placeholder output() }",
                "write it in quotes: %\"a.1\""},
        Mistake{"graph g {\n}", "graph 'g' has no output", "line 2, column 1: }"},
        Mistake{"graph g { output() %a = placeholder }", "node 'a' comes after the output",
                "line 1, column 37: graph g { output() %a = placeholder }"},
        Mistake{"graph g { output() } x", "expected the end of the text, found 'x'",
                "line 1, column 22: graph g { output() } x"},
        Mistake{"graph g { parameter w: f33[1] output() }", "unknown dtype 'f33'",
                "line 1, column 24: graph g { parameter w: f33[1] output() }",
                "one of f32, f64, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, bool"},
        Mistake{"graph g { parameter w: f32[2] = [1] output() }",
                "shape [2] needs 2 values, found 1",
                "line 1, column 33: graph g { parameter w: f32[2] = [1] output() }"},
        Mistake{"graph g { parameter w: f32[1] = [1, 2] output() }",
                "shape [1] needs 1 values, found more",
                "line 1, column 37: graph g { parameter w: f32[1] = [1, 2] output() }"},
        Mistake{"graph g { parameter w: i8[1] = [128] output() }",
                "expected a whole number of 8 bits, found '128'",
                "line 1, column 33: graph g { parameter w: i8[1] = [128] output() }"},
        Mistake{"graph g { parameter w: f32[1] = [1e99] output() }",
                "'1e99' is not a number that fits",
                "line 1, column 34: graph g { parameter w: f32[1] = [1e99] output() }"},
        Mistake{"graph g { parameter w: f32[-1] output() }", "shape [-1] has a negative dimension",
                "line 1, column 24: graph g { parameter w: f32[-1] output() }"},
        Mistake{"graph g { parameter w: f32[65536, 65536] output() }",
                "shape [65536, 65536] has more than 2,147,483,648 elements",
                "line 1, column 24: graph g { parameter w: f32[65536, 65536] output() }"},
        Mistake{"graph g { parameter w: u8[99] = [1] output() }", "shape [99] needs 99 values",
                "line 1, column 33: graph g { parameter w: u8[99] = [1] output() }"},
        Mistake{"graph \"g { output() }\n", "a quoted text has no end on its line",
                "line 1, column 7: graph \\\"g { output() }"},
        Mistake{"graph \"\\q\" { output() }", "a quoted text holds an unknown escape",
                "line 1, column 7: graph \\\"\\\\q\\\" { output() }",
                "the escapes are \\\" \\\\ \\n \\r \\t and \\xHH"},
        Mistake{"graph g { output() ; }", "unexpected character \";\"",
                "line 1, column 20: graph g { output() ; }"},
        Mistake{"graph g { output() meta {\"a\": 1} }", "meta: unknown key \"a\"",
                "line 1, column 25: graph g { output() meta {\\\"a\\\": 1} }",
                "known are common, software, hardware"},
        Mistake{"graph g { output() meta {\"a\" }", "the metadata is not valid JSON",
                "line 1, column 25: graph g { output() meta {\\\"a\\\" }"},
        Mistake{"graph g { output() meta {\"}", "the metadata has no closing '}'",
                "line 1, column 25: graph g { output() meta {\\\"}"},
        Mistake{"graph g { %\"\" = placeholder output() }", "a node needs a name",
                "line 1, column 11: graph g { %\\\"\\\" = placeholder output() }"}));

TEST(ReadText, TensorsWithoutValuesKeepALimit) {
  std::string text = "graph g {\n";
  for (int i = 0; i < 8; ++i) text += cat("parameter w", i, ": f64[100000000]\n");
  const auto result = read_text(text + "output() }", {.bytes = std::uint64_t{1} << 20});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "tensors without values would take more than 1.0 MiB");
  EXPECT_FALSE(read_text("graph g { parameter w: f32[0, 9223372036854775807] output() }"));
}

TEST(PrintFx, IsWhatPythonPrints) {
  Graph graph("net");
  const NodeId x = graph.add({.opcode = Opcode::Placeholder, .op = "placeholder", .target = "x"});
  graph.add({.name = "y", .opcode = Opcode::Placeholder, .op = "placeholder", .target = "y"});
  const NodeId l = graph.add({.opcode = Opcode::CallModule,
                              .op = "linear",
                              .target = "seq_blocks.0",
                              .inputs = {{x}},
                              .attrs = {{"in_features", std::int64_t{2}}}});
  const NodeId relu = graph.add({.name = "relu",
                                 .op = "relu",
                                 .target = "torch.nn.functional.relu",
                                 .inputs = {{l}},
                                 .attrs = {{"inplace", true}}});
  const NodeId view = graph.add({.opcode = Opcode::CallMethod,
                                 .op = "view",
                                 .target = "view",
                                 .inputs = {{relu}},
                                 .attrs = {{"shape", Ints{2, -1}}, {"mode", std::string("same")}}});
  const NodeId p = graph.add({.opcode = Opcode::GetAttr, .op = "get_attr", .target = "p"});
  const NodeId add =
      graph.add({.name = "add", .op = "add", .target = "operator.add", .inputs = {{view}, {view}}});
  graph.set_outputs({{add}, {p}});
  EXPECT_EQ(print_fx(graph), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %y : [num_users=0] = placeholder[target=y]
    %seq_blocks_0 : [num_users=1] = call_module[target=seq_blocks.0](args = (%x,), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.nn.functional.relu](args = (%seq_blocks_0,), kwargs = {inplace: True})
    %view : [num_users=1] = call_method[target=view](args = (%relu,), kwargs = {mode: same, shape: (2, -1)})
    %p : [num_users=1] = get_attr[target=p]
    %add : [num_users=1] = call_function[target=operator.add](args = (%view, %view), kwargs = {})
    return (add, p))");
  graph.set_outputs({{add}});
  EXPECT_TRUE(print_fx(graph).ends_with("\n    return add"));
}

}  // namespace
}  // namespace chop
