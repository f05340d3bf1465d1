// QONNX's quantisers: formats of the operands that read their results.
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::qonnx {
namespace {

constexpr const char* kDomain = "qonnx.custom_op.general";

struct Quant {
  Tensor scale;
  double zero_point = 0;
  int width = 8;
  bool is_signed = true;
  bool narrow = false;
  std::string rounding;
};

/// The dimension along which the scales vary; -1 for one scale, nothing for more than one such
/// dimension.
std::optional<std::int64_t> axis_of(const Tensor& scale, std::size_t rank) {
  std::int64_t axis = -1;
  for (std::int64_t d = 0; d < scale.rank(); ++d) {
    if (scale.dim(d) == 1) continue;
    if (axis >= 0) return std::nullopt;
    axis = d + static_cast<std::int64_t>(rank) - scale.rank();
  }
  return axis;
}

/// A power of two is fixed point, any other scale affine.
std::optional<NumberFormat> format_of(const Quant& quant, std::size_t rank) {
  const std::optional<std::int64_t> axis = axis_of(quant.scale, rank);
  if (quant.zero_point != 0 || quant.rounding != "ROUND" || !axis || quant.width > 24)
    return std::nullopt;
  std::vector<double> scales;
  for (std::int64_t i = 0; i < quant.scale.size(); ++i) {
    scales.push_back(quant.scale.at(i));
    if (!(scales.back() > 0) || !std::isfinite(scales.back())) return std::nullopt;
  }
  int exponent = 0;
  if (scales.size() == 1 && !quant.narrow && std::frexp(scales[0], &exponent) == 0.5 &&
      std::abs(exponent - 1) <= 64)
    return NumberFormat{"integer",
                        {{"width", std::int64_t{quant.width}},
                         {"frac_width", std::int64_t{1 - exponent}},
                         {"is_signed", quant.is_signed}}};
  NumberFormat format{"affine",
                      {{"width", std::int64_t{quant.width}},
                       {"is_signed", quant.is_signed},
                       {"narrow", quant.narrow},
                       {"scale", scales}}};
  if (*axis >= 0) {
    format.config["granularity"] = std::string("channel");
    format.config["axis"] = *axis;
  }
  return format;
}

/// By the definition: s · (clamp(round(x / s + z), low, high) - z).
ImportValue spelt_out(const OnnxCall& call, const Quant& quant) {
  Importer& make = call.make();
  ImportValue y = make.call("div", {call.in(0), call.in(1)});
  y = make.call("add", {y, call.in(2)});
  const std::string& mode = quant.rounding;
  if (mode == "ROUND" || mode == "HALF_EVEN")
    y = make.call("round", {y});
  else if (mode == "FLOOR")
    y = make.call("floor", {y});
  else if (mode == "CEIL")
    y = make.call("ceil", {y});
  else if (mode == "ROUND_TO_ZERO" || mode == "DOWN")
    y = make.call("mul", {make.call("sign", {y}), make.call("floor", {make.call("abs", {y})})});
  else
    call.fail(cat("Quant with rounding_mode '", mode, "'"),
              "ROUND, FLOOR, CEIL and ROUND_TO_ZERO can be imported");
  double low = quant.is_signed ? -std::ldexp(1.0, quant.width - 1) : 0;
  double high = std::ldexp(1.0, quant.is_signed ? quant.width - 1 : quant.width) - 1;
  if (quant.narrow && quant.is_signed) low += 1;
  if (quant.narrow && !quant.is_signed) high -= 1;
  y = make.call("clamp", {y}, {{"min", low}, {"max", high}});
  return make.call("mul", {make.call("sub", {y, call.in(2)}), call.in(1)});
}

void import_quant(const OnnxCall& call) {
  Importer& make = call.make();
  Quant quant;
  quant.scale = make.need(call.in(1), "the scale of Quant");
  const Tensor& zero = make.need(call.in(2), "the zero point of Quant");
  const double width = make.need_real(call.in(3), "the bit width of Quant");
  if (make.failed()) return;
  if (width < 1 || width > 32 || width != std::floor(width))
    return call.fail(cat("Quant to ", width, " bits"), "whole widths from 1 to 32 can be imported");
  for (std::int64_t i = 0; i < zero.size(); ++i)
    if (zero.at(i) != 0) quant.zero_point = zero.at(i);
  for (std::int64_t i = 0; i < quant.scale.size(); ++i)
    if (!(quant.scale.at(i) > 0) || !std::isfinite(quant.scale.at(i)))
      return call.fail(cat("Quant with the scale ", quant.scale.at(i)), "scales are above zero");
  quant.width = static_cast<int>(width);
  quant.is_signed = call.integer("signed", 1) != 0;
  quant.narrow = call.integer("narrow", 0) != 0;
  quant.rounding = call.text("rounding_mode", "ROUND");
  const auto format = format_of(quant, make.rank(call.in(0)));
  call.out(format ? make.quantised(call.in(0), *format) : spelt_out(call, quant));
}

/// s where x >= 0, else -s.
void import_bipolar(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const Tensor& scale = make.need(call.in(1), "the scale of BipolarQuant");
  if (make.failed()) return;
  const ImportValue signs = make.quantised(x, {"binary", {{"bipolar", true}, {"scaled", false}}});
  if (scale.size() == 1 && scale.at(0) == 1) return call.out(signs);
  call.out(make.call("mul", {signs, call.in(1)}));
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"Quant", import_quant, kDomain}, {"BipolarQuant", import_bipolar, kDomain}}};
}

}  // namespace chop::onnx::defs::qonnx
