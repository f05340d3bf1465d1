// The two networks of the FINN and LUTNet papers, in full precision: what one trains before
// making weights and activations binary.
//
// The originals end in a softmax (lfc) or a scaling (cnv) and have sign functions where there
// is a ReLU here. Without quantisers a sign has no gradient, and our loss is cross entropy,
// which applies the softmax itself: a second one would flatten the gradients.
#include "models/layers.hpp"

namespace chop::models::finn {
namespace {

Result<Graph> fully_connected(const ModelArgs& args) {
  GraphBuilder b("lfc", args.seed);
  Sequence net(b, "seq_blocks", flatten(b, sample_input(b, args)));
  for (int layer = 0; layer < 4; ++layer) net.linear(256).batch_norm().relu();
  net.linear(args.num_classes);
  return std::move(b).finish({net.value()});
}

// Batch norms make biases pointless, so there are none; eps as in FINN's training code.
Result<Graph> convolutional(const ModelArgs& args) {
  GraphBuilder b("cnv", args.seed);
  const Attrs no_bias = {{"bias", false}};
  const Attrs eps = {{"eps", 1e-4}};
  Sequence features(b, "conv_features", sample_input(b, args));
  for (const std::int64_t channels : {64, 128, 256}) {
    features.conv2d(channels, 3, no_bias).batch_norm(eps).relu();
    features.conv2d(channels, 3, no_bias).batch_norm(eps).relu();
    if (channels < 256) features.max_pool2d(2);
  }
  Sequence head(b, "linear_features", flatten(b, features.value()));
  head.linear(512, false).batch_norm(eps).relu();
  head.linear(512, false).batch_norm(eps).relu();
  head.linear(args.num_classes, false).batch_norm(eps);
  return std::move(b).finish({head.value()});
}

}  // namespace

std::vector<ModelDef> define() {
  return {
      {.name = "lfc",
       .doc = "flatten, four linear layers of 256 with batch norm and ReLU, linear",
       .task = "vision",
       .source = "LUTNet's LFC",
       .dataset = "mnist",
       .sample_shape = {1, 28, 28},
       .num_classes = 10,
       .parameters = 402'954,
       .flattens = true,
       .build = fully_connected},
      {.name = "cnv",
       .doc = "3×3 convolutions 64-64-pool-128-128-pool-256-256 without padding, linear "
              "512-512-classes, batch norm after each",
       .task = "vision",
       .source = "FINN's CNV",
       .dataset = "cifar10",
       .sample_shape = {3, 32, 32},
       .num_classes = 10,
       .parameters = 1'546'708,
       .build = convolutional},
  };
}

}  // namespace chop::models::finn
