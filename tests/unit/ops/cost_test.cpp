// What every op costs, against counts written down by hand: loops over the formula, one
// operation at a time, on every sample an op declares.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>

#include "support/samples.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using test::Case;
using test::Made;

/// Operations as they are done: `mul` of a MAC, everything else exact.
struct Hand {
  std::int64_t macs = 0;
  std::int64_t lab = 0;
  std::int64_t exact = 0;
  std::int64_t backward = 0;
};
using Rule = std::function<Hand(const CostCall&)>;

std::int64_t in_count(const CostCall& call) {
  return numel(call.in[0].shape);
}
std::int64_t out_count(const CostCall& call) {
  return numel(call.out[0].shape);
}

/// A sum of products: each term one multiplication, each but the first one addition.
Hand sums(std::int64_t outputs, std::int64_t terms, bool bias) {
  Hand hand;
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t t = 0; t < terms; ++t) {
      ++hand.macs;
      ++hand.exact;
      if (t > 0) ++hand.exact;
    }
    if (bias) ++hand.exact;
  }
  hand.lab = hand.macs;
  hand.backward = hand.macs + hand.macs;  // one product for the input, one for the weight
  return hand;
}

Hand linear(const CostCall& call) {
  const std::int64_t fan_in = call.integer("fan_in");
  return sums(out_count(call), fan_in > 0 ? fan_in : call.in[0].shape.back(), call.flag("bias"));
}

template <std::size_t kDims>
Hand conv(const CostCall& call) {
  std::int64_t taps = call.integer("in_channels") / call.integer("groups");
  for (const std::int64_t k : call.ints("kernel_size", kDims)) taps *= k;  // dilation adds none
  return sums(out_count(call), taps, call.flag("bias"));
}

/// Each input meets each tap of the output channels of its group: times, and into the output.
template <std::size_t kDims>
Hand conv_transpose(const CostCall& call) {
  std::int64_t taps = call.integer("out_channels") / call.integer("groups");
  for (const std::int64_t k : call.ints("kernel_size", kDims)) taps *= k;
  const std::int64_t macs = in_count(call) * taps;
  return {.macs = macs, .lab = macs, .exact = macs + macs, .backward = macs + macs};
}

Hand matmul(const CostCall& call) {
  return sums(out_count(call), call.in[0].shape.back(), false);
}

/// `exact` operations per element, one in the lab's eyes.
Rule each(std::int64_t exact) {
  return [exact](const CostCall& call) {
    Hand hand;
    for (std::int64_t i = 0; i < out_count(call); ++i) {
      hand.exact += exact;
      ++hand.lab;
      ++hand.backward;
    }
    return hand;
  };
}

Rule without_gradient(const Rule& rule) {
  return [rule](const CostCall& call) {
    Hand hand = rule(call);
    hand.backward = 0;
    return hand;
  };
}

Hand gelu(const CostCall& call) {
  return each(call.text("approximate") == "tanh" ? 9 : 5)(call);
}

template <std::size_t kDims>
Hand max_pool(const CostCall& call) {
  std::int64_t window = 1;
  for (const std::int64_t k : call.ints("kernel_size", kDims)) window *= k;
  return {.lab = out_count(call) * window,
          .exact = out_count(call) * (window - 1),  // comparisons
          .backward = in_count(call) * window};
}

template <std::size_t kDims>
Hand avg_pool(const CostCall& call) {
  Hand hand = max_pool<kDims>(call);
  hand.exact += out_count(call);  // the division
  return hand;
}

/// Each window of PyTorch's rule, floor(o · in / out) to ceil((o + 1) · in / out), in one
/// dimension.
std::int64_t window(std::int64_t o, std::int64_t in, std::int64_t out) {
  std::int64_t end = (o + 1) * in / out;
  if (end * out < (o + 1) * in) ++end;
  return end - o * in / out;
}

template <std::size_t kDims>
Hand adaptive_avg_pool(const CostCall& call) {
  const Shape& x = call.in[0].shape;
  const Shape& y = call.out[0].shape;
  const std::size_t first = y.size() - kDims;  // leading dimensions: a sample, or a batch of them
  std::int64_t sum = 1;
  for (std::size_t d = 0; d < y.size(); ++d) {
    std::int64_t along = d < first ? y[d] : 0;
    for (std::int64_t o = 0; d >= first && o < y[d]; ++o) along += window(o, x[d], y[d]);
    sum *= along;
  }
  // a window of n takes n - 1 additions and a division
  return {.lab = in_count(call), .exact = sum, .backward = in_count(call)};
}

