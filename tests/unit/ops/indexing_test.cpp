// Ops that look elements up by number, where samples cannot go: indices outside, several updates
// of one element, values that are not finite, attributes that do not fit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/call_op.hpp"

namespace chop::test {
namespace {

/// The results of one call, or its error.
Result<std::vector<Tensor>> call(const std::string& op, const std::vector<Tensor>& in,
                                 const Attrs& attrs) {
  const Graph graph = call_graph(op, in, attrs);
  CH_CHECK(verify(graph));
  CH_TRY(const Values results, run_reference(graph, named(in)));
  return results[index(*graph.find("call"))];
}

Tensor real(Shape shape, std::initializer_list<float> values) {
  return Tensor::of<float>(std::move(shape), values);
}
Tensor whole(Shape shape, std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>(std::move(shape), values);
}
std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < tensor.size(); ++i) out.push_back(tensor.at(i));
  return out;
}

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kFarBack = std::numeric_limits<std::int64_t>::min();

/// The message of a call whose indices are not all inside.
std::string complaint(const std::string& op, const std::vector<Tensor>& operands,
                      const Attrs& attrs = {}) {
  const auto result = call(op, operands, attrs);
  return result ? "none" : result.error().what;
}

TEST(Indexing, AnIndexOutsideIsAnErrorThatNamesIt) {
  const Tensor x = real({3}, {1, 2, 3});
  for (const char* op : {"gather", "gather_elements"})
    for (const std::int64_t index : {std::int64_t{3}, std::int64_t{-4}, kFar, kFarBack}) {
      const std::string message = complaint(op, {x, whole({2}, {0, index})});
      EXPECT_NE(message.find(std::to_string(index)), std::string::npos) << op << ": " << message;
    }
  EXPECT_EQ(call("gather_nd", {x, whole({1, 1}, {-3})}, {}).value()[0].at(0), 1);
  EXPECT_NE(complaint("gather_nd", {x, whole({2, 1}, {-3, 3})}).find('3'), std::string::npos);
  EXPECT_NE(complaint("embedding", {whole({2}, {0, 8}), real({3, 1}, {1, 2, 3})},
                      {{"num_embeddings", 3}, {"embedding_dim", 1}})
                .find('8'),
            std::string::npos);
  const Tensor updates = real({3}, {5, 6, 7});
  EXPECT_NE(complaint("scatter_elements", {x, whole({3}, {2, -4, -1}), updates}).find("-4"),
            std::string::npos);
  EXPECT_NE(complaint("scatter_nd", {x, whole({3, 1}, {0, 9, 1}), updates}).find('9'),
            std::string::npos);
}

TEST(Indexing, TheLastUpdateOfAnElementCounts) {
  const Tensor y =
      call("scatter_elements", {real({2}, {1, 2}), whole({3}, {0, 0, 1}), real({3}, {5, 6, 7})}, {})
          .value()[0];
  EXPECT_EQ(numbers(y), (std::vector<double>{6, 7}));
}

TEST(Indexing, AReplacedUpdateGetsNoGradient) {
  const auto grads =
      call("scatter_grad",
           {real({2}, {10, 20}), real({2}, {1, 2}), whole({2}, {0, 0}), real({2}, {5, 6})}, {})
          .value();
  EXPECT_EQ(numbers(grads[0]), (std::vector<double>{0, 20}));
  EXPECT_EQ(numbers(grads[1]), (std::vector<double>{0, 10}));
}

TEST(Indexing, AProductWithZerosHasAGradient) {
  const auto grads =
      call("scatter_grad",
           {real({1}, {1}), real({1}, {2}), whole({3}, {0, 0, 0}), real({3}, {0, 3, 5})},
           {{"reduction", std::string("mul")}})
          .value();
  EXPECT_EQ(numbers(grads[0]), (std::vector<double>{0}));
  EXPECT_EQ(numbers(grads[1]), (std::vector<double>{30, 0, 0}));
}

TEST(Indexing, OneHotOfAnIndexOutsideIsZeros) {
  const Tensor y =
      call("one_hot", {whole({3}, {-1, 2, -3})}, {{"depth", std::int64_t{2}}}).value()[0];
  EXPECT_EQ(numbers(y), (std::vector<double>{0, 1, 0, 0, 0, 0}));
}

