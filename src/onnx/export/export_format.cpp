// Number formats as ONNX nodes: QDQ pairs, QONNX's quantisers, or plain arithmetic where
// neither rounds as the format does.
#include <cmath>

#include "formats/registry.hpp"
#include "onnx/export/exporter.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

constexpr const char* kQonnx = "qonnx.custom_op.general";

enum class Rounding : std::uint8_t { HalfEven, HalfUp, Floor };

/// Formats that are whole numbers times a scale: s · (clamp(round(x / s) + z, low, high) - z).
struct Scaled {
  std::vector<double> scales;
  std::int64_t axis = -1;  ///< of the scales when there are several
  std::int64_t zero = 0;
  double low = 0;
  double high = 0;
  int width = 8;
  bool is_signed = true;
  bool narrow = false;
  Rounding rounding = Rounding::HalfEven;
};

std::optional<Scaled> scaled_of(const NumberFormat& format, const Shape& shape,
                                const Tensor* learned) {
  const FormatDef& def = *find_format(format.name).value();
  const Result<Config> completed = complete_config(def, format.config);
  if (!completed) return std::nullopt;
  const Config& config = completed.value();
  Scaled made;
  if (def.name == "integer" || def.name == "integer_floor") {
    made.scales = {std::ldexp(1.0, -config.integer("frac_width"))};
    made.rounding = def.name == "integer" ? Rounding::HalfEven : Rounding::Floor;
  } else if (def.name == "affine" || def.name == "lsq_integer") {
    if (learned != nullptr)
      for (std::int64_t i = 0; i < learned->size(); ++i) made.scales.push_back(learned->at(i));
    else if (config.has(def.learned))
      made.scales = config.reals(def.learned);
    if (made.scales.empty() || config.text("granularity") == "row") return std::nullopt;
    made.rounding = def.name == "affine" ? Rounding::HalfEven : Rounding::HalfUp;
    if (made.scales.size() > 1) {
      made.axis = config.integer("axis");
      if (made.axis < 0) made.axis += static_cast<std::int64_t>(shape.size());
    }
    if (def.name == "affine") {
      made.zero = config.integer("zero_point");
      made.narrow = config.flag("narrow");
    }
  } else {
    return std::nullopt;
  }
  made.width = config.integer("width");
  made.is_signed = config.flag("is_signed");
  if (made.width > 24) return std::nullopt;
  made.low = made.is_signed ? -std::ldexp(1.0, made.width - 1) : 0;
  made.high = std::ldexp(1.0, made.is_signed ? made.width - 1 : made.width) - 1;
  if (made.narrow) (made.is_signed ? made.low : made.high) += made.is_signed ? 1 : -1;
  return made;
}

/// One scale, or scales that stand along their axis of the tensor.
Tensor scale_tensor(const Scaled& scaled, std::size_t rank, bool as_vector) {
  const auto count = static_cast<std::int64_t>(scaled.scales.size());
  Tensor tensor = Tensor::of<double>({count}, scaled.scales).to(DType::F32);
  if (count == 1) return tensor.reshaped({});
  if (as_vector) return tensor;
  Shape shape(rank, 1);
  shape[static_cast<std::size_t>(scaled.axis)] = count;
  return tensor.reshaped(shape);
}

std::string write_plainly(Exporter& out, const std::string& value, const Scaled& scaled,
                          std::size_t rank) {
  const std::string scale = out.constant(scale_tensor(scaled, rank, false));
  std::string y = out.make("Div", {value, scale});
  if (scaled.rounding == Rounding::HalfUp)
    y = out.make("Add", {y, out.constant(Tensor::scalar(0.5))});
  y = out.make(scaled.rounding == Rounding::HalfEven ? "Round" : "Floor", {y});
  const auto zero = static_cast<double>(scaled.zero);
  y = out.make("Clip", {y, out.constant(Tensor::scalar(scaled.low - zero)),
                        out.constant(Tensor::scalar(scaled.high - zero))});
  return out.make("Mul", {y, scale});
}

