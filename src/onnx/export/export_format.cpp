// Number formats as ONNX nodes: QDQ pairs, QONNX's quantisers, or plain arithmetic where
// neither rounds as the format does.
#include "formats/registry.hpp"
#include "onnx/export/exporter.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

constexpr const char* kQonnx = "qonnx.custom_op.general";

/// A format as ONNX writes it, for tensors of one shape.
struct Scaled {
  OnnxForm form;
  std::size_t rank = 0;
  std::int64_t axis = 0;  ///< of the scales when there are several
  double low = 0;         ///< least and greatest code
  double high = 0;

  bool per_tensor() const { return form.scales.size() == 1; }
};

std::optional<Scaled> scaled_of(const NumberFormat& format, const Shape& shape,
                                const Tensor* learned) {
  const FormatDef& def = *find_format(format.name).value();
  const Result<Config> config = complete_config(def, format.config);
  if (!config || def.onnx == nullptr) return std::nullopt;
  const std::optional<OnnxForm> form = def.onnx(config.value());
  if (!form || form->width > 24) return std::nullopt;
  Scaled made{.form = *form, .rank = shape.size(), .axis = form->axis};
  if (learned != nullptr) {
    made.form.scales.clear();
    for (std::int64_t i = 0; i < learned->size(); ++i) made.form.scales.push_back(learned->at(i));
  }
  if (made.form.scales.empty()) return std::nullopt;
  if (made.axis < 0) made.axis += static_cast<std::int64_t>(shape.size());
  made.low = form->is_signed ? -std::ldexp(1.0, form->width - 1) : 0;
  made.high = std::ldexp(1.0, form->is_signed ? form->width - 1 : form->width) - 1;
  if (form->narrow) (form->is_signed ? made.low : made.high) += form->is_signed ? 1 : -1;
  return made;
}

/// One scale, or scales that stand along their axis of the tensor.
Tensor scale_tensor(const Scaled& scaled, bool as_vector) {
  const auto count = static_cast<std::int64_t>(scaled.form.scales.size());
  Tensor tensor = Tensor::of<double>({count}, scaled.form.scales).to(DType::F32);
  if (count == 1) return tensor.reshaped({});
  if (as_vector) return tensor;
  Shape shape(scaled.rank, 1);
  shape[static_cast<std::size_t>(scaled.axis)] = count;
  return tensor.reshaped(shape);
}

std::string write_plainly(Exporter& out, const std::string& value, const Scaled& scaled) {
  const std::string scale = out.constant(scale_tensor(scaled, false));
  std::string y = out.make("Div", {value, scale});
  const Rounding rounding = scaled.form.rounding;
  if (rounding == Rounding::HalfUp) y = out.make("Add", {y, out.constant(Tensor::scalar(0.5))});
  y = out.make(rounding == Rounding::HalfEven ? "Round" : "Floor", {y});
  const auto zero = static_cast<double>(scaled.form.zero);
  y = out.make("Clip", {y, out.constant(Tensor::scalar(scaled.low - zero)),
                        out.constant(Tensor::scalar(scaled.high - zero))});
  return out.make("Mul", {y, scale});
}

/// Fewer than eight bits are clipped first: codes of eight bits hold them then.
std::string write_qdq(Exporter& out, const std::string& value, const Scaled& scaled) {
  const double least = scaled.form.is_signed ? -128 : 0;
  const double most = scaled.form.is_signed ? 127 : 255;
  const bool fits = scaled.low >= least && scaled.high <= most;
  const bool full = scaled.low == least && scaled.high == most;
  if (!fits || scaled.form.rounding != Rounding::HalfEven || (!full && !scaled.per_tensor()))
    return write_plainly(out, value, scaled);
  std::string x = value;
  const auto zero = static_cast<double>(scaled.form.zero);
  if (!full) {
    const auto s = static_cast<double>(static_cast<float>(scaled.form.scales[0]));
    x = out.make("Clip", {x, out.constant(Tensor::scalar((scaled.low - zero) * s)),
                          out.constant(Tensor::scalar((scaled.high - zero) * s))});
  }
  const std::string scale = out.constant(scale_tensor(scaled, true));
  const DType dtype = scaled.form.is_signed ? DType::I8 : DType::U8;
  const Shape zeros =
      scaled.per_tensor() ? Shape{} : Shape{static_cast<std::int64_t>(scaled.form.scales.size())};
  const std::string point = out.constant(Tensor::full(zeros, zero, dtype));
  std::string y = out.make("QuantizeLinear", {x, scale, point});
  if (!scaled.per_tensor()) ExportCall::set(out.last(), "axis", scaled.axis);
  y = out.make("DequantizeLinear", {y, scale, point});
  if (!scaled.per_tensor()) ExportCall::set(out.last(), "axis", scaled.axis);
  return y;
}

std::string write_quant(Exporter& out, const std::string& value, const Scaled& scaled) {
  const OnnxForm& form = scaled.form;
  if (form.rounding == Rounding::HalfUp || (form.zero % 2) != 0)
    return write_plainly(out, value, scaled);
  out.use_domain(kQonnx);
  std::string y =
      out.make("Quant",
               {value, out.constant(scale_tensor(scaled, false)),
                out.constant(Tensor::scalar(form.zero)), out.constant(Tensor::scalar(form.width))},
               kQonnx);
  ExportCall::set(out.last(), "signed", form.is_signed);
  ExportCall::set(out.last(), "narrow", form.narrow);
  ExportCall::set(out.last(), "rounding_mode",
                  std::string(form.rounding == Rounding::Down ? "FLOOR" : "ROUND"));
  return y;
}

/// s where x >= 0, else -s.
std::string write_bipolar(Exporter& out, const std::string& value, double s) {
  const std::string scale = out.constant(Tensor::scalar(s));
  if (out.options().style == QuantStyle::Qonnx) {
    out.use_domain(kQonnx);
    return out.make("BipolarQuant", {value, scale}, kQonnx);
  }
  const std::string positive = out.make("GreaterOrEqual", {value, out.constant(Tensor::scalar(0))});
  return out.make("Where", {positive, scale, out.constant(Tensor::scalar(-s))});
}

}  // namespace

std::string write_format(Exporter& exporter, const std::string& value, const NumberFormat& format,
                         const Shape& shape, const Tensor* learned) {
  const std::optional<Scaled> scaled = scaled_of(format, shape, learned);
  if (!scaled) return "";
  if (scaled->form.bipolar) return write_bipolar(exporter, value, scaled->form.scales[0]);
  return exporter.options().style == QuantStyle::Qdq ? write_qdq(exporter, value, *scaled)
                                                     : write_quant(exporter, value, *scaled);
}

}  // namespace chop::onnx
