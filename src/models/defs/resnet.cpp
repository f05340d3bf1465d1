// Residual networks (He et al. 2015), module for module as torchvision builds them, so that
// its weights load by name.
#include "models/layers.hpp"

namespace chop::models::resnet {
namespace {

class ResNet {
 public:
  explicit ResNet(const ModelArgs& args) : b_("resnet18", args.seed), args_(args) {}

  Result<Graph> run() && {
    Value x = conv("conv1", sample_input(b_, args_), 64, 7, 2, 3);
    x = batch_norm(b_, "bn1", x);
    x = relu(b_, "relu", x);
    x = b_.module("max_pool2d", "maxpool", {x},
                  {{"kernel_size", 3}, {"stride", 2}, {"padding", 1}});
    std::int64_t width = 64;
    for (int stage = 1; stage <= 4; ++stage, width *= 2) {
      x = block(cat("layer", stage, ".0"), x, width, stage == 1 ? 1 : 2);
      x = block(cat("layer", stage, ".1"), x, width, 1);
    }
    x = b_.module("adaptive_avg_pool2d", "avgpool", {x}, {{"output_size", Ints{1, 1}}});
    x = linear(b_, "fc", flatten(b_, x), args_.num_classes);
    return std::move(b_).finish({x});
  }

 private:
  Value conv(const std::string& target, Value x, std::int64_t channels, std::int64_t kernel,
             std::int64_t stride, std::int64_t padding) {
    const Value y = models::conv(b_, target, x, channels, kernel,
                                 {{"stride", stride}, {"padding", padding}, {"bias", false}});
    kaiming_fan_out(b_, target, channels, kernel);
    return y;
  }

  /// y = relu(bn2(conv2(relu(bn1(conv1 x)))) + x), x downsampled where shapes differ.
  Value block(const std::string& at, Value x, std::int64_t channels, std::int64_t stride) {
    const bool changes = stride != 1 || b_.dim(x, 1) != channels;
    Value y = conv(at + ".conv1", x, channels, 3, stride, 1);
    y = batch_norm(b_, at + ".bn1", y);
    y = relu(b_, at + ".relu", y);
    y = conv(at + ".conv2", y, channels, 3, 1, 1);
    y = batch_norm(b_, at + ".bn2", y);
    if (changes) {
      x = conv(at + ".downsample.0", x, channels, 1, stride, 0);
      x = batch_norm(b_, at + ".downsample.1", x);
    }
    return relu(b_, at + ".relu", b_.function("add", {y, x}));
  }

  GraphBuilder b_;
  const ModelArgs& args_;
};

}  // namespace

std::vector<ModelDef> define() {
  return {
      {.name = "resnet18",
       .doc = "residual network of 18 layers; torchvision's names and initial distributions",
       .task = "vision",
       .source = "torchvision",
       .dataset = "imagenet",
       .sample_shape = {3, 224, 224},
       .num_classes = 1000,
       .parameters = 11'689'512,
       .build = [](const ModelArgs& args) -> Result<Graph> { return ResNet(args).run(); }},
  };
}

}  // namespace chop::models::resnet
