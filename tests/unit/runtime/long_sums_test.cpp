// Every fast kernel that adds up many numbers, on a million of them or more that lie far from zero,
// beside the reference in double. A single float sum of a million such numbers keeps three or four
// digits.
#include <gtest/gtest.h>

#include "support/planned.hpp"

namespace chop::test {
namespace {

/// Relative to the largest value of a result: some ten roundings. Differences that cancel, such as
/// the gradient of a batch norm, have bounds of their own; docs/numerics.md has the figures.
constexpr double kBound = 1e-6;

struct LongSum {
  std::string name;
  std::string_view op;
  Sample sample;
  double bound = kBound;
};

void PrintTo(const LongSum& at, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << at.op;
}

SampleInput far_from_zero(Shape shape) {
  return {.shape = std::move(shape), .low = 1000, .high = 1001};
}
SampleInput positive(Shape shape) {
  return {.shape = std::move(shape), .low = 0.5, .high = 1.5};
}
SampleInput indices(Shape shape, double count) {
  return {.shape = std::move(shape), .low = 0, .high = count, .dtype = DType::I64};
}

std::vector<LongSum> long_sums() {
  const std::int64_t million = std::int64_t{1} << 20;
  const std::vector<std::int64_t> first = {0};
  const auto features = [](std::int64_t n) { return Attrs{{"num_features", n}}; };
  const auto linear = [](std::int64_t in, std::int64_t out) {
    return Attrs{{"in_features", in}, {"out_features", out}};
  };
  const auto conv = [](std::int64_t in, std::int64_t out, std::int64_t kernel) {
    return Attrs{
        {"in_channels", in}, {"out_channels", out}, {"kernel_size", Shape{kernel, kernel}}};
  };
  const auto with = [](Attrs attrs, const Attrs& more) {
    for (const auto& [name, value] : more) attrs[name] = value;
    return attrs;
  };
  return {
      {"sum_all", "sum", {{}, {far_from_zero({4 * million})}}},
      {"mean_of_rows", "mean", {{{"dim", Shape{1}}}, {far_from_zero({4, million})}}},
      {"sum_down_columns", "sum", {{{"dim", first}}, {far_from_zero({million, 4})}}},
      {"mul_broadcast", "mul", {{}, {far_from_zero({million, 4}), positive({4})}}},
      {"mse_loss", "mse_loss", {{}, {far_from_zero({4 * million}), positive({4 * million})}}},
      {"softmax", "softmax", {{{"dim", -1}}, {positive({2, million})}}},
      {"softmax_across", "softmax", {{{"dim", 0}}, {positive({million, 2})}}},
      {"log_softmax", "log_softmax", {{{"dim", -1}}, {positive({2, million})}}, /*bound=*/2e-6},
      {"cross_entropy_rows",
       "cross_entropy",
       {{}, {positive({million / 4, 10}), indices({million / 4}, 10)}}},
      {"cross_entropy_classes",
       "cross_entropy",
       {{}, {positive({4, million / 4}), indices({4}, 100)}}},
      {"batch_norm1d", "batch_norm1d", {features(4), {positive({million, 4})}}, /*bound=*/6e-6},
      {"batch_norm1d_one_block",
       "batch_norm1d",
       {features(20), {positive({4095, 20})}},
       /*bound=*/6e-6},
      {"batch_norm2d",
       "batch_norm2d",
       {features(1), {positive({2048, 1, 28, 28})}},
       /*bound=*/6e-6},
      {"batch_norm2d_planes",
       "batch_norm2d",
       {features(2), {positive({1, 2, 1024, 1024})}},
       /*bound=*/6e-6},
      {"layer_norm_long_rows",
       "layer_norm",
       {{{"normalized_shape", Shape{million}}}, {positive({2, million})}}},
      {"layer_norm_many_rows",
       "layer_norm",
       {{{"normalized_shape", Shape{20}}}, {positive({million / 8, 20})}}},
      {"linear_wide_input",
       "linear",
       {linear(million, 4), {far_from_zero({2, million})}},
       /*bound=*/2e-6},
      {"linear_many_rows", "linear", {linear(16, 8), {far_from_zero({million / 2, 16})}}},
      {"linear_wide_weight",
       "linear",
       {linear(260, 260), {far_from_zero({4100, 260})}},
       /*bound=*/2e-6},
      {"linear_some_rows", "linear", {linear(16, 20), {far_from_zero({4095, 16})}}},
      {"matmul_small",
       "matmul",
       {{}, {far_from_zero({2, million}), positive({million, 4})}},
       /*bound=*/2e-6},
      {"matmul_large",
       "matmul",
       {{}, {far_from_zero({32, million / 16}), positive({million / 16, 32})}}},
      {"conv2d", "conv2d", {conv(1, 4, 3), {far_from_zero({2048, 1, 28, 28})}}},
      {"conv2d_channels", "conv2d", {conv(16, 16, 3), {far_from_zero({64, 16, 28, 28})}}},
      {"conv2d_pointwise", "conv2d", {conv(16, 16, 1), {far_from_zero({64, 16, 64, 64})}}},
      {"conv2d_large_image", "conv2d", {conv(1, 1, 3), {far_from_zero({1, 1, 1024, 1024})}}},
      {"conv2d_large_images_of_channels",
       "conv2d",
       {with(conv(4, 20, 3), {{"stride", Shape{2, 1}}, {"padding", Shape{1, 2}}}),
        {far_from_zero({3, 4, 401, 333})}}},
      {"conv2d_depthwise",
       "conv2d",
       {with(conv(8, 8, 3), {{"groups", 8}}), {far_from_zero({128, 8, 32, 32})}}},
      {"conv2d_depthwise_large_image",
       "conv2d",
       {with(conv(8, 8, 3), {{"groups", 8}}), {far_from_zero({1, 8, 512, 512})}}},
      {"conv2d_grouped_large_image",
       "conv2d",
       {with(conv(6, 4, 3), {{"groups", 2}, {"dilation", Shape{3, 2}}}),
        {far_from_zero({1, 6, 300, 401})}}},
      {"conv2d_many_channels_in", "conv2d", {conv(8192, 2, 3), {far_from_zero({1, 8192, 4, 4})}}},
      {"conv2d_8192_products_in", "conv2d", {conv(8192, 3, 1), {far_from_zero({1, 8192, 5, 5})}}},
      {"conv2d_many_channels_out", "conv2d", {conv(2, 8192, 3), {far_from_zero({1, 2, 8, 8})}}},
      {"conv2d_many_groups",
       "conv2d",
       {with(conv(4, 6000, 3), {{"groups", 2}, {"stride", Shape{2, 1}}, {"padding", Shape{1, 2}}}),
        {far_from_zero({2, 4, 9, 10})}}},
      {"conv2d_kernel_of_64", "conv2d", {conv(4, 2, 64), {far_from_zero({1, 4, 70, 70})}}},
      {"conv2d_kernel_of_256", "conv2d", {conv(1, 2, 256), {far_from_zero({1, 1, 260, 260})}}},
      {"conv2d_kernel_of_2048", "conv2d", {conv(1, 1, 2048), {far_from_zero({1, 1, 2049, 2049})}}},
      {"conv2d_kernel_of_96_strided",
       "conv2d",
       {with(conv(4, 6, 96),
             {{"groups", 2}, {"dilation", Shape{1, 2}}, {"padding", Shape{20, 70}}}),
        {far_from_zero({1, 4, 70, 71})}}},
      {"conv1d_long_kernel",
       "conv1d",
       {{{"in_channels", 2}, {"out_channels", 2}, {"kernel_size", Shape{65536}}},
        {far_from_zero({1, 2, 65540})}}},
      {"conv1d",
       "conv1d",
       {{{"in_channels", 2}, {"out_channels", 2}, {"kernel_size", Shape{3}}},
        {far_from_zero({4, 2, million / 4})}}},
      {"conv1d_strided",
       "conv1d",
       {{{"in_channels", 20},
         {"out_channels", 3},
         {"kernel_size", Shape{5}},
         {"stride", Shape{3}},
         {"padding", Shape{2}}},
        {far_from_zero({1, 20, 3 * 20001})}},
       /*bound=*/2e-6},
      {"avg_pool2d",
       "avg_pool2d",
       {{{"kernel_size", Shape{1024, 1024}}}, {far_from_zero({1, 2, 1024, 1024})}}},
      {"adaptive_avg_pool2d",
       "adaptive_avg_pool2d",
       {{{"output_size", Shape{1, 1}}}, {far_from_zero({1, 2, 1024, 1024})}}},
      {"embedding",
       "embedding",
       {{{"num_embeddings", 4}, {"embedding_dim", 2}}, {indices({million}, 4)}}},
  };
}

/// How far `got` is from `expected`, relative to the largest value.
double distance(const Tensor& got, const Tensor& expected) {
  const double scale = scale_of(expected, 1e-30);
  double worst = 0;
  for (std::int64_t i = 0; i < got.size(); ++i)
    worst = std::max(worst, std::abs(got.at(i) - expected.at(i)) / scale);
  return worst;
}

class LongSums : public testing::TestWithParam<LongSum> {};

TEST_P(LongSums, KeepTheirDigits) {
  const LongSum& at = GetParam();
  OpDef op = *find_op(at.op).value();
  op.samples = {at.sample};
  Question question = question_of({&op, 0}, /*training=*/true);
  // A gradient that goes with x, so that sums of their products do not cancel.
  if (const Tensor& x = question.inputs.at("x0");
      question.inputs.contains("seed") && question.inputs.at("seed").shape() == x.shape())
    for (std::int64_t i = 0; i < x.size(); ++i)
      question.inputs.at("seed").mutable_data<float>()[static_cast<std::size_t>(i)] =
          static_cast<float>(x.at(i) * x.at(i));
  const std::vector<Tensor> expected = run_in_double(question);
  const std::vector<Tensor> got = Planned(question, 2).run();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double worst = distance(got[k], expected[k]);
    RecordProperty(question.names[k], cat(worst));
    EXPECT_LE(worst, at.bound) << question.names[k];
  }
}

INSTANTIATE_TEST_SUITE_P(Runtime, LongSums, testing::ValuesIn(long_sums()),
                         [](const auto& at) { return at.param.name; });

/// Images as MNIST has them: four of five numbers are zero.
Tensor digits(std::int64_t images) {
  Tensor x(DType::F32, {images, 1, 28, 28});
  const Stream stream(1, "digits");
  std::uint64_t n = 0;
  for (float& value : x.mutable_data<float>()) {
    const double at = stream.uniform(n++);
    value = at < 0.8 ? 0.0F : static_cast<float>(5 * (at - 0.8));
  }
  return x;
}

TEST(LongSums, BatchNorm2dKnowsTheVarianceOfAnyNumberOfImages) {
  for (const std::int64_t images : {16, 128, 512, 2048, 8192}) {
    OpDef op = *find_op("batch_norm2d").value();
    op.samples = {{{{"num_features", std::int64_t{1}}}, {positive({images, 1, 28, 28})}}};
    Question question = question_of({&op, 0}, /*training=*/true);
    question.inputs.at("x0") = digits(images);
    double sum = 0;
    double squares = 0;
    const Tensor& x = question.inputs.at("x0");
    for (const float v : x.data<float>()) sum += static_cast<double>(v);
    const double mean = sum / static_cast<double>(x.size());
    for (const float v : x.data<float>()) squares += (v - mean) * (v - mean);
    const double variance = squares / static_cast<double>(x.size());
    const std::vector<Tensor> got = Planned(question, 2).run();
    const double invstd = got[got.size() - 3].at(0);
    const double error = std::abs((1 / (invstd * invstd) - 1e-5) / variance - 1);
    RecordProperty(cat("variance_", images), cat(error));
    EXPECT_LE(error, 5e-7) << images;
    EXPECT_NEAR(got[got.size() - 4].at(0), mean, 1e-7 * mean) << images;
  }
}

/// conv2d, batch_norm2d, relu, flatten, linear and the loss, on 512 digits, with all gradients.
Question network_of_digits() {
  constexpr std::int64_t kImages = 512;
  Graph graph("digits");
  const auto add = [&](const std::string& op, std::vector<Value> in, Attrs attrs) {
    const OpDef& def = *find_op(op).value();
    for (const ParamDef& param : def.params) {
      const Call call{def, attrs};
      if (!is_present(param, call)) continue;
      const std::string name = cat(op, ".", param.name);
      const double low = param.name == "running_var" ? 0.5 : -0.3;
      const SampleInput drawn{.shape = param.shape(call), .low = low, .high = low + 0.6};
      graph.add_parameter({name, draw(drawn, Stream(1, name)), param.trainable});
      in.push_back(
          {graph.add({.name = name, .opcode = Opcode::GetAttr, .op = "get_attr", .target = name})});
    }
    return Value{graph.add({.name = op,
                            .opcode = Opcode::CallFunction,
                            .op = op,
                            .target = op,
                            .inputs = std::move(in),
                            .attrs = std::move(attrs)})};
  };
  const auto placeholder = [&](const char* name, Shape shape, const char* dtype) {
    return Value{
        graph.add({.name = name,
                   .opcode = Opcode::Placeholder,
                   .op = "placeholder",
                   .target = name,
                   .attrs = {{"shape", std::move(shape)}, {"dtype", std::string(dtype)}}})};
  };
  const Value x = placeholder("x", {kImages, 1, 28, 28}, "f32");
  const Value target = placeholder("target", {kImages}, "i64");
  Value y = add("conv2d", {x},
                {{"in_channels", std::int64_t{1}},
                 {"out_channels", std::int64_t{8}},
                 {"kernel_size", Ints{3}},
                 {"bias", true}});
  y = add("batch_norm2d", {y}, {{"num_features", std::int64_t{8}}, {"training", true}});
  y = add("flatten", {add("relu", {y}, {})}, {{"start_dim", std::int64_t{1}}});
  y = add("linear", {y}, {{"in_features", std::int64_t{5408}}, {"out_features", std::int64_t{10}}});
  const Value loss = add("cross_entropy", {y, target}, {});
  graph.set_outputs({loss});
  std::vector<std::string> names;
  for (const Parameter& parameter : graph.parameters())
    if (parameter.trainable) names.push_back(parameter.name);
  GradientGraph backward = differentiate(std::move(graph), kImages, loss, names).value();
  Question question{std::move(backward.graph), {}, {loss}, {"loss"}, kImages};
  for (const auto& [name, value] : backward.gradients) {
    question.wanted.push_back(value);
    question.names.push_back(name);
  }
  question.graph.set_outputs(question.wanted);
  question.inputs.emplace("x", digits(kImages));
  question.inputs.emplace("target", draw(indices({kImages}, 10), Stream(1, "target")));
  return question;
}

TEST(LongSums, GradientsOfANetworkWithBatchNormAreThoseOfDoublePrecision) {
  const Question question = network_of_digits();
  const std::vector<Tensor> expected = run_in_double(question);
  const std::vector<Tensor> got = Planned(question, 2).run();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (question.names[k] == "conv2d.bias") continue;  // a batch norm undoes it: nothing but noise
    const double error = distance(got[k], expected[k]);
    RecordProperty(question.names[k], cat(error));
    EXPECT_LE(error, 1e-5) << question.names[k];
  }
}

}  // namespace
}  // namespace chop::test
