// VGG-like networks for small pictures.
#include "models/layers.hpp"

namespace chop::models::vgg {
namespace {

Result<Graph> seven_layers(const ModelArgs& args) {
  GraphBuilder b("vgg7", args.seed);
  Sequence features(b, "feature_layers", sample_input(b, args));
  for (const std::int64_t channels : {128, 256, 512}) {
    for (int twice = 0; twice < 2; ++twice)
      features.conv2d(channels, 3, {{"padding", 1}}).batch_norm({{"momentum", 0.9}}).relu();
    features.max_pool2d(2);
  }
  Sequence classifier(b, "classifier", flatten(b, features.value()));
  classifier.linear(1024).relu().linear(1024).relu();
  const Value y = linear(b, "last_layer", classifier.value(), args.num_classes);
  return std::move(b).finish({y});
}

}  // namespace

std::vector<ModelDef> define() {
  return {
      {.name = "vgg7",
       .doc = "3×3 convolutions 128-128-pool-256-256-pool-512-512-pool with batch norm "
              "(momentum 0.9), linear 1024-1024-classes",
       .task = "vision",
       .source = "MASE",
       .dataset = "cifar10",
       .sample_shape = {3, 32, 32},
       .num_classes = 10,
       .parameters = 14'029'450,
       .build = seven_layers},
  };
}

}  // namespace chop::models::vgg
