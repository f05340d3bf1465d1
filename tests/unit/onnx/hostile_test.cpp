// ONNX files that lie, loop, or ask for more than there is: each is refused in its own words,
// quickly and in little memory.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <limits>

#include "support/system/files.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/onnx/onnx_builder.hpp"

namespace chop {
namespace {

using testing::OnnxBuilder;
using testing::TempFolder;

constexpr std::int64_t kHuge = std::int64_t{1} << 40;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

/// The message of a file that must be refused within a second.
template <class Made>
std::string refusal(const Made& make) {
  const std::clock_t begin = std::clock();  // of the processor: others may be at work
  const auto result = make();
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 5.0)
      << "a second, with a sanitiser as well";
  return result ? "it was accepted" : result.error().what;
}

std::string refusal(const OnnxBuilder& model) {
  return refusal([&] { return model.import(); });
}

#define EXPECT_REFUSED(model, part) EXPECT_PRED2(contains, refusal(model), part)

bool contains(const std::string& text, const std::string& part) {
  return !part.empty() && text.find(part) != std::string::npos;
}

TEST(HostileOnnx, CyclesAreRefused) {
  OnnxBuilder model;
  model.input("x", {1, 2}).output("b");
  model.node("Add", {"x", "b"}, {"a"});
  model.node("Relu", {"a"}, {"b"});
  EXPECT_REFUSED(model, "the graph has a cycle: a node waits for its own result, in the Add");
  OnnxBuilder own;
  own.input("x", {1, 2}).output("a");
  own.node("Add", {"x", "a"}, {"a"});
  EXPECT_REFUSED(own, "the graph has a cycle");
}

TEST(HostileOnnx, NamesMadeTwiceOrNeverAreRefused) {
  OnnxBuilder twice;
  twice.input("x", {1, 2}).output("y");
  twice.node("Relu", {"x"}, {"y"});
  twice.node("Abs", {"x"}, {"y"});
  EXPECT_REFUSED(twice, "two nodes make the value 'y'");
  OnnxBuilder never;
  never.input("x", {1, 2}).output("z");
  never.node("Relu", {"x"}, {"y"});
  EXPECT_REFUSED(never, "nothing makes the output 'z'");
  OnnxBuilder unread;
  unread.input("x", {1, 2}).output("y");
  unread.node("Relu", {"w"}, {"y"});
  EXPECT_REFUSED(unread, "it reads 'w', which nothing makes");
  OnnxBuilder inputs;
  inputs.input("x", {1, 2}).input("x", {1, 3}).output("y");
  inputs.node("Relu", {"x"}, {"y"});
  EXPECT_REFUSED(inputs, "two inputs are called 'x'");
}

TEST(HostileOnnx, ImpossibleDimensionsAreRefused) {
  const auto tensor = [](std::vector<std::int64_t> shape) {
    OnnxBuilder model;
    model.input("x", {1, 2}).reals("w", std::move(shape), {1, 2}).output("y");
    model.node("Add", {"x", "w"}, {"y"});
    return model;
  };
  EXPECT_REFUSED(tensor({-1, 2}), "tensor 'w' has the negative dimension -1");
  EXPECT_REFUSED(tensor({kMin}), "has the negative dimension -9223372036854775808");
  EXPECT_REFUSED(tensor({kHuge, kHuge}), "has too many elements");
  EXPECT_REFUSED(tensor({0, kHuge, kHuge}), "has too many elements");
  EXPECT_REFUSED(tensor({kMax}), "has too many elements");
  EXPECT_REFUSED(tensor({1 << 30}), "should have 1073741824 elements, the file has 2");
  OnnxBuilder negative;
  negative.input("x", {1, -7}).output("y");
  negative.node("Relu", {"x"}, {"y"});
  EXPECT_REFUSED(negative, "input 'x' has the negative dimension -7");
  OnnxBuilder large;
  large.input("x", {1, kHuge, kHuge}).output("y");
  large.node("Relu", {"x"}, {"y"});
  EXPECT_REFUSED(large, "input 'x' has the shape");
}

TEST(HostileOnnx, BytesThatDoNotFitTheirShapeAreRefused) {
  OnnxBuilder model;
  model.input("x", {1, 2}).output("y");
  auto* tensor = model.graph().add_initializer();
  tensor->set_name("w");
  tensor->set_data_type(proto::TensorProto::FLOAT);
  tensor->add_dims(1000);
  tensor->set_raw_data("abcd");
  model.node("Add", {"x", "w"}, {"y"});
  EXPECT_REFUSED(model, "tensor 'w' of shape [1000] should have 4000 bytes, the file has 4");
  tensor->set_data_type(proto::TensorProto::STRING);
  EXPECT_REFUSED(model, "tensor 'w' holds STRING elements");
  tensor->set_data_type(1234);
  EXPECT_REFUSED(model, "tensor 'w' holds type 1234 elements");
}

TEST(HostileOnnx, DataOutsideTheFolderIsNotRead) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "model");
  folder.write("secret", std::string(8, 's'));
  std::filesystem::create_symlink(folder / "secret", folder / "model" / "link");
  std::filesystem::create_directory_symlink(folder.path(), folder / "model" / "up");
  const auto with = [&](const std::string& location) {
    OnnxBuilder model;
    model.input("x", {1, 2}).output("y");
    auto* tensor = model.graph().add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(proto::TensorProto::FLOAT);
    tensor->add_dims(2);
    tensor->set_data_location(proto::TensorProto::EXTERNAL);
    auto* entry = tensor->add_external_data();
    entry->set_key("location");
    entry->set_value(location);
    model.node("Add", {"x", "w"}, {"y"});
    const auto path = folder / "model" / "m.onnx";
    EXPECT_TRUE(write_file(path, model.bytes()));
    return refusal([&] { return import_onnx(MappedFile::open(path).value()); });
  };
  for (const std::string location : {"../secret", "a/../../secret", "link", "up/secret", ""})
    EXPECT_PRED2(contains, with(location), "which is not inside the model's folder") << location;
  EXPECT_PRED2(contains, with((folder / "secret").string()), "not inside the model's folder");
  EXPECT_PRED2(contains, with("missing"), "missing");
  folder.write("model/short", "abcd");
  EXPECT_PRED2(contains, with("short"), "tensor 'w' of 8 bytes lies at 0 (8 bytes) in 'short'");
}

