// The layers the zoo's networks are made of, with sizes taken from the values they read.
#pragma once

#include "models/model_def.hpp"
#include "ops/core/builder.hpp"

namespace chop::models {

/// The placeholder `x` for batches of `args.sample_shape`.
Value sample_input(GraphBuilder& b, const ModelArgs& args);

Value linear(GraphBuilder& b, std::string_view target, Value x, std::int64_t out_features,
             bool bias = true);
/// conv2d for [n, c, h, w], conv1d for others. The channels come from `x` and `out_channels`;
/// `more` holds padding etc.
Value conv(GraphBuilder& b, std::string_view target, Value x, std::int64_t out_channels,
           std::int64_t kernel_size, Attrs more = {});
/// batch_norm1d for [n, c], batch_norm2d for [n, c, h, w].
Value batch_norm(GraphBuilder& b, std::string_view target, Value x, Attrs more = {});
Value relu(GraphBuilder& b, std::string_view target, Value x);  ///< in place
Value max_pool2d(GraphBuilder& b, std::string_view target, Value x, std::int64_t kernel_size);
/// torch.flatten(x, start_dim).
Value flatten(GraphBuilder& b, Value x, std::int64_t start_dim = 1);
/// torchvision's initial weights of a convolution: normal, deviation √(2 / fan_out).
void kaiming_fan_out(GraphBuilder& b, std::string_view target, std::int64_t out_channels,
                     std::int64_t kernel_size);

/// An nn.Sequential or nn.ModuleList: modules `prefix.0`, `prefix.1`, ... one after another.
class Sequence {
 public:
  Sequence(GraphBuilder& b, std::string_view prefix, Value x) : b_(b), prefix_(prefix), x_(x) {}

  Sequence& linear(std::int64_t out_features, bool bias = true);
  Sequence& conv2d(std::int64_t out_channels, std::int64_t kernel_size, Attrs more = {});
  Sequence& batch_norm(Attrs more = {});
  Sequence& relu();
  Sequence& max_pool2d(std::int64_t kernel_size);
  Sequence& module(std::string_view op, Attrs attrs = {});
  Value value() const { return x_; }

 private:
  std::string next() { return cat(prefix_, ".", count_++); }

  GraphBuilder& b_;
  std::string prefix_;
  Value x_;
  std::size_t count_ = 0;
};

}  // namespace chop::models