/// Fewer than eight bits are clipped first: codes of eight bits hold them then.
std::string write_qdq(Exporter& out, const std::string& value, const Scaled& scaled,
                      std::size_t rank) {
  const double least = scaled.is_signed ? -128 : 0;
  const double most = scaled.is_signed ? 127 : 255;
  const bool per_tensor = scaled.scales.size() == 1;
  const bool fits = scaled.low >= least && scaled.high <= most;
  const bool full = scaled.low == least && scaled.high == most;
  if (!fits || scaled.rounding != Rounding::HalfEven || (!full && !per_tensor))
    return write_plainly(out, value, scaled, rank);
  std::string x = value;
  const auto zero = static_cast<double>(scaled.zero);
  if (!full) {
    const auto s = static_cast<double>(static_cast<float>(scaled.scales[0]));
    x = out.make("Clip", {x, out.constant(Tensor::scalar((scaled.low - zero) * s)),
                          out.constant(Tensor::scalar((scaled.high - zero) * s))});
  }
  const std::string scale = out.constant(scale_tensor(scaled, rank, true));
  const DType dtype = scaled.is_signed ? DType::I8 : DType::U8;
  const Shape zeros = per_tensor ? Shape{} : Shape{static_cast<std::int64_t>(scaled.scales.size())};
  const std::string point = out.constant(Tensor::full(zeros, zero, dtype));
  std::string y = out.make("QuantizeLinear", {x, scale, point});
  if (!per_tensor) ExportCall::set(out.last(), "axis", scaled.axis);
  y = out.make("DequantizeLinear", {y, scale, point});
  if (!per_tensor) ExportCall::set(out.last(), "axis", scaled.axis);
  return y;
}

std::string write_quant(Exporter& out, const std::string& value, const Scaled& scaled,
                        std::size_t rank) {
  if (scaled.rounding == Rounding::HalfUp || (scaled.zero % 2) != 0)
    return write_plainly(out, value, scaled, rank);
  out.use_domain(kQonnx);
  std::string y = out.make("Quant",
                           {value, out.constant(scale_tensor(scaled, rank, false)),
                            out.constant(Tensor::scalar(static_cast<double>(scaled.zero))),
                            out.constant(Tensor::scalar(scaled.width))},
                           kQonnx);
  ExportCall::set(out.last(), "signed", scaled.is_signed);
  ExportCall::set(out.last(), "narrow", scaled.narrow);
  ExportCall::set(out.last(), "rounding_mode",
                  std::string(scaled.rounding == Rounding::Floor ? "FLOOR" : "ROUND"));
  return y;
}

/// s where x >= 0, else -s, with s = 1.
std::string write_binary(Exporter& out, const std::string& value, const NumberFormat& format) {
  const Result<Config> config = complete_config(*find_format("binary").value(), format.config);
  if (!config || !config.value().flag("bipolar") || config.value().flag("scaled") ||
      config.value().flag("stochastic"))
    return "";
  const std::string one = out.constant(Tensor::scalar(1));
  if (out.options().style == QuantStyle::Qonnx) {
    out.use_domain(kQonnx);
    return out.make("BipolarQuant", {value, one}, kQonnx);
  }
  const std::string positive = out.make("GreaterOrEqual", {value, out.constant(Tensor::scalar(0))});
  return out.make("Where", {positive, one, out.constant(Tensor::scalar(-1))});
}

}  // namespace

std::string write_format(Exporter& exporter, const std::string& value, const NumberFormat& format,
                         const Shape& shape, const Tensor* learned) {
  const std::string_view name = find_format(format.name).value()->name;
  if (name == "binary") return write_binary(exporter, value, format);
  const std::optional<Scaled> scaled = scaled_of(format, shape, learned);
  if (!scaled) return "";
  return exporter.options().style == QuantStyle::Qdq
             ? write_qdq(exporter, value, *scaled, shape.size())
             : write_quant(exporter, value, *scaled, shape.size());
}

}  // namespace chop::onnx