TEST(HostileOnnx, MoreNodesThanAreReadAreCountedNotBuilt) {
  // A node of two bytes each: a million of them in two megabytes.
  const auto field = [](int number, const std::string& bytes) {
    std::string out(1, static_cast<char>(number << 3 | 2));
    std::size_t size = bytes.size();
    for (; size > 127; size >>= 7) out += static_cast<char>((size & 127) | 128);
    return out + static_cast<char>(size) + bytes;
  };
  std::string nodes;
  for (int i = 0; i < 1'000'000; ++i) nodes += std::string("\x0A\x00", 2);
  const auto parse = [](const std::string& bytes) {
    return refusal([&] { return parse_onnx(std::as_bytes(std::span(bytes)), "x.onnx"); });
  };
  const std::string ir("\x08\x07", 2);
  EXPECT_PRED2(contains, parse(ir + field(7, nodes)), "'x.onnx' has 1,000,000 nodes");
  // In a branch of a node, where a count of the graph's own nodes would not see them.
  const std::string inside = field(1, field(5, field(6, nodes)));
  EXPECT_PRED2(contains, parse(ir + field(7, inside)), "'x.onnx' has 1,000,001 nodes");
  // Or as empty texts of one node.
  EXPECT_PRED2(contains, parse(ir + field(7, field(1, nodes))), "is made of 1,000,002 parts");
}

