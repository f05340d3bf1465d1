// Plans against the reference over random shapes: odd sizes, batches of one, sizes around
// the vectors' width, and sizes that reach oneDNN and several threads. A failure prints the
// seed and the case; CH_SEED=<seed> runs other ones.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>

#include "support/planned.hpp"

namespace chop {
namespace {

using test::Case;
using test::Planned;
using test::Question;

/// Sums are longer here than in the samples.
constexpr double kTolerance = 5e-5;

std::uint64_t seed() {
  const char* given = std::getenv("CH_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

/// Whole numbers drawn one after the other.
class Dice {
 public:
  explicit Dice(std::string_view purpose) : stream_(seed(), purpose) {}
  std::int64_t from_to(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(
                     stream_.below(n_++, static_cast<std::uint64_t>(high - low + 1)));
  }
  bool flip() { return from_to(0, 1) == 1; }

 private:
  Stream stream_;
  std::uint64_t n_ = 0;
};

/// Checks one call of a registered op: training and evaluation, one thread and two.
void check(std::string_view op, Sample sample) {
  OpDef def = *find_op(op).value();
  def.samples = {std::move(sample)};
  const Case at{&def, 0};
  std::string about = cat("CH_SEED=", seed(), " ", op);
  for (const SampleInput& input : def.samples[0].inputs) about += " " + to_string(input.shape);
  for (const auto& [name, value] : def.samples[0].attrs)
    about += cat(" ", name, "=", to_python(value));
  SCOPED_TRACE(about);
  for (const bool training : {false, true}) {
    const Question question = test::question_of(at, training);
    Planned plan(question, 1);
    EXPECT_EQ(test::reference_steps(plan.plan()), std::vector<std::string>());
    const std::vector<Tensor> one = plan.run();
    test::expect_close(one, test::run_in_double(question), question.names, kTolerance);
    test::expect_same_bits(Planned(question, 2).run(), one, question.names);
  }
}

TEST(PlanShapes, Linear) {
  Dice dice("linear");
  const auto one = [](std::int64_t rows, std::int64_t in, std::int64_t out, bool bias) {
    check("linear", {.attrs = {{"in_features", in}, {"out_features", out}, {"bias", bias}},
                     .inputs = {{{rows, in}}}});
  };
  for (std::int64_t width = 1; width <= 33; ++width) one(dice.from_to(1, 9), 7, width, dice.flip());
  for (std::int64_t width = 1; width <= 33; width += 4) one(13, width, 5, dice.flip());
  for (int i = 0; i < 8; ++i)
    one(dice.from_to(1, 70), dice.from_to(1, 70), dice.from_to(1, 70), dice.flip());
  one(131, 129, 257, true);  // oneDNN
  one(1, 300, 200, true);
}

Sample conv_sample(Dice& dice, std::size_t dims, std::int64_t batch, std::int64_t largest) {
  const std::int64_t groups = dice.from_to(1, 3) == 1 ? dice.from_to(2, 3) : 1;
  const std::int64_t in = groups * dice.from_to(1, largest);
  const std::int64_t out = groups * dice.from_to(1, largest);
  Shape x = {batch, in};
  Ints kernel, stride, padding, dilation;
  for (std::size_t d = 0; d < dims; ++d) {
    kernel.push_back(dice.from_to(1, 5));
    stride.push_back(dice.from_to(1, 3));
    padding.push_back(dice.from_to(0, 2));
    dilation.push_back(dice.from_to(1, 2));
    x.push_back(dilation[d] * (kernel[d] - 1) + 1 + dice.from_to(0, 12));
  }
  return {.attrs = {{"in_channels", in},
                    {"out_channels", out},
                    {"kernel_size", kernel},
                    {"stride", stride},
                    {"padding", padding},
                    {"dilation", dilation},
                    {"groups", groups},
                    {"bias", dice.flip()}},
          .inputs = {{x}}};
}

TEST(PlanShapes, Convolution) {
  Dice dice("convolution");
  for (int i = 0; i < 30; ++i)
    check(i % 3 == 0 ? "conv1d" : "conv2d",
          conv_sample(dice, i % 3 == 0 ? 1 : 2, dice.from_to(1, 5), 9));
}

TEST(PlanShapes, ConvolutionInSeveralSubBatches) {
  const auto conv = [](std::int64_t batch, std::int64_t in, std::int64_t out, std::int64_t size,
                       std::int64_t kernel, std::int64_t groups) {
    check("conv2d", {.attrs = {{"in_channels", in},
                               {"out_channels", out},
                               {"kernel_size", Ints{kernel}},
                               {"padding", Ints{kernel / 2}},
                               {"groups", groups}},
                     .inputs = {{{batch, in, size, size}}}});
  };
  conv(11, 16, 24, 14, 3, 1);  // the last sub-batch is smaller
  conv(7, 3, 16, 33, 3, 1);    // few input channels
  conv(5, 32, 32, 28, 3, 32);  // depthwise
  conv(9, 24, 40, 15, 1, 1);   // 1 x 1
  conv(3, 20, 10, 17, 5, 5);
}

TEST(PlanShapes, ConvolutionOfLargeImages) {
  const auto conv = [](Shape x, std::int64_t out, Attrs attrs) {
    attrs.insert({{"in_channels", x[1]}, {"out_channels", out}});
    check(x.size() == 3 ? "conv1d" : "conv2d", {.attrs = std::move(attrs), .inputs = {{x}}});
  };
  conv({2, 3, 130, 131}, 20, {{"kernel_size", Ints{3}}, {"padding", Ints{1}}});
  conv({1, 4, 201, 203}, 6,
       {{"kernel_size", Ints{3, 5}}, {"stride", Ints{2, 1}}, {"groups", std::int64_t{2}}});
  conv({1, 2, 97, 95}, 2, {{"kernel_size", Ints{2}}, {"dilation", Ints{5, 9}}});
  conv({1, 1, 40, 9000}, 2, {{"kernel_size", Ints{3}}, {"stride", Ints{7, 1}}});
  conv({1, 2, 20011}, 3, {{"kernel_size", Ints{4}}, {"padding", Ints{3}}, {"stride", Ints{2}}});
  // Patches that see nothing but padding.
  conv({1, 1, 9, 7}, 1, {{"kernel_size", Ints{3}}, {"padding", Ints{70, 60}}});
}

Sample pool_sample(Dice& dice, std::size_t dims, bool dilates) {
  Shape x = {dice.from_to(1, 3), dice.from_to(1, 9)};
  Ints kernel, stride, padding, dilation;
  for (std::size_t d = 0; d < dims; ++d) {
    kernel.push_back(dice.from_to(1, 4));
    stride.push_back(dice.from_to(1, 4));
    padding.push_back(dice.from_to(0, kernel[d] / 2));
    dilation.push_back(dilates ? dice.from_to(1, 2) : 1);
    x.push_back(dilation[d] * (kernel[d] - 1) + 1 + dice.from_to(0, 33));
  }
  Sample sample{.attrs = {{"kernel_size", kernel},
                          {"stride", stride},
                          {"padding", padding},
                          {"ceil_mode", dice.flip()}},
                .inputs = {{.shape = x, .distinct = true}}};
  if (dilates)
    sample.attrs["dilation"] = dilation;
  else
    sample.attrs["count_include_pad"] = dice.flip();
  return sample;
}

TEST(PlanShapes, Pooling) {
  Dice dice("pooling");
  for (int i = 0; i < 20; ++i) {
    check("max_pool1d", pool_sample(dice, 1, true));
    check("max_pool2d", pool_sample(dice, 2, true));
    check("avg_pool1d", pool_sample(dice, 1, false));
    check("avg_pool2d", pool_sample(dice, 2, false));
    check("adaptive_avg_pool2d",
          {.attrs = {{"output_size", Ints{dice.from_to(1, 7), dice.from_to(1, 7)}}},
           .inputs = {{{2, 3, dice.from_to(1, 19), dice.from_to(1, 19)}}}});
  }
  check("max_pool2d", {.attrs = {{"kernel_size", Ints{2}}},
                       .inputs = {{.shape = {3, 17, 33, 31}, .distinct = true}}});
}

TEST(PlanShapes, MaxPoolingGivesEqualMaximaToTheFirst) {
  // Drawn as whole numbers from few values, windows are full of ties.
  Graph graph;
  const Value x = test::add_placeholder(graph, "x", {2, 3, 9, 7});
  const NodeId y = graph.add({.name = "y",
                              .opcode = Opcode::CallFunction,
                              .op = "max_pool2d",
                              .target = "max_pool2d",
                              .inputs = {x},
                              .attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{1}}}});
  graph.set_outputs({{y}});
  const Value dy = test::add_placeholder(graph, "seed", {2, 3, 7, 5});
  GradientGraph backward = differentiate(graph, 2, {y}, {"x"}, dy).value();
  Tensor ties = test::draw({.shape = {2, 3, 9, 7}, .low = 0, .high = 3}, Stream(4, "ties"));
  for (float& value : ties.mutable_data<float>()) value = std::floor(value);
  ties.mutable_data<float>()[5] = std::nanf("");
  Question question{std::move(backward.graph),
                    {{"x", ties}, {"seed", test::draw({.shape = {2, 3, 7, 5}}, Stream(4, "dy"))}},
                    {{y}, backward.gradients.at("x")},
                    {"y", "dx"},
                    2};
  question.graph.set_outputs(question.wanted);
  test::expect_close(Planned(question, 1).run(), test::run_in_double(question), question.names,
                     1e-6);
}

TEST(PlanShapes, BatchNorm) {
  Dice dice("batch norm");
  // Few values may happen to be nearly equal; what is left of the gradient is then rounding.
  for (std::int64_t channels = 1; channels <= 33; ++channels) {
    const Attrs attrs = {{"num_features", channels},
                         {"affine", dice.flip()},
                         {"relu", dice.flip()},
                         {"track_running_stats", dice.flip()}};
    check("batch_norm1d", {.attrs = attrs, .inputs = {{{dice.from_to(7, 40), channels}}}});
    if (channels % 4 == 1)
      check("batch_norm2d",
            {.attrs = attrs,
             .inputs = {{{dice.from_to(2, 5), channels, dice.from_to(3, 9), dice.from_to(1, 9)}}}});
  }
  check("batch_norm2d",
        {.attrs = {{"num_features", std::int64_t{19}}}, .inputs = {{{4, 19, 23, 21}}}});
}

TEST(PlanShapes, LayerNorm) {
  Dice dice("layer norm");
  for (std::int64_t width = 7; width <= 34; ++width)
    check("layer_norm",
          {.attrs = {{"normalized_shape", Ints{width}}, {"elementwise_affine", dice.flip()}},
           .inputs = {{{dice.from_to(1, 9), width}}}});
  check("layer_norm", {.attrs = {{"normalized_shape", Ints{5, 67}}}, .inputs = {{{150, 5, 67}}}});
}

TEST(PlanShapes, Softmax) {
  Dice dice("softmax");
  for (const char* op : {"softmax", "log_softmax"}) {
    for (std::int64_t size = 1; size <= 33; size += 2)
      check(op, {.attrs = {{"dim", std::int64_t{1}}}, .inputs = {{{dice.from_to(1, 9), size}}}});
    check(op, {.attrs = {{"dim", std::int64_t{1}}}, .inputs = {{{3, 5, 7, 19}}}});
    check(op, {.attrs = {{"dim", std::int64_t{0}}}, .inputs = {{{17, 150}}}});
    // One lane more than are done together.
    check(op, {.attrs = {{"dim", std::int64_t{1}}}, .inputs = {{{3, 4, 65}}}});
    check(op, {.attrs = {{"dim", std::int64_t{-1}}}, .inputs = {{{900, 41}}}});
  }
}

TEST(PlanShapes, Arithmetic) {
  Dice dice("arithmetic");
  for (int i = 0; i < 40; ++i) {
    Shape a, b;
    for (std::int64_t d = dice.from_to(1, 4); d > 0; --d) {
      const std::int64_t size = dice.from_to(1, 9);
      a.push_back(dice.from_to(0, 3) == 0 ? 1 : size);
      b.push_back(dice.from_to(0, 3) == 0 ? 1 : size);
    }
    if (dice.flip()) b.erase(b.begin());
    const char* ops[] = {"add", "sub", "mul", "div"};
    check(ops[i % 4], {.inputs = {{a}, {.shape = b, .low = 0.5}}});
  }
  check("add", {.inputs = {{{40, 1000}}, {{40, 1000}}}});
  check("mul", {.inputs = {{{8, 6, 1, 1}}, {{8, 6, 33, 30}}}});
  check("div", {.attrs = {{"other", 3.0}}, .inputs = {{{70000}}}});
}

TEST(PlanShapes, Reductions) {
  Dice dice("reductions");
  for (int i = 0; i < 40; ++i) {
    Shape x;
    Ints dims;
    for (std::int64_t d = 0, rank = dice.from_to(1, 4); d < rank; ++d) {
      x.push_back(dice.from_to(1, 11));
      if (dice.flip()) dims.push_back(d);
    }
    check(i % 2 == 0 ? "sum" : "mean",
          {.attrs = {{"dim", dims}, {"keepdim", dice.flip()}}, .inputs = {{x}}});
  }
  check("sum", {.inputs = {{{100001}}}});
  check("mean", {.attrs = {{"dim", Ints{2, 3}}}, .inputs = {{{6, 10, 31, 33}}}});
  check("sum_to", {.attrs = {{"shape", Ints{300}}}, .inputs = {{{170, 300}}}});
  check("sum_to", {.attrs = {{"shape", Ints{1, 20, 1, 1}}}, .inputs = {{{5, 20, 21, 19}}}});
}

TEST(PlanShapes, MatrixProducts) {
  Dice dice("products");
  for (int i = 0; i < 20; ++i) {
    const std::int64_t m = dice.from_to(1, 33), k = dice.from_to(1, 33), n = dice.from_to(1, 33);
    check("bmm", {.inputs = {{{3, m, k}}, {{3, k, n}}}});
    check("matmul", {.inputs = {{{2, 1, m, k}}, {{3, k, n}}}});
  }
  check("matmul", {.inputs = {{{150, 140}}, {{140, 160}}}});
  check("bmm", {.inputs = {{{12, 40, 40}}, {{12, 40, 40}}}});
}

TEST(PlanShapes, Layout) {
  check("transpose", {.attrs = {{"dim0", std::int64_t{0}}, {"dim1", std::int64_t{1}}},
                      .inputs = {{{130, 310}}}});
  check("transpose", {.attrs = {{"dim0", std::int64_t{1}}, {"dim1", std::int64_t{2}}},
                      .inputs = {{{5, 33, 47}}}});
  check("permute", {.attrs = {{"dims", Ints{0, 2, 3, 1}}}, .inputs = {{{3, 17, 19, 23}}}});
  check("permute", {.attrs = {{"dims", Ints{3, 1, 0, 2}}}, .inputs = {{{4, 5, 6, 7}}}});
  check("expand", {.attrs = {{"shape", Ints{7, 300, 33}}}, .inputs = {{{300, 1}}}});
  check("dropout", {.attrs = {{"p", 0.3}}, .inputs = {{{70, 1000}}}});
}

}  // namespace
}  // namespace chop
