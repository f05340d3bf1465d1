#include "hardware/lowering/matrix.hpp"

#include "formats/registry.hpp"

namespace chop::hardware {
namespace {

constexpr double kMostExactWeight = 0x1p52;  ///< codes that doubles hold
constexpr double kFloatError = 0x1p-22;      ///< four roundings of float32

/// Sums of magnitudes, in units of the last bit: what float32 must hold on the way. What a position
/// of a window can be is taken over all windows, so that images take no longer than their matrix.
std::int64_t largest_sum(const IntegerType& x, const IntegerNode& node) {
  const Codes& weight = node.list("weight");
  const Codes& window = node.list("window");
  const std::size_t rows = node.list("bias").size();
  const std::size_t columns = weight.size() / rows;
  Codes magnitude(columns);
  for (std::size_t i = 0; i < window.size(); ++i)
    if (window[i] >= 0)
      magnitude[i % columns] = std::max(magnitude[i % columns],
                                        x.ranges[static_cast<std::size_t>(window[i])].magnitude());
  std::int64_t most = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    Interval sum{0, std::abs(node.list("bias")[row])};
    for (std::size_t k = 0; k < columns; ++k)
      sum = sum + Interval{0, magnitude[k]} * std::abs(weight[row * columns + k]);
    most = std::max(most, sum.high);
  }
  return most;
}

std::string described(const LoweringCall& call, std::size_t operand) {
  const Traced& traced = call.in(operand);
  return traced.format ? display(*traced.format) : "float32";
}

/// Whether every row of a layer with one window reads few bits, so that its neurons can be tables.
bool reads_few_bits(const LoweringCall& call, const IntegerType& x, std::span<const float> weight,
                    const Matrix& matrix) {
  if (matrix.window.size() != static_cast<std::size_t>(matrix.columns)) return false;
  for (std::size_t row = 0; row < weight.size(); row += matrix.window.size()) {
    int bits = 0;
    for (std::size_t k = 0; k < matrix.window.size(); ++k)
      if (weight[row + k] != 0 && matrix.window[k] >= 0)
        bits += width_of(x.ranges[static_cast<std::size_t>(matrix.window[k])]);
    if (bits > call.options().table_bits) return false;
  }
  return true;
}

/// The codes of a weight. Neurons that can be tables may have one without a format: every float32
/// is a whole number over a power of two.
Result<ConstantCodes> weight_codes(const LoweringCall& call, std::size_t operand,
                                   const IntegerType& x, const Matrix& matrix) {
  const Traced& traced = call.in(operand);
  if (traced.kind != Traced::Kind::Constant) return call.constant(operand);
  if (traced.format) {
    Result<ConstantCodes> scaled = scaled_constant_codes(traced);
    return scaled ? std::move(scaled) : call.constant(operand);
  }
  const std::span<const float> weight = traced.constant.data<float>();
  if (!traced.is_masked || !reads_few_bits(call, x, weight, matrix)) return call.constant(operand);
  ConstantCodes made;
  double most = 0;
  for (const float w : weight) {
    if (w != 0) made.frac = std::max(made.frac, frac_bits(double{w}));
    most = std::max(most, std::fabs(double{w}));
  }
  if (!(std::ldexp(most, made.frac) < kMostExactWeight)) return call.constant(operand);
  for (const float w : weight) made.codes.push_back(code_of(double{w}, made.frac));
  return made;
}

struct Bias {
  std::optional<ConstantCodes> codes;  ///< none: real numbers
  std::vector<double> values = {};
};

/// Beside a scale that waits, a bias waits too.
Result<Bias> bias_of(const LoweringCall& call, const Matrix& matrix, double step) {
  Bias bias;
  const std::int64_t at = call.find("bias");
  if (at < 0 && step != 1) {
    bias.values.resize(static_cast<std::size_t>(matrix.rows));
    return bias;
  }
  if (at < 0) {
    bias.codes = ConstantCodes{.codes = Codes(static_cast<std::size_t>(matrix.rows)),
                               .frac = std::numeric_limits<int>::min()};
    return bias;
  }
  const auto operand = static_cast<std::size_t>(at);
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    bias.values.push_back(call.in(operand).constant.at(matrix.first_row + row));
  if (!call.in(operand).format || step != 1) return bias;
  CH_TRY(ConstantCodes codes, call.constant(operand));
  const auto first = codes.codes.begin() + matrix.first_row;
  codes.codes = Codes(first, first + matrix.rows);
  bias.codes = std::move(codes);
  return bias;
}

}  // namespace

Result<Traced> lower_matrix(LoweringCall& call, LoweringCall::Scaled x, Matrix matrix) {
  const auto weight_at = static_cast<std::size_t>(call.find("weight"));
  const IntegerType& from = call.at(x.node).type;
  CH_TRY(const ConstantCodes weight, weight_codes(call, weight_at, from, matrix));
  const double step = x.step * weight.step;
  CH_TRY(const Bias bias, bias_of(call, matrix, step));
  const auto begin = weight.codes.begin() + matrix.first_row * matrix.columns;
  const int products = from.frac + weight.frac;
  const int frac = bias.codes ? std::max(products, bias.codes->frac) : products;
  if (frac - products > 40)
    return Error{.what = cat("its bias needs ", frac - products, " bits below its products")};
  IntegerNode node{.name = call.node().name + matrix.suffix,
                   .op = "linear",
                   .inputs = {x.node},
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
  if (step != 1) node.remark = "scales that are no powers of two, with which float32 rounds";
  CH_TRY(Traced result, call.add(std::move(node)));
  if (!bias.codes) {
    const std::vector<double> scales(bias.values.size(), step);
    const std::string_view what = step == 1 ? "the float32 bias of " : "the scale of ";
    result.pending.push_back(
        pending_affine(cat(what, call.node().name), scales, bias.values, bias.values));
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