TEST(HostileOnnx, GraphsInsideGraphsHaveALimit) {
  OnnxBuilder model;
  model.input("x", {1, 2}).output("y");
  auto& condition = *model.graph().add_initializer();
  condition.set_name("c");
  condition.set_data_type(proto::TensorProto::BOOL);
  condition.add_int32_data(1);
  proto::GraphProto* graph = &model.graph();
  for (int i = 0; i < 100; ++i) {
    auto& node = OnnxBuilder::add_node(*graph, "If", {"c"}, {cat("y", i == 0 ? "" : cat(i))});
    auto* branch = node.add_attribute();
    branch->set_name("then_branch");
    branch->set_type(proto::AttributeProto::GRAPH);
    graph = branch->mutable_g();
    graph->add_output()->set_name(cat("y", i + 1));
  }
  OnnxBuilder::add_node(*graph, "Relu", {"x"}, {"y100"});
  EXPECT_REFUSED(model, "its messages are nested more than 40 deep");
}

/// y = op(x, constants...) for a model that asks for too much.
OnnxBuilder asks(const std::string& op, const std::vector<std::vector<std::int64_t>>& constants,
                 bool constant_x = false) {
  OnnxBuilder model;
  model.input("x", {1, 2, 2, 2}).output("y");
  auto& node = model.node(op, {}, {"y"});
  if (constant_x) model.reals("k", {1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  node.add_input(constant_x ? "k" : "x");
  for (std::size_t i = 0; i < constants.size(); ++i) {
    model.whole(cat("c", i), constants[i]);
    node.add_input(cat("c", i));
  }
  return model;
}

TEST(HostileOnnx, GiganticResultsAreRefused) {
  for (const bool constant : {false, true}) {
    EXPECT_REFUSED(asks("Expand", {{kHuge, 2, 2, 2}}, constant), cat(kHuge));
    EXPECT_REFUSED(asks("Expand", {{kMax, 2, 2, 2}}, constant), "expand");
    EXPECT_REFUSED(asks("Tile", {{kHuge, 1, 1, 1}}, constant), cat(kHuge));
    EXPECT_REFUSED(asks("Tile", {{kMax, kMax, kMax, kMax}}, constant), "tile");
    EXPECT_REFUSED(asks("Pad", {{0, 0, 0, 0, kHuge, 0, 0, 0}}, constant),
                   "pad cannot make the shape [1099511627777, 2, 2, 2]");
    EXPECT_REFUSED(asks("Pad", {{0, 0, 0, 0, kMax, 0, 0, kMax}}, constant), "pad cannot add");
    EXPECT_REFUSED(asks("Reshape", {{kHuge, kHuge, -1}}, constant), "an impossible shape");
    EXPECT_REFUSED(asks("Reshape", {{kMax, kMax}}, constant), "an impossible shape");
    EXPECT_REFUSED(asks("Resize", {{}, {}, {1, 2, 2, kHuge}}, constant), "dimension 3 from 2 to");
    EXPECT_REFUSED(asks("OneHot", {{kHuge}, {0, 1}}, constant),
                   "one_hot cannot make the shape [1, 2, 2, 2, 1099511627776]");
    EXPECT_REFUSED(asks("TopK", {{kHuge}}, constant), "topk cannot take the best 1099511627776");
  }
}

OnnxBuilder makes(const std::string& op, const std::vector<std::vector<std::int64_t>>& constants) {
  OnnxBuilder model;
  model.input("x", {1, 2}).output("y");
  auto& node = model.node(op, {}, {"y"});
  for (std::size_t i = 0; i < constants.size(); ++i) {
    model.whole(cat("c", i), constants[i]);
    node.add_input(cat("c", i));
  }
  return model;
}

TEST(HostileOnnx, GiganticConstantsAreRefused) {
  EXPECT_REFUSED(makes("ConstantOfShape", {{kHuge}}),
                 "ConstantOfShape asks for the shape [1099511627776]");
  EXPECT_REFUSED(makes("ConstantOfShape", {{1 << 14, 1 << 14}}),
                 "constants of 268,435,456 more elements would have to be made");
  EXPECT_REFUSED(makes("ConstantOfShape", {{-1}}), "ConstantOfShape asks for the shape [-1]");
  EXPECT_REFUSED(makes("HannWindow", {{kHuge}}), "constants of 1,099,511,627,776 more elements");
  const auto range = [](std::int64_t limit, std::int64_t delta) {
    OnnxBuilder model = makes("Range", {{0}, {limit}, {delta}});
    for (auto& tensor : *model.graph().mutable_initializer()) tensor.clear_dims();
    return model;
  };
  EXPECT_REFUSED(range(kHuge, 1), "Range from 0 to 1.09951e+12 in steps of 1");
  EXPECT_REFUSED(range(1 << 28, 1), "constants of 268,435,456 more elements");
  EXPECT_REFUSED(range(10, 0), "in steps of 0");
  OnnxBuilder eye;
  eye.input("x", {1 << 14, 1 << 14}).output("y");
  eye.node("EyeLike", {"x"}, {"y"});
  EXPECT_REFUSED(eye, "constants of 268,435,456 more elements");
}

TEST(HostileOnnx, ManySmallConstantsShareOneBudget) {
  OnnxBuilder model;
  model.input("x", {1, 2}).whole("shape", {1 << 20}).output("y0");
  for (int i = 0; i < 2000; ++i) model.node("ConstantOfShape", {"shape"}, {cat("y", i)});
  EXPECT_REFUSED(model, "constants of 1,048,576 more elements would have to be made");
}

TEST(HostileOnnx, WorkOnConstantsHasALimit) {
  OnnxBuilder model;
  model.input("x", {1, 2}).whole("shape", {1 << 11, 1 << 11}).output("y0");
  model.node("ConstantOfShape", {"shape"}, {"m"});
  model.node("MatMul", {"m", "m"}, {"y0"});
  EXPECT_REFUSED(model, "more operations to work out");
}

TEST(HostileOnnx, HugeWindowsAreRefused) {
  const auto conv = [](const std::string& attr, std::vector<std::int64_t> values) {
    OnnxBuilder model;
    model.input("x", {1, 1, 4, 4}).reals("w", {1, 1, 2, 2}, {1, 2, 3, 4}).output("y");
    auto& node = model.node("Conv", {"x", "w"}, {"y"});
    OnnxBuilder::set(node, attr, values);
    return model;
  };
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, kMax, kMin, kHuge}) {
    EXPECT_REFUSED(conv("strides", {bad, bad}), "Conv: strides, dilations and kernel_shape need 2");
    EXPECT_REFUSED(conv("dilations", {1, bad}), "Conv: strides, dilations and kernel_shape need 2");
  }
  EXPECT_REFUSED(conv("pads", {0, 0, kMax, kMax}), "Conv: pads [0, 0, 9223372036854775807");
  EXPECT_REFUSED(conv("pads", {1, 1}), "Conv: pads [1, 1] are not 4 numbers");
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-3}, kMax}) {
    OnnxBuilder model;
    model.input("x", {1, 1, 4, 4}).reals("w", {1, 1, 2, 2}, {1, 2, 3, 4}).output("y");
    OnnxBuilder::set(model.node("Conv", {"x", "w"}, {"y"}), "group", bad);
    EXPECT_REFUSED(model, cat("Conv of 1 channels in ", bad, " groups"));
  }
  OnnxBuilder blocks;
  blocks.input("x", {1, 4, 2, 2}).output("y");
  OnnxBuilder::set(blocks.node("DepthToSpace", {"x"}, {"y"}), "blocksize", std::int64_t{1} << 32);
  EXPECT_REFUSED(blocks, "in blocks of 4294967296");
}