Hand batch_norm(const CostCall& call) {
  Hand hand{.lab = 4 * in_count(call), .backward = 4 * in_count(call)};
  hand.exact = 3 * call.integer("num_features");  // + eps, root, reciprocal per channel
  const bool measures = call.flag("training") || !call.flag("track_running_stats");
  for (std::int64_t i = 0; i < in_count(call); ++i) {
    hand.exact += 2;                           // - mean, times 1 / deviation
    if (call.flag("affine")) hand.exact += 2;  // times weight, + bias
    if (measures) hand.exact += 1 + 3;         // into the mean; -, square, into the variance
  }
  return hand;
}

Hand layer_norm(const CostCall& call) {
  std::int64_t width = 1;
  for (const std::int64_t extent : call.ints("normalized_shape")) width *= extent;
  const std::int64_t rows = width == 0 ? 0 : in_count(call) / width;
  Hand hand{.lab = 5 * in_count(call), .backward = 5 * in_count(call)};
  for (std::int64_t row = 0; row < rows; ++row) {
    hand.exact += (width - 1) + 1;                  // the mean
    hand.exact += width + width + (width - 1) + 1;  // the variance: -, square, sum, division
    hand.exact += 3;                                // + eps, root, reciprocal
    hand.exact += width + width;                    // -, times
    if (call.flag("elementwise_affine")) hand.exact += width + width;
  }
  return hand;
}

Hand softmax_like(const CostCall& call, std::int64_t per_row) {
  const auto rank = static_cast<std::int64_t>(call.in[0].shape.size());
  const std::int64_t dim = call.integer("dim");
  const std::int64_t size =
      rank == 0 ? 1 : call.in[0].shape[static_cast<std::size_t>((dim + rank) % rank)];
  const std::int64_t rows = size == 0 ? 0 : in_count(call) / size;
  Hand hand{.lab = 5 * in_count(call), .backward = 4 * in_count(call)};
  // largest: size - 1; subtract: size; exp: size; sum: size - 1; divide or subtract: size
  hand.exact = rows * ((size - 1) + size + size + (size - 1) + size + per_row);
  return hand;
}

/// The letters' sizes by hand; no sample of one operand stretches, and "..." is spelt out.
Hand einsum(const CostCall& call) {
  const auto operands = static_cast<std::int64_t>(call.in.size());
  static const std::map<std::string, std::int64_t> kTerms = {
      {"bij, bjk", 2 * 2 * 3 * 1},
      {"...ij,...kj->...ik", 2 * 3 * 2 * 2 * 3},
      {"i...->...", 3 * 2 * 2},
      {"ii->i", 3},
      {"ii", 3},
      {"ba", 2 * 3},
      {"ij->", 2 * 3},
      {"i,ij,jk->k", 2 * 3 * 2},
      {"ij,ij->ij", 2 * 3},
      {",i->i", 1}};
  const auto known = kTerms.find(call.text("equation"));  // the one left is a matrix product
  const std::int64_t terms =
      known == kTerms.end() ? out_count(call) * call.in[0].shape[1] : known->second;
  Hand hand{.macs = terms * (operands - 1), .lab = terms * std::max<std::int64_t>(operands - 1, 1)};
  hand.exact = terms == 0 ? 0 : hand.macs + (terms - out_count(call));  // all but the first added
  hand.backward = operands * hand.lab;
  return hand;
}

Hand local_response(const CostCall& call) {
  const Shape& x = call.in[0].shape;
  const std::int64_t size = call.integer("size");
  Hand hand;
  for (std::int64_t i = 0; i < in_count(call); ++i) {
    const std::int64_t c = i / (in_count(call) / x[0] / x[1]) % x[1];
    for (std::int64_t j = 0; j < x[1]; ++j) {
      if (j < c - size / 2 || j > c - size / 2 + size - 1) continue;
      ++hand.lab;
      hand.exact += 2;  // a square, and into the sum
    }
    hand.exact += 4;  // times alpha / size, + k, power, times
  }
  hand.backward = 2 * hand.lab;
  return hand;
}

Hand nothing(const CostCall& /*call*/) {
  return {};
}