TEST(Indexing, PaddingMayBeInfinite) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Attrs attrs = {{"pads", Ints{1, 0}}, {"value", -kInf}};
  EXPECT_EQ(numbers(call("pad", {real({1}, {2})}, attrs).value()[0]),
            (std::vector<double>{-kInf, 2}));
  EXPECT_EQ(call("pad", {whole({1}, {2})}, attrs).value()[0].data<std::int64_t>()[0], kFarBack);
}

TEST(Indexing, TopkPutsNaNFirstAndTiesInOrder) {
  const float nan = std::nanf("");
  const auto best = call("topk", {real({5}, {1, 3, nan, 3, 2})}, {{"k", std::int64_t{4}}}).value();
  EXPECT_TRUE(std::isnan(best[0].at(0)));
  EXPECT_EQ(numbers(best[1]), (std::vector<double>{2, 1, 3, 4}));
  const auto least =
      call("topk", {real({3}, {nan, 1, 1})}, {{"k", std::int64_t{3}}, {"largest", false}}).value();
  EXPECT_EQ(numbers(least[1]), (std::vector<double>{1, 2, 0}));
}

TEST(Indexing, WhatDoesNotFitIsAnError) {
  const Tensor x = real({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor at = whole({2, 1}, {0, 1});
  const auto refused = [](const std::string& op, const std::vector<Tensor>& in, Attrs attrs) {
    const auto result = call(op, in, attrs);
    return result ? op + " was accepted" : std::string();
  };
  EXPECT_EQ(refused("gather", {x, x}, {}), "");
  EXPECT_EQ(refused("gather", {x, at}, {{"dim", std::int64_t{2}}}), "");
  EXPECT_EQ(refused("gather_elements", {x, whole({2}, {0, 1})}, {}), "");
  EXPECT_EQ(refused("gather_nd", {x, whole({1, 3}, {0, 0, 0})}, {}), "");
  EXPECT_EQ(refused("gather_nd", {x, whole({}, {0})}, {}), "");
  EXPECT_EQ(refused("gather_nd", {x, at}, {{"batch_dims", std::int64_t{2}}}), "");
  EXPECT_EQ(refused("scatter_elements", {x, at, x}, {}), "");
  EXPECT_EQ(refused("scatter_elements", {x, at, at}, {}), "");
  EXPECT_EQ(refused("scatter_nd", {x, at, x}, {{"reduction", std::string("max")}}), "");
  EXPECT_EQ(refused("tile", {x}, {{"repeats", Ints{kFar, 2}}}), "");
  EXPECT_EQ(refused("tile", {x}, {{"repeats", Ints{-1, 1}}}), "");
  EXPECT_EQ(refused("pad", {x}, {{"pads", Ints{1, 1}}}), "");
  EXPECT_EQ(refused("pad", {x}, {{"pads", Ints{0, kFarBack, 0, kFar}}}), "");
  EXPECT_EQ(refused("pad", {x}, {{"pads", Ints{0, 3, 0, 0}}, {"mode", std::string("reflect")}}),
            "");
  EXPECT_EQ(refused("pad", {x}, {{"pads", Ints{0, 0, 0, 0}}, {"mode", std::string("edge")}}), "");
  EXPECT_EQ(refused("strided_slice", {x}, {{"starts", Ints{0}}, {"ends", Ints{1}}}), "");
  EXPECT_EQ(refused("strided_slice", {x},
                    {{"starts", Ints{0, 0}}, {"ends", Ints{1, 1}}, {"steps", Ints{0, 1}}}),
            "");
  EXPECT_EQ(refused("one_hot", {at}, {{"depth", kFar}}), "");
  EXPECT_EQ(refused("one_hot", {x}, {{"depth", std::int64_t{2}}}), "");
  EXPECT_EQ(refused("topk", {x}, {{"k", std::int64_t{4}}}), "");
  EXPECT_EQ(refused("tril", {real({2}, {1, 2})}, {}), "");
  EXPECT_EQ(refused("expand", {x}, {{"shape", Ints{kFar, 2, 3}}}), "");
}

TEST(Einsum, EquationsThatDoNotFitAreErrors) {
  const Tensor x = real({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* equation : {"", "i", "ijk", "i,j", "ij->k", "ij->ii", "i1", "..i", "......",
                               "ij->i>", "ij,ij", "ii", "->", ",", "ij.", "ij->...k", "\xc3\xa4"})
    EXPECT_FALSE(call("einsum", {x}, {{"equation", std::string(equation)}})) << equation;
  EXPECT_FALSE(call("einsum", {x, x}, {{"equation", std::string("ij,jk->ik")}}));
}

}  // namespace
}  // namespace chop::test