TEST(HostileOnnx, AxesAndCountsThatDoNotFitAreRefused) {
  OnnxBuilder split;
  split.input("x", {1, 4}).output("x");
  OnnxBuilder::set(split.node("Split", {"x"}, {}), "axis", std::int64_t{1});
  EXPECT_PRED2(contains, refusal(split), "accepted");  // nobody asked for a part
  OnnxBuilder lengths;
  lengths.input("x", {1, 4}).whole("s", {kMax, kMax}).output("a");
  OnnxBuilder::set(lengths.node("Split", {"x", "s"}, {"a", "b"}), "axis", std::int64_t{1});
  EXPECT_REFUSED(lengths, "Split of 4 elements into [9223372036854775807");
  OnnxBuilder scales;
  scales.input("x", {4}).reals("s", {4}, {1, 2, 3, 4}).output("y");
  scales.node("QuantizeLinear", {"x", "s"}, {"q"});
  scales.node("Cast", {"q"}, {"y"});
  OnnxBuilder::set(*scales.graph().mutable_node(1), "to", std::int64_t{1});
  EXPECT_REFUSED(scales, "for each index of dimension 1 of a tensor that has 1");
  OnnxBuilder few;
  few.input("x", {1, 2}).reals("k", {2}, {1, 2}).output("y");
  few.node("Where", {"k"}, {"y"});
  EXPECT_REFUSED(few, "takes 3 inputs, got 1");
}

