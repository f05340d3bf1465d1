#include "hardware/lowering/matrix.hpp"

#include "formats/registry.hpp"

namespace chop::hardware {
namespace {

constexpr double kFloatError = 0x1p-22;  ///< four roundings of float32

/// Sums of magnitudes, in units of the last bit: what float32 must hold on the way.
std::int64_t largest_sum(const IntegerType& x, const IntegerNode& node) {
  const Codes& weight = node.list("weight");
  const Codes& window = node.list("window");
  const std::size_t rows = node.list("bias").size();
  const std::size_t columns = weight.size() / rows;
  std::int64_t most = 0;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t p = 0; p < window.size(); p += columns) {
      Interval sum{0, std::abs(node.list("bias")[row])};
      for (std::size_t k = 0; k < columns; ++k)
        if (window[p + k] >= 0)
          sum = sum + Interval{0, x.ranges[static_cast<std::size_t>(window[p + k])].magnitude()} *
                          std::abs(weight[row * columns + k]);
      most = std::max(most, sum.high);
    }
  return most;
}

std::string described(const LoweringCall& call, std::size_t operand) {
  const Traced& traced = call.in(operand);
  return traced.format ? display(*traced.format) : "float32";
}

struct Bias {
  std::optional<ConstantCodes> codes;  ///< none: real numbers
  std::vector<double> values = {};
};

Result<Bias> bias_of(const LoweringCall& call, const Matrix& matrix) {
  Bias bias;
  const std::int64_t at = call.find("bias");
  if (at < 0) {
    bias.codes = ConstantCodes{.codes = Codes(static_cast<std::size_t>(matrix.rows)),
                               .frac = std::numeric_limits<int>::min()};
    return bias;
  }
  const auto operand = static_cast<std::size_t>(at);
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    bias.values.push_back(call.in(operand).constant.at(matrix.first_row + row));
  if (!call.in(operand).format) return bias;
  CH_TRY(ConstantCodes codes, call.constant(operand));
  const auto first = codes.codes.begin() + matrix.first_row;
  codes.codes = Codes(first, first + matrix.rows);
  bias.codes = std::move(codes);
  return bias;
}

}  // namespace

Result<Traced> lower_matrix(LoweringCall& call, std::size_t x, Matrix matrix) {
  const auto weight_at = static_cast<std::size_t>(call.find("weight"));
  CH_TRY(const ConstantCodes weight, call.constant(weight_at));
  CH_TRY(const Bias bias, bias_of(call, matrix));
  const auto begin = weight.codes.begin() + matrix.first_row * matrix.columns;
  const IntegerType& from = call.at(x).type;
  const int products = from.frac + weight.frac;
  const int frac = bias.codes ? std::max(products, bias.codes->frac) : products;
  if (frac - products > 40)
    return Error{.what = cat("its bias needs ", frac - products, " bits below its products")};
  IntegerNode node{.name = call.node().name + matrix.suffix,
                   .op = "linear",
                   .inputs = {x},
                   .comment = cat("weight ", described(call, weight_at))};
  for (auto code = begin; code != begin + matrix.rows * matrix.columns; ++code)
    node.attrs["weight"].push_back(shifted(*code, frac - products));
  node.attrs["bias"] = Codes(static_cast<std::size_t>(matrix.rows));
  if (bias.codes && bias.codes->frac != std::numeric_limits<int>::min())
    for (std::size_t row = 0; row < node.list("bias").size(); ++row)
      node.attrs["bias"][row] = shifted(bias.codes->codes[row], frac - bias.codes->frac);
  if (call.find("bias") >= 0)
    node.comment += cat(", bias ", described(call, static_cast<std::size_t>(call.find("bias"))));
  const std::int64_t windows = std::ssize(matrix.window) / matrix.columns;
  node.attrs["window"] = std::move(matrix.window);
  node.type = {.shape = {matrix.rows}, .frac = frac};
  if (!matrix.positions.empty())
    node.type.shape.insert(node.type.shape.end(), matrix.positions.begin(), matrix.positions.end());
  else if (windows > 1)
    node.type.shape.push_back(windows);
  node.remark = float_remark(largest_sum(from, node));
  CH_TRY(Traced result, call.add(std::move(node)));
  if (!bias.codes) {
    const std::vector<double> ones(bias.values.size(), 1.0);
    result.pending.push_back(pending_affine(cat("the float32 bias of ", call.node().name), ones,
                                            bias.values, bias.values));
  }
  return result;
}

Result<Traced> reordered(LoweringCall& call, Traced traced, Codes index) {
  if (!traced.pending.empty())
    return Error{.what = cat("real numbers, made by ", traced.pending.back().what,
                             ", would have to change their order"),
                 .hint = "give the bias a fixed-point format"};
  const int frac = call.at(traced.node).type.frac;
  return call.add({.name = call.node().name + "_order",
                   .op = "select",
                   .inputs = {traced.node},
                   .attrs = {{"index", std::move(index)}},
                   .type = {.shape = call.result_shape(), .frac = frac}});
}

PendingFunction pending_affine(std::string what, std::vector<double> scale,
                               std::vector<double> shift, std::vector<double> magnitude) {
  PendingFunction function{.kind = PendingFunction::Kind::Affine,
                           .what = std::move(what),
                           .scale = scale,
                           .shift = shift,
                           .channels = scale.size()};
  function.apply = [scale = std::move(scale), shift = std::move(shift),
                    magnitude = std::move(magnitude)](Approximate x, std::size_t c) {
    const double product = scale[c] * x.value;
    return Approximate{product + shift[c],
                       std::fabs(scale[c]) * x.error +
                           kFloatError * (std::fabs(product) + std::fabs(magnitude[c]))};
  };
  return function;
}

}  // namespace chop::hardware
