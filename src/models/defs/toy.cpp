// Networks small enough for experiments and tests.
#include "models/layers.hpp"

namespace chop::models::toy {
namespace {

Result<Graph> perceptron(const ModelArgs& args) {
  GraphBuilder b("toy", args.seed);
  Sequence net(b, "seq_blocks", flatten(b, sample_input(b, args)));
  net.linear(8).module("relu").linear(8).module("relu").linear(args.num_classes);
  return std::move(b).finish({net.value()});
}

// [c, h, w] to 8 and 16 channels with 3×3 convolutions, each followed by a halving pool;
// the picture is then read as one row of pixels per channel, which 1-d convolutions take to
// 32 and 64 channels; the mean of each goes to the classifier.
Result<Graph> convnet(const ModelArgs& args) {
  GraphBuilder b("toy_convnet", args.seed);
  Value x = sample_input(b, args);
  if (args.sample_shape[1] < 4 || args.sample_shape[2] < 4)
    b.fail({.what = cat("pictures of ", args.sample_shape[1], "×", args.sample_shape[2],
                        " pixels are too small to be halved twice"),
            .hint = "use 4×4 or larger"});
  const auto act = [&](std::string_view target) { x = b.module("relu", target, {x}); };
  const Attrs same = {{"padding", 1}};
  x = conv(b, "conv1", x, 8, 3, same);
  act("relu1");
  x = max_pool2d(b, "pool1", x, 2);
  x = conv(b, "conv2", x, 16, 3, same);
  act("relu2");
  x = max_pool2d(b, "pool2", x, 2);
  x = flatten(b, x, 2);
  x = conv(b, "conv3", x, 32, 3, same);
  act("relu3");
  x = conv(b, "conv4", x, 64, 3, same);
  act("relu4");
  x = b.module("adaptive_avg_pool1d", "pool3", {x}, {{"output_size", 1}});
  x = flatten(b, x);
  x = linear(b, "fc", x, args.num_classes);
  return std::move(b).finish({x});
}

}  // namespace

std::vector<ModelDef> define() {
  return {
      {.name = "toy",
       .doc = "flatten, then in-8-8-classes with ReLUs",
       .task = "physical",
       .source = "MASE",
       .dataset = "toy_tiny",
       .sample_shape = {4},
       .num_classes = 2,
       .parameters = 130,
       .flattens = true,
       .build = perceptron},
      {.name = "toy_convnet",
       .doc = "two 3×3 convolutions and two 1-d ones (8, 16, 32, 64 channels), pools, linear",
       .task = "vision",
       .source = "after MASE's network of that name",
       .dataset = "cifar10",
       .sample_shape = {3, 32, 32},
       .num_classes = 10,
       .parameters = 9818,
       .build = convnet},
  };
}

}  // namespace chop::models::toy