TEST(HostileOnnx, LongChainsDoNotOverflowTheStack) {
  OnnxBuilder model;
  model.input("x", {1, 2}).reals("s", {}, {1}).output("q20000");
  for (int i = 0; i < 20000; ++i)
    model.node("QuantizeLinear", {i == 0 ? "x" : cat("q", i), "s"}, {cat("q", i + 1)});
  const Result<OnnxImport> made = model.import();  // an answer, whichever
  EXPECT_TRUE(made || !made.error().what.empty());
}

TEST(HostileOnnx, TwoLayersMayShareAWeight) {
  OnnxBuilder model;
  model.input("x", {1, 2}).reals("fc.weight", {2, 2}, {1, 2, 3, 4}).output("y").output("z");
  model.node("Mul", {"x", "fc.weight"}, {"y"});
  model.node("MatMul", {"x", "fc.weight"}, {"z"});
  const Result<OnnxImport> made = model.import();
  EXPECT_TRUE(made) << to_string(made.error());
}

TEST(HostileOnnx, AllUnknownOperatorsAreListedAtOnce) {
  OnnxBuilder model;
  model.input("x", {1, 2}).output("y");
  model.node("Frobnicate", {"x"}, {"a"});
  model.node("Frobnicate", {"a"}, {"b"});
  model.node("StringNormalizer", {"b"}, {"c"});
  model.node("Evil", {"c"}, {"y"}).set_domain("com.example");
  EXPECT_REFUSED(model,
                 "cannot import the operators Frobnicate (2 times), StringNormalizer, "
                 "com.example.Evil");
  OnnxBuilder newer(99);
  newer.input("x", {1, 2}).output("y");
  newer.node("Relu", {"x"}, {"y"});
  EXPECT_REFUSED(newer, "'x.onnx' is written in opset 99");
}

TEST(HostileOnnx, EveryShorterFileIsAnErrorOrASmallerModel) {
  OnnxBuilder model;
  model.input("x", {1, 2}).reals("w", {2}, {1, 2}).output("y");
  model.node("Add", {"x", "w"}, {"y"});
  const std::string bytes = model.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = parse_onnx(std::as_bytes(std::span(bytes)).first(size), "x.onnx");
    if (!cut) continue;
    const Result<OnnxImport> made = import_onnx(cut.value());
    EXPECT_TRUE(made || !made.error().what.empty()) << size;
  }
}

}  // namespace
}  // namespace chop
