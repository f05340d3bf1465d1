#include "models/layers.hpp"

namespace chop::models {

Value sample_input(GraphBuilder& b, const ModelArgs& args) {
  Shape shape = {-1};
  shape.insert(shape.end(), args.sample_shape.begin(), args.sample_shape.end());
  return b.input("x", std::move(shape));
}

Value linear(GraphBuilder& b, std::string_view target, Value x, std::int64_t out_features,
             bool bias) {
  const Shape& shape = b.shape(x);
  Attrs attrs = {{"in_features", shape.empty() ? 1 : shape.back()}, {"out_features", out_features}};
  if (!bias) attrs["bias"] = false;
  return b.module("linear", target, {x}, std::move(attrs));
}

Value conv(GraphBuilder& b, std::string_view target, Value x, std::int64_t out_channels,
           std::int64_t kernel_size, Attrs more) {
  more["in_channels"] = b.dim(x, 1);
  more["out_channels"] = out_channels;
  more["kernel_size"] = kernel_size;
  return b.module(b.shape(x).size() == 4 ? "conv2d" : "conv1d", target, {x}, std::move(more));
}

Value batch_norm(GraphBuilder& b, std::string_view target, Value x, Attrs more) {
  more["num_features"] = b.dim(x, 1);
  return b.module(b.shape(x).size() == 4 ? "batch_norm2d" : "batch_norm1d", target, {x},
                  std::move(more));
}

Value relu(GraphBuilder& b, std::string_view target, Value x) {
  return b.module("relu", target, {x}, {{"inplace", true}});
}

Value max_pool2d(GraphBuilder& b, std::string_view target, Value x, std::int64_t kernel_size) {
  return b.module("max_pool2d", target, {x}, {{"kernel_size", kernel_size}});
}

Value flatten(GraphBuilder& b, Value x, std::int64_t start_dim) {
  return b.function("flatten", {x}, {{"start_dim", start_dim}});
}

void kaiming_fan_out(GraphBuilder& b, std::string_view target, std::int64_t out_channels,
                     std::int64_t kernel_size) {
  const auto fan_out = static_cast<double>(out_channels * kernel_size * kernel_size);
  b.initialise(cat(target, ".weight"), InitKind::Normal, std::sqrt(2.0 / fan_out));
}

Sequence& Sequence::linear(std::int64_t out_features, bool bias) {
  x_ = models::linear(b_, next(), x_, out_features, bias);
  return *this;
}

Sequence& Sequence::conv2d(std::int64_t out_channels, std::int64_t kernel_size, Attrs more) {
  x_ = models::conv(b_, next(), x_, out_channels, kernel_size, std::move(more));
  return *this;
}

Sequence& Sequence::batch_norm(Attrs more) {
  x_ = models::batch_norm(b_, next(), x_, std::move(more));
  return *this;
}

Sequence& Sequence::relu() {
  x_ = models::relu(b_, next(), x_);
  return *this;
}

Sequence& Sequence::max_pool2d(std::int64_t kernel_size) {
  x_ = models::max_pool2d(b_, next(), x_, kernel_size);
  return *this;
}

Sequence& Sequence::module(std::string_view op, Attrs attrs) {
  x_ = b_.module(op, next(), {x_}, std::move(attrs));
  return *this;
}

}  // namespace chop::models
