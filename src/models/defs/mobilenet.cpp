// MobileNetV2 (Sandler et al. 2018), module for module as torchvision builds it, so that its
// weights load by name.
#include "models/layers.hpp"

namespace chop::models::mobilenet {
namespace {

struct Stage {
  std::int64_t expansion;
  std::int64_t channels;
  int blocks;
  std::int64_t stride;
};

constexpr std::array<Stage, 7> kStages = {{{1, 16, 1, 1},
                                           {6, 24, 2, 2},
                                           {6, 32, 3, 2},
                                           {6, 64, 4, 2},
                                           {6, 96, 3, 1},
                                           {6, 160, 3, 2},
                                           {6, 320, 1, 1}}};

class MobileNetV2 {
 public:
  explicit MobileNetV2(const ModelArgs& args) : b_("mobilenetv2", args.seed), args_(args) {}

  Result<Graph> run() && {
    Value x = conv_norm_act("features.0", sample_input(b_, args_), 32, 3, 2, 1);
    int number = 1;
    for (const Stage& stage : kStages)
      for (int i = 0; i < stage.blocks; ++i)
        x = block(cat("features.", number++, ".conv."), x, stage, i == 0 ? stage.stride : 1);
    x = conv_norm_act(cat("features.", number), x, 1280, 1, 1, 1);
    x = b_.function("adaptive_avg_pool2d", {x}, {{"output_size", Ints{1, 1}}});
    x = b_.module("dropout", "classifier.0", {flatten(b_, x)}, {{"p", 0.2}});
    x = linear(b_, "classifier.1", x, args_.num_classes);
    b_.initialise("classifier.1.weight", InitKind::Normal, 0.01);
    b_.initialise("classifier.1.bias", InitKind::Zeros, 0);
    return std::move(b_).finish({x});
  }

 private:
  Value conv(const std::string& target, Value x, std::int64_t channels, std::int64_t kernel,
             std::int64_t stride, std::int64_t groups) {
    const Value y = models::conv(
        b_, target, x, channels, kernel,
        {{"stride", stride}, {"padding", (kernel - 1) / 2}, {"groups", groups}, {"bias", false}});
    kaiming_fan_out(b_, target, channels, kernel);
    return y;
  }

  Value conv_norm_act(const std::string& at, Value x, std::int64_t channels, std::int64_t kernel,
                      std::int64_t stride, std::int64_t groups) {
    x = conv(at + ".0", x, channels, kernel, stride, groups);
    x = batch_norm(b_, at + ".1", x);
    return b_.module("relu6", at + ".2", {x}, {{"inplace", true}});
  }

  /// Widen (1×1), filter each channel (3×3), narrow (1×1); plus x where the shape allows.
  Value block(const std::string& at, Value x, const Stage& stage, std::int64_t stride) {
    const std::int64_t in = b_.dim(x, 1);
    const std::int64_t hidden = in * stage.expansion;
    int part = 0;
    Value y = x;
    if (stage.expansion != 1) y = conv_norm_act(cat(at, part++), y, hidden, 1, 1, 1);
    y = conv_norm_act(cat(at, part++), y, hidden, 3, stride, hidden);
    y = conv(cat(at, part++), y, stage.channels, 1, 1, 1);
    y = batch_norm(b_, cat(at, part), y);
    return stride == 1 && in == stage.channels ? b_.function("add", {x, y}) : y;
  }

  GraphBuilder b_;
  const ModelArgs& args_;
};

}  // namespace

std::vector<ModelDef> define() {
  return {
      {.name = "mobilenetv2",
       .doc = "inverted residuals with linear bottlenecks; torchvision's names and initial "
              "distributions",
       .task = "vision",
       .source = "torchvision",
       .dataset = "imagenet",
       .sample_shape = {3, 224, 224},
       .num_classes = 1000,
       .parameters = 3'504'872,
       .build = [](const ModelArgs& args) -> Result<Graph> { return MobileNetV2(args).run(); }},
  };
}

}  // namespace chop::models::mobilenet
