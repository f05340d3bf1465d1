// Building a graph call by call, as one writes a network in PyTorch.
//
//   GraphBuilder b("mlp", seed);
//   Value x = b.input("x", {-1, 16});
//   x = b.module("linear", "fc", {x}, {{"in_features", 16}, {"out_features", 5}});
//   return std::move(b).finish({x});
//
// Mistakes do not have to be checked after each call: the first one is kept, later calls do
// nothing, and finish() returns it with the name of the layer it happened in.
#pragma once

#include "ops/core/infer.hpp"

namespace chop::ops {

class GraphBuilder {
 public:
  /// `seed` and their own names decide the parameters' initial values.
  GraphBuilder(std::string name, std::uint64_t seed);

  /// A placeholder; -1 stands for the batch.
  Value input(std::string_view name, Shape shape, DType dtype = DType::F32);

  /// A call_module node and, the first time a target is used, its initialised parameters.
  /// A target used again shares them; op and attributes must then be the same.
  Value module(std::string_view op, std::string_view target, std::vector<Value> inputs,
               Attrs attrs = {});
  /// A call_function node, named as torch.fx does (add, add_1, flatten) unless `name` is given.
  Value function(std::string_view op, std::vector<Value> inputs, Attrs attrs = {},
                 std::string_view name = "");
  /// A call_method node, named after the method.
  Value method(std::string_view op, std::vector<Value> inputs, Attrs attrs = {},
               std::string_view name = "");

  /// The shape of a value at batch 2; empty once something went wrong.
  const Shape& shape(Value value) const;
  /// One dimension of it; 1 once something went wrong or when there is no such dimension.
  std::int64_t dim(Value value, std::size_t axis) const;

  /// Draws a parameter anew from another distribution than its op's own.
  void initialise(std::string_view parameter, InitKind kind, double scale);

  bool failed() const { return error_.has_value(); }
  const std::optional<Error>& error() const { return error_; }
  /// Keeps an error of the caller's, unless there is an earlier one.
  void fail(Error error);

  /// The verified graph, or the first error.
  Result<Graph> finish(std::vector<Value> outputs) &&;

 private:
  Value call(Node node, std::string_view layer);
  Result<Value> try_call(Node node);
  Status own_parameters(const OpDef& op, const Node& node);

  Graph graph_;
  std::uint64_t seed_;
  Types types_;
  std::map<std::string, NodeId> modules_;  ///< first node of each target
  std::optional<Error> error_;
};

}  // namespace chop::ops