std::map<std::string_view, Rule> rules() {
  std::map<std::string_view, Rule> rules = {
      {"linear", linear},
      {"conv1d", conv<1>},
      {"conv2d", conv<2>},
      {"conv3d", conv<3>},
      {"conv_transpose1d", conv_transpose<1>},
      {"conv_transpose2d", conv_transpose<2>},
      {"conv_transpose3d", conv_transpose<3>},
      {"einsum", einsum},
      {"local_response_norm", local_response},
      {"instance_norm",
       [](const CostCall& call) {  // as batch_norm with its own statistics, for every sample
         const std::int64_t n = in_count(call);
         return Hand{.lab = 4 * n,
                     .exact = (2 + 2 + 1 + 3) * n + 3 * numel(call.out[1].shape),
                     .backward = 4 * n};
       }},
      {"topk",
       [](const CostCall& call) {  // each element against each of the k best
         return Hand{.lab = in_count(call), .exact = in_count(call) * call.integer("k")};
       }},
      {"matmul", matmul},
      {"bmm", matmul},
      {"gelu", gelu},
      {"max_pool1d", max_pool<1>},
      {"max_pool2d", max_pool<2>},
      {"max_pool3d", max_pool<3>},
      {"avg_pool1d", avg_pool<1>},
      {"avg_pool2d", avg_pool<2>},
      {"avg_pool3d", avg_pool<3>},
      {"adaptive_avg_pool1d", adaptive_avg_pool<1>},
      {"adaptive_avg_pool2d", adaptive_avg_pool<2>},
      {"adaptive_avg_pool3d", adaptive_avg_pool<3>},
      {"batch_norm1d", batch_norm},
      {"batch_norm2d", batch_norm},
      {"batch_norm3d", batch_norm},
      {"layer_norm", layer_norm},
      {"softmax", [](const CostCall& call) { return softmax_like(call, 0); }},
      {"log_softmax", [](const CostCall& call) { return softmax_like(call, 1); }},
      {"mean",
       [](const CostCall& call) {  // all but one into each sum, and one division
         const std::int64_t n = in_count(call);
         return Hand{.lab = n, .exact = n, .backward = n};
       }},
      {"sum",
       [](const CostCall& call) {
         const std::int64_t n = in_count(call);
         return Hand{.lab = n, .exact = n == 0 ? 0 : n - out_count(call), .backward = n};
       }},
      {"logsumexp",
       [](const CostCall& call) {
         const std::int64_t n = in_count(call);
         const std::int64_t o = n == 0 ? 0 : out_count(call);
         // largest, subtract, exp, sum; logarithm, add; backward: subtract, exp, times
         return Hand{.lab = 4 * n, .exact = (n - o) + n + n + (n - o) + o + o, .backward = 3 * n};
       }},
      {"mse_loss",
       [](const CostCall& call) {
         const std::int64_t n = in_count(call);
         return Hand{.lab = 3 * n, .exact = n + n + n, .backward = 2 * n};
       }},
      {"cross_entropy",
       [](const CostCall& call) {
         const std::int64_t n = in_count(call);
         const std::int64_t rows = numel(call.in[1].shape);
         return Hand{.lab = 5 * n + 2 * rows, .exact = 5 * n + 2 * rows, .backward = 2 * n};
       }},
  };
  for (const char* op : {"add", "sub", "mul", "div", "relu", "tanh", "quantize"})
    rules[op] = each(1);
  for (const char* op : {"abs",     "neg",
                         "exp",     "log",
                         "sqrt",    "reciprocal",
                         "sin",     "cos",
                         "tan",     "asin",
                         "acos",    "atan",
                         "sinh",    "cosh",
                         "asinh",   "acosh",
                         "atanh",   "erf",
                         "pow",     "fmod",
                         "where",   "remainder",
                         "maximum", "minimum",
                         "cumsum",  "thresholded_relu"})
    rules[op] = each(1);
  for (const char* op : {"floor", "ceil", "round", "sign", "eq", "ne", "lt", "gt", "le", "ge",
                         "logical_and", "logical_or", "logical_xor", "logical_not",
                         "bitwise_left_shift", "bitwise_right_shift", "isnan", "isinf"})
    rules[op] = without_gradient(each(1));
  for (const char* op : {"amax", "amin", "prod"}) rules[op] = rules["sum"];
  for (const char* op : {"argmax", "argmin"}) rules[op] = without_gradient(rules["sum"]);
  for (const char* op : {"relu6", "hardtanh", "leaky_relu", "prelu", "clamp"}) rules[op] = each(2);
  for (const char* op : {"softsign", "shrink"}) rules[op] = each(3);
  for (const char* op : {"sigmoid", "elu", "hardsigmoid"}) rules[op] = each(4);
  for (const char* op : {"silu", "selu", "hardswish", "softplus", "celu"}) rules[op] = each(5);
  for (const char* op :
       {"cast", "cat", "dropout", "embedding", "expand", "flatten", "full", "identity", "permute",
        "reshape", "slice", "squeeze", "transpose", "unsqueeze", "view"})
    rules[op] = nothing;
  for (const char* op : {"gather", "gather_elements", "gather_nd", "one_hot", "pad",
                         "strided_slice", "tile", "tril", "triu"})
    rules[op] = nothing;
  for (const char* op : {"scatter_elements", "scatter_nd"})
    rules[op] = [](const CostCall& call) {  // one addition or product for each update, if any
      const std::int64_t n = call.text("reduction") == "none" ? 0 : numel(call.in[2].shape);
      return Hand{.lab = n, .exact = n, .backward = n};
    };
  return rules;
}

