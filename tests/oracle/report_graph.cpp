// Prints networks as report_graph does, for a script to compare with torch.fx:
//   == NAME, the listing, then "-- " and the repr of each layer, one per line.
#include <iostream>

#include "models/registry.hpp"
#include "ops/core/builder.hpp"
#include "ops/core/fx_text.hpp"

namespace chop {
namespace {

void show(const std::string& name, const Result<Graph>& graph) {
  if (!graph) {
    std::cerr << name << ": " << to_string(graph.error());
    std::exit(1);
  }
  std::cout << "== " << name << '\n' << fx_text(graph.value()) << '\n';
  for (const NodeId id : graph.value().order())
    if (graph.value().node(id).opcode == Opcode::CallModule)
      std::cout << "-- " << layer_repr(graph.value().node(id)) << '\n';
}

Attrs dims(std::int64_t first, std::int64_t second) {
  return {{"dim0", first}, {"dim1", second}};
}

/// Functions, the names fx gives them, and how it records their arguments.
Result<Graph> functions() {
  GraphBuilder b("functions", 0);
  const Value x = b.input("x", {-1, 4, 6});
  const Value y = b.input("y", {-1, 4, 6});
  Value z = b.function("add", {x, y});
  z = b.function("mul", {z}, {{"other", 2.0}});
  for (const char* op :
       {"relu", "relu6", "selu", "silu", "hardsigmoid", "hardswish", "elu", "leaky_relu",
        "hardtanh", "gelu", "softplus", "softsign", "sigmoid", "tanh", "dropout"})
    z = b.function(op, {z});
  z = b.function("relu", {z}, {{"inplace", true}});
  z = b.function("leaky_relu", {z}, {{"negative_slope", 0.2}});
  z = b.function("sub", {z, x});
  z = b.function("div", {z, y});
  z = b.function("softmax", {z}, {{"dim", std::int64_t{1}}});
  z = b.function("log_softmax", {z}, {{"dim", std::int64_t{-1}}});
  const Value wide = b.function("cat", {z, x}, {{"dim", std::int64_t{1}}});
  const Value tall = b.function("cat", {z, x});
  const Value turned = b.function("transpose", {z}, dims(1, 2));
  const Value product = b.function("matmul", {z, turned});
  const Value batched = b.function("bmm", {z, turned});
  const Value square = b.function("add", {product, batched});
  const Value total = b.function("sum", {square}, {{"dim", Ints{1, 2}}});
  const Value mean = b.function("mean", {square}, {{"dim", Ints{1, 2}}, {"keepdim", true}});
  const Value again = b.function("sum", {wide}, {{"dim", Ints{1}}});
  return std::move(b).finish({tall, total, mean, again});
}

/// Methods, shapes, windows.
Result<Graph> shapes() {
  GraphBuilder b("shapes", 0);
  Value x = b.input("x", {-1, 3, 8, 8});
  x = b.function("max_pool2d", {x}, {{"kernel_size", Ints{2}}});
  x = b.function("max_pool2d", {x},
                 {{"kernel_size", Ints{3, 3}}, {"stride", Ints{1}}, {"padding", Ints{1}}});
  x = b.function("avg_pool2d", {x}, {{"kernel_size", Ints{2}}});
  x = b.function("adaptive_avg_pool2d", {x}, {{"output_size", Ints{2, 2}}});
  const Value flat = b.function("flatten", {x}, {{"start_dim", std::int64_t{2}}});
  Value z = b.method("view", {flat}, {{"shape", Ints{-1, 2, 6}}});
  z = b.method("permute", {z}, {{"dims", Ints{0, 2, 1}}});
  z = b.function("permute", {z}, {{"dims", Ints{0, 2, 1}}});
  z = b.function("reshape", {z}, {{"shape", Ints{-1, 12}}});
  z = b.method("reshape", {z}, {{"shape", Ints{-1, 3, 4}}});
  z = b.function("adaptive_avg_pool1d", {z}, {{"output_size", Ints{2}}});
  z = b.function("avg_pool1d", {z}, {{"kernel_size", Ints{2}}});
  z = b.function("squeeze", {z}, {{"dim", Ints{2}}});
  z = b.function("unsqueeze", {z}, {{"dim", std::int64_t{1}}});
  z = b.method("relu", {z});
  z = b.method("mean", {z}, {{"dim", Ints{1}}, {"keepdim", true}});
  z = b.method("add", {z, z});
  z = b.method("flatten", {z}, {{"start_dim", std::int64_t{1}}});
  z = b.function(
      "slice", {z},
      {{"dim", std::int64_t{1}}, {"start", std::int64_t{0}}, {"length", std::int64_t{2}}});
  return std::move(b).finish({z});
}

/// Names that need care, and layers with settings of their own.
Result<Graph> modules() {
  GraphBuilder b("modules", 0);
  Value x = b.input("x", {-1, 4, 8, 8});
  x = b.module("conv2d", "features.convA", {x},
               {{"in_channels", std::int64_t{4}},
                {"out_channels", std::int64_t{8}},
                {"kernel_size", Ints{3}},
                {"stride", Ints{2}},
                {"padding", Ints{1}},
                {"dilation", Ints{1}},
                {"groups", std::int64_t{2}},
                {"bias", false}});
  x = b.module("batch_norm2d", "features.BN", {x},
               {{"num_features", std::int64_t{8}}, {"eps", 1e-3}, {"momentum", 0.01}});
  x = b.module("leaky_relu", "act_1", {x}, {{"negative_slope", 0.2}, {"inplace", true}});
  x = b.module("leaky_relu", "act_1", {x}, {{"negative_slope", 0.2}, {"inplace", true}});
  x = b.module("avg_pool2d", "pool", {x}, {{"kernel_size", Ints{2}}});
  x = b.module("max_pool2d", "max", {x},
               {{"kernel_size", Ints{2}}, {"stride", Ints{1}}, {"padding", Ints{1}}});
  x = b.module("adaptive_avg_pool2d", "list", {x}, {{"output_size", Ints{1}}});
  x = b.module("flatten", "flat", {x});
  x = b.module("dropout", "drop", {x}, {{"p", 0.1}});
  x = b.module("layer_norm", "norm", {x}, {{"normalized_shape", Ints{8}}});
  x = b.module(
      "linear", "fc", {x},
      {{"in_features", std::int64_t{8}}, {"out_features", std::int64_t{3}}, {"bias", false}});
  x = b.module("hardtanh", "h", {x}, {{"min_val", -2.0}, {"max_val", 2.0}});
  x = b.module("elu", "e", {x}, {{"alpha", 0.5}});
  x = b.module("gelu", "g", {x});
  x = b.module("softmax", "s", {x}, {{"dim", std::int64_t{1}}});
  return std::move(b).finish({x});
}

}  // namespace
}  // namespace chop

int main() {
  for (const chop::ModelDef& model : chop::all_models())
    chop::show(std::string(model.name), chop::build_model(model.name, {}));
  chop::show("functions", chop::functions());
  chop::show("shapes", chop::shapes());
  chop::show("modules", chop::modules());
}
