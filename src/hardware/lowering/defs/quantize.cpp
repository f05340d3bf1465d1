// A format in front of an operand: constants are quantised here, an input of the network becomes
// one of the integer graph, and codes go from their grid to that of the format.
#include "formats/registry.hpp"
#include "hardware/lowering/function.hpp"
#include "hardware/lowering/matrix.hpp"
#include "hardware/lowering/softmax.hpp"
#include "ir/json.hpp"
#include "ops/core/quantise.hpp"

namespace chop::hardware::lowerings::quantize {
namespace {

/// The format of the call, with what training learned as if it had been configured.
Result<NumberFormat> format_of(const LoweringCall& call) {
  CH_TRY(const formats::Quantiser plain, quantiser_of(call.call(), call.type(0).shape));
  NumberFormat format{.name = std::string(plain.def().name), .config = plain.config().values()};
  if (call.operands() < 2) return format;
  const Traced& learned = call.in(1);
  if (learned.kind != Traced::Kind::Constant)
    return Error{.what = "what its format learned is not a constant"};
  std::vector<double> values;
  for (const float value : learned.constant.data<float>()) values.push_back(double{value});
  format.config[std::string(plain.def().learned)] = std::move(values);
  return format;
}

int frac_of(const formats::Grid& grid) {
  int exponent = 0;
  std::frexp(grid.step, &exponent);
  return 1 - exponent;
}

Interval bounds_of(const formats::Grid& grid) {
  return {static_cast<std::int64_t>(grid.low), static_cast<std::int64_t>(grid.high)};
}

Result<Traced> lower_constant(const LoweringCall& call, const NumberFormat& format) {
  Traced result = call.in(0);
  CH_TRY(result.constant, quantise(format, result.constant));
  result.format = format;
  return result;
}

/// The function that waits behind codes of a format whose scale is no power of two.
PendingFunction scale_by(const NumberFormat& format, double step) {
  PendingFunction function =
      pending_affine(cat("the scale of ", display(format)), {step}, {0.0}, {0.0});
  function.step = step;
  return function;
}

Result<Traced> lower_input(LoweringCall& call, const NumberFormat& format,
                           const std::optional<formats::Grid>& grid, double step) {
  if (!grid)
    return Error{.what = cat("an input of the network cannot have the format ", display(format)),
                 .hint = "use integer, or another whose numbers are equally spaced"};
  IntegerNode node{.name = call.in(0).placeholder,
                   .op = "input",
                   .type = {.shape = call.result_shape(), .frac = frac_of(*grid)},
                   .comment = display(format)};
  node.type.ranges.assign(static_cast<std::size_t>(numel(node.type.shape)), bounds_of(*grid));
  return call.add_input(std::move(node), call.in(0).placeholder, format, step);
}

/// Codes to codes, without functions in between.
Result<Traced> requantise(LoweringCall& call, const NumberFormat& format,
                          const formats::Grid& grid) {
  const IntegerNode& from = call.at(call.in(0).node);
  const int frac = frac_of(grid);
  const Interval bounds = bounds_of(grid);
  if (from.type.frac == frac && bounds.holds(from.type.range())) return call.in(0);
  return call.add({.name = call.node().name,
                   .op = "requantise",
                   .inputs = {call.in(0).node},
                   .attrs = {{"shift", {from.type.frac - frac}},
                             {"rounding", {static_cast<std::int64_t>(grid.rounding)}},
                             {"low", {bounds.low}},
                             {"high", {bounds.high}}},
                   .type = {.shape = call.result_shape(), .frac = frac},
                   .comment = display(format)});
}

/// Codes of the format. A step that is no power of two is left to what reads them: their grid is
/// that of whole numbers.
Result<Traced> lower_codes(LoweringCall& call, const NumberFormat& format,
                           const formats::Quantiser& quantiser,
                           const std::optional<formats::Grid>& grid, double step) {
  const Traced& in = call.in(0);
  if (in.kind == Traced::Kind::Real) return lower_input(call, format, grid, step);
  if (in.pending.empty() && grid && step == 1) return requantise(call, format, *grid);
  if (!in.pending.empty() && in.pending[0].kind == PendingFunction::Kind::Softmax) {
    if (in.pending.size() > 1 || !grid || step != 1)
      return Error{.what = cat(in.pending[0].what, " has no integer format behind it"),
                   .hint = "give the result of a softmax a fixed-point format"};
    return realise_softmax(call, *grid);
  }
  const CodeFunction function(call.at(in.node).type, in.pending, quantiser, step);
  return realise(call, function, grid);
}

Result<Traced> lower(LoweringCall& call) {
  CH_TRY(const NumberFormat format, format_of(call));
  if (call.in(0).kind == Traced::Kind::Constant) return lower_constant(call, format);
  CH_TRY(const formats::Quantiser quantiser, Quantiser::make(format, call.type(0).shape));
  if (!quantiser.is_elementwise() || quantiser.is_random())
    return Error{
        .what = cat("the format ", display(format), " depends on other values of the sample"),
        .hint = "use a format whose values stand alone, such as integer"};
  std::optional<formats::Grid> grid = grid_of(quantiser);
  const double step = grid && !grid->is_binary() ? double{grid->step} : 1;
  if (step != 1) grid->step = 1;
  CH_TRY(Traced made, lower_codes(call, format, quantiser, grid, step));
  if (step != 1) made.pending = {scale_by(format, step)};
  return made;
}

}  // namespace

LoweringDef define() {
  return {.name = "quantize",
          .takes = [](const Node& node, const OpDef& /*op*/) { return node.op == "quantize"; },
          .lower = lower,
          .checks_rows = true};
}

}  // namespace chop::hardware::lowerings::quantize
