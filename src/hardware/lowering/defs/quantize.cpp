// A format in front of an operand: constants are quantised here, an input of the network becomes
// one of the integer graph, and codes go from their grid to that of the format.
#include "formats/registry.hpp"
#include "hardware/lowering/function.hpp"
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

/// The numbers of a format, where they are the same for all elements and known.
std::optional<formats::Grid> grid_of(const formats::Quantiser& format) {
  const FormatDef& def = format.def();
  if (def.grid == nullptr) return {};
  Element element = def.codec.element(format.config());
  if (format.groups() > 0) {
    const std::string key(def.learned);
    if (format.groups() != 1 || key.empty() || !format.config().has(key)) return {};
    def.restore(element, static_cast<float>(format.config().reals(key)[0]));
  }
  return def.grid(element);
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

Result<Traced> lower_input(LoweringCall& call, const NumberFormat& format,
                           const std::optional<formats::Grid>& grid) {
  if (!grid)
    return Error{.what = cat("an input of the network cannot have the format ", display(format)),
                 .hint = "use integer, or a scale that is a power of two"};
  IntegerNode node{.name = call.in(0).placeholder,
                   .op = "input",
                   .type = {.shape = call.result_shape(), .frac = frac_of(*grid)},
                   .comment = display(format)};
  node.type.ranges.assign(static_cast<std::size_t>(numel(node.type.shape)), bounds_of(*grid));
  return call.add_input(std::move(node), call.in(0).placeholder, format);
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

Result<Traced> lower(LoweringCall& call) {
  CH_TRY(const NumberFormat format, format_of(call));
  if (call.in(0).kind == Traced::Kind::Constant) return lower_constant(call, format);
  CH_TRY(const formats::Quantiser quantiser, Quantiser::make(format, call.type(0).shape));
  if (!quantiser.is_elementwise() || quantiser.is_random())
    return Error{
        .what = cat("the format ", display(format), " depends on other values of the sample"),
        .hint = "use a format whose values stand alone, such as integer"};
  std::optional<formats::Grid> grid = grid_of(quantiser);
  if (grid && !grid->is_binary())
    return Error{.what = cat("the scale of the format ", display(format), " is not a power of two"),
                 .hint = "use integer, or a step that is a power of two"};
  if (call.in(0).kind == Traced::Kind::Real) return lower_input(call, format, grid);
  if (call.in(0).pending.empty() && grid) return requantise(call, format, *grid);
  if (!call.in(0).pending.empty() && call.in(0).pending[0].kind == PendingFunction::Kind::Softmax) {
    if (call.in(0).pending.size() > 1 || !grid)
      return Error{.what = cat(call.in(0).pending[0].what, " has no integer format behind it"),
                   .hint = "give the result of a softmax a fixed-point format"};
    return realise_softmax(call, *grid);
  }
  const CodeFunction function(call.at(call.in(0).node).type, call.in(0).pending, quantiser);
  return realise(call, function, grid);
}

}  // namespace

LoweringDef define() {
  return {.name = "quantize",
          .takes = [](const Node& node, const OpDef& /*op*/) { return node.op == "quantize"; },
          .lower = lower,
          .checks_rows = true};
}

}  // namespace chop::hardware::lowerings::quantize
