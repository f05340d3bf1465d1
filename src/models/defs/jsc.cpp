// Jet substructure classifiers: 16 features of a jet to 5 kinds of particle.
//
// Layer lists are the reference system's. Most end in a ReLU in front of the loss, which
// keeps logits from being negative and can leave classes without gradient; they are kept as
// published.
#include "models/layers.hpp"

namespace chop::models::jsc {
namespace {

Result<Graph> tiny(const ModelArgs& args) {
  GraphBuilder b("jsc-tiny", args.seed);
  Sequence net(b, "seq_blocks", sample_input(b, args));
  net.batch_norm().relu().linear(args.num_classes).relu();
  return std::move(b).finish({net.value()});
}

Result<Graph> toy(const ModelArgs& args) {
  GraphBuilder b("jsc-toy", args.seed);
  Sequence net(b, "seq_blocks", sample_input(b, args));
  net.batch_norm().relu();
  net.linear(8).batch_norm().relu();
  net.linear(8).batch_norm().relu();
  net.linear(args.num_classes).batch_norm().relu();
  return std::move(b).finish({net.value()});
}

Result<Graph> small(const ModelArgs& args) {
  GraphBuilder b("jsc-s", args.seed);
  Sequence net(b, "module_list", sample_input(b, args));
  net.batch_norm().relu();
  net.linear(64).batch_norm().relu();
  net.linear(32).relu();
  net.linear(32).relu();
  net.linear(32).relu();
  net.linear(args.num_classes).batch_norm().relu();
  return std::move(b).finish({net.value()});
}

Result<Graph> trt(const ModelArgs& args) {
  GraphBuilder b("jsc-trt", args.seed);
  Sequence net(b, "seq_blocks", sample_input(b, args));
  net.batch_norm().relu();
  net.linear(32).batch_norm().relu();
  net.linear(48).batch_norm().relu();
  net.module("dropout", {{"p", 0.5}});
  net.linear(16).batch_norm().relu();
  net.linear(args.num_classes).batch_norm().relu();
  return std::move(b).finish({net.value()});
}

Result<Graph> tiny_x10(const ModelArgs& args) {
  GraphBuilder b("jsc-tiny-x10", args.seed);
  Sequence net(b, "seq_blocks", sample_input(b, args));
  net.batch_norm().relu();
  net.linear(40).batch_norm().relu();
  net.linear(25).batch_norm().relu();
  net.linear(args.num_classes);
  return std::move(b).finish({net.value()});
}

Result<Graph> deep(const ModelArgs& args) {
  GraphBuilder b("jsc-deep", args.seed);
  Sequence net(b, "seq_blocks", sample_input(b, args));
  net.batch_norm().relu();
  for (const std::int64_t width : {64, 128, 8, 8}) net.linear(width).batch_norm().relu();
  net.linear(args.num_classes).batch_norm().relu();
  return std::move(b).finish({net.value()});
}

Result<Graph> three_linear(const ModelArgs& args) {
  GraphBuilder b("jsc-three-linear", args.seed);
  Sequence net(b, "seq_blocks", sample_input(b, args));
  net.batch_norm().relu();
  net.linear(16).relu();
  net.linear(16).relu();
  net.linear(args.num_classes).relu();
  return std::move(b).finish({net.value()});
}

ModelDef jet_model(std::string_view name, std::string_view doc, std::string_view source,
                   std::int64_t parameters, Result<Graph> (*build)(const ModelArgs&)) {
  return {.name = name,
          .doc = doc,
          .task = "physical",
          .source = source,
          .dataset = "jsc",
          .sample_shape = {16},
          .num_classes = 5,
          .parameters = parameters,
          .build = build};
}

}  // namespace

std::vector<ModelDef> define() {
  return {
      jet_model("jsc-tiny", "one linear layer between a batch norm and two ReLUs", "MASE", 117,
                tiny),
      jet_model("jsc-toy", "16-8-8-5 with a batch norm before every ReLU", "MASE", 327, toy),
      jet_model("jsc-s", "16-64-32-32-32-5; its layers are module_list.N", "LogicNets JSC-S", 5615,
                small),
      jet_model("jsc-trt", "16-32-48-16-5 with batch norms and dropout", "MASE", 3231, trt),
      jet_model("jsc-tiny-x10", "jsc-tiny grown to 16-40-25-5; no ReLU before the loss",
                "a student's answer to Lab 1", 1997, tiny_x10),
      jet_model("jsc-deep", "16-64-128-8-8-5 with a batch norm before every ReLU",
                "a student's five-linear network", 11015, deep),
      jet_model("jsc-three-linear", "16-16-16-5 with ReLUs", "Lab 4 of the MASE course", 661,
                three_linear),
  };
}

}  // namespace chop::models::jsc