/// An op without a rule is listed, not refused: a new op is its own file alone.
TEST(OpCost, OpsCostWhatIsCountedByHand) {
  const std::map<std::string_view, Rule> known = rules();
  for (const auto& [name, rule] : known) EXPECT_TRUE(find_op(name)) << name;
  for (const Case& at : test::all_cases()) {
    if (at.op->mase_type == MaseType::Gradient) continue;
    SCOPED_TRACE(at.name());
    const auto rule = known.find(at.op->name);
    if (rule == known.end()) {
      std::cout << at.name() << " is not counted by hand: rules() has no line for it\n";
      continue;
    }
    const Made made = make(at);
    const Types types = infer_types(made.graph, 2).value();
    std::vector<TensorType> in;
    for (const Value& value : made.graph.node(made.call).inputs)
      in.push_back(type_of(types, value));
    const CostCall call{{{*at.op, made.graph.node(made.call).attrs}, in}, types[index(made.call)]};
    const Cost cost = at.op->cost(call);
    const Hand hand = rule->second(call);
    EXPECT_EQ(cost.macs, hand.macs);
    EXPECT_EQ(cost.lab, hand.lab);
    EXPECT_EQ(cost.exact, hand.exact);
    EXPECT_EQ(cost.backward, hand.backward);
  }
}

Cost cost_of(std::string_view name, const Attrs& attrs, const std::vector<TensorType>& in) {
  const OpDef& op = *find_op(name).value();
  const std::vector<TensorType> out = op.infer({{op, attrs}, in}).value();
  return op.cost({{{op, attrs}, in}, out});
}

TEST(OpCost, GroupsDivideAConvolutionAndDilationCostsNothing) {
  const std::vector<TensorType> in = {{DType::F32, {1, 32, 16, 16}}, {DType::F32, {32, 1, 3, 3}}};
  Attrs attrs = {{"in_channels", std::int64_t{32}}, {"out_channels", std::int64_t{32}},
                 {"kernel_size", Ints{3}},          {"padding", Ints{1}},
                 {"groups", std::int64_t{32}},      {"bias", false}};
  EXPECT_EQ(cost_of("conv2d", attrs, in).macs, 32 * 16 * 16 * 9);
  attrs["padding"] = Ints{2};
  attrs["dilation"] = Ints{2};
  EXPECT_EQ(cost_of("conv2d", attrs, in).macs, 32 * 16 * 16 * 9);
}

TEST(OpCost, ASumOfNothingCostsNothing) {
  const Attrs attrs = {
      {"in_features", std::int64_t{0}}, {"out_features", std::int64_t{4}}, {"bias", true}};
  const Cost cost =
      cost_of("linear", attrs, {{DType::F32, {3, 0}}, {DType::F32, {4, 0}}, {DType::F32, {4}}});
  EXPECT_EQ(cost.macs, 0);
  EXPECT_EQ(cost.exact, 12);  // the bias
}

TEST(OpCost, GradientsOfALinearLayerAreItsTwoProductsAndASum) {
  const Cost cost = cost_of("linear_grad", {},
                            {{DType::F32, {8, 5}}, {DType::F32, {8, 16}}, {DType::F32, {5, 16}}});
  EXPECT_EQ(cost.macs, 2 * 8 * 16 * 5);
  EXPECT_EQ(cost.exact, 8 * 16 * (5 + 4) + 5 * 16 * (8 + 7) + 5 * 7);
}

}  // namespace
}  // namespace chop
