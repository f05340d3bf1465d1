// QuantizeLinear and DequantizeLinear. A QuantizeLinear whose result only goes through Identity,
// Cast and DequantizeLinear becomes a number format; everything else becomes arithmetic on codes.
#include "onnx/codes.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::qdq {
namespace {

/// The format that quantising and dequantising amount to, where all is constant and there is one
/// zero point.
std::optional<NumberFormat> affine_format(Importer& make, ImportValue scale, ImportValue zero,
                                          DType dtype, std::int64_t axis) {
  if (!make.is_constant(scale) || (zero != kNone && !make.is_constant(zero))) return std::nullopt;
  if (dtype != DType::I8 && dtype != DType::U8) return std::nullopt;
  const Tensor& scales = make.need(scale, "a scale");
  if (make.failed() || scales.dtype() != DType::F32 || scales.size() == 0) return std::nullopt;
  std::int64_t zero_point = 0;
  if (zero != kNone) {
    const Tensor zeros = make.need(zero, "a zero point").to(DType::I64);
    for (const std::int64_t z : zeros.data<std::int64_t>())
      if (z != zeros.data<std::int64_t>()[0]) return std::nullopt;
    if (zeros.size() > 0) zero_point = zeros.data<std::int64_t>()[0];
  }
  std::vector<double> values;
  for (const float s : scales.data<float>()) {
    if (!(s > 0) || !std::isfinite(s)) return std::nullopt;
    values.push_back(s);
  }
  NumberFormat format{"affine",
                      {{"width", 8},
                       {"is_signed", dtype == DType::I8},
                       {"zero_point", zero_point},
                       {"scale", values}}};
  if (values.size() > 1) {
    format.config["granularity"] = std::string("channel");
    format.config["axis"] = axis;
  }
  return format;
}

DType code_type(Importer& make, const OnnxCall& call, std::size_t zero) {
  return call.has(zero) ? make.dtype(call.in(zero)) : DType::U8;
}

/// The dimension of x that scales and zero points go along.
std::int64_t axis_of(const OnnxCall& call, ImportValue x) {
  const std::size_t rank = call.make().rank(x);
  const std::int64_t given = call.integer("axis", 1);
  return rank == 0 ? 0 : call.axis(given, std::max<std::size_t>(rank, 2));
}

void import_quantize(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const ImportValue scale = call.in(1);
  const ImportValue zero = call.has(2) ? call.in(2) : kNone;
  // Lazy operands are made now: a long chain of quantisers must not be made recursively at its end.
  for (const ImportValue operand : {x, scale, zero}) static_cast<void>(make.is_constant(operand));
  if (make.failed() || !call.wants(0)) return;
  const DType dtype = code_type(make, call, 2);
  const std::int64_t axis = axis_of(call, x);
  const auto spelt_out = [&make, x, scale, zero, dtype, axis] {
    const std::size_t rank = make.rank(x);
    const ImportValue scaled = make.call("div", {x, along(make, scale, axis, rank)});
    return to_codes(make, scaled, zero == kNone ? kNone : along(make, zero, axis, rank), dtype);
  };
  call.scope().quantised[call.node().output(0)] = {x, scale, zero, axis, dtype};
  call.out(make.lazily({dtype, make.shape(x)}, spelt_out));
}

/// Whether two operands are the same constant, or the same value.
bool same(Importer& make, ImportValue a, ImportValue b) {
  if (a == b) return true;
  if (a == kNone || b == kNone || !make.is_constant(a) || !make.is_constant(b)) return false;
  return make.need(a, "a constant") == make.need(b, "a constant");
}

/// Whether two zero points are the same numbers, whatever their dtypes; none is 0.
bool same_zero(Importer& make, ImportValue a, ImportValue b) {
  if (a == b) return true;
  const auto wide = [&](ImportValue zero) {
    return zero == kNone ? Tensor::full({}, 0, DType::I64)
                         : make.need(zero, "a zero point").to(DType::I64);
  };
  for (const ImportValue zero : {a, b})
    if (zero != kNone && !make.is_constant(zero)) return false;
  const Tensor left = wide(a);
  const Tensor right = wide(b);
  const auto all = [](const Tensor& zeros, const Tensor& others) {
    for (std::int64_t i = 0; i < zeros.size(); ++i)
      if (zeros.at(i) != others.at(others.size() == 1 ? 0 : i)) return false;
    return true;
  };
  if (left.size() != right.size() && left.size() != 1 && right.size() != 1) return false;
  return left.size() > 0 && right.size() > 0 &&
         (left.size() >= right.size() ? all(left, right) : all(right, left));
}

/// Whether codes made in `from` are the same numbers in `to`.
bool keeps_codes(DType from, DType to) {
  if (from == to) return true;
  const Codes* codes = codes_of(from);
  if (codes == nullptr || is_floating(to) || to == DType::Bool) return false;
  for (const double end : {codes->low, codes->high})
    if (Tensor::scalar(end, DType::F64).to(to).at(0) != end) return false;
  return true;
}

/// Identity, and Cast to another dtype: codes that stay the same numbers are remembered as the
/// result of their QuantizeLinear.
void import_passing(const OnnxCall& call, DType to, const std::function<ImportValue()>& spelt_out) {
  auto& pending = call.scope().quantised;
  const auto from = pending.find(call.node().input(0));
  if (from == pending.end() || !keeps_codes(from->second.dtype, to)) return call.out(spelt_out());
  const OnnxScope::Quantised quantised = from->second;
  pending[call.node().output(0)] = quantised;
  call.out(call.make().lazily({to, call.make().shape(call.in(0))}, spelt_out));
}

void import_identity(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  import_passing(call, make.dtype(x), [&make, x] { return make.call("identity", {x}); });
}

void import_cast(const OnnxCall& call) {
  Importer& make = call.make();
  const auto type = static_cast<int>(call.integer("to", 0));
  const auto dtype = dtype_of(type);
  if (!dtype)
    return call.fail(cat("Cast to ", onnx_type_name(type)),
                     "real numbers, whole numbers and truth values can be imported");
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  import_passing(call, *dtype, [&make, x, to = std::string(name_of(*dtype))] {
    return make.call("cast", {x}, {{"dtype", to}});
  });
}

void import_dequantize(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue scale = call.in(1);
  const ImportValue zero = call.has(2) ? call.in(2) : kNone;
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  const std::int64_t axis = axis_of(call, x);
  const auto& pending = call.scope().quantised;
  if (const auto from = pending.find(call.node().input(0)); from != pending.end()) {
    const auto& q = from->second;
    const auto format = affine_format(make, q.scale, q.zero, q.dtype, q.axis);
    if (format && same(make, q.scale, scale) && same_zero(make, q.zero, zero))
      return call.out(make.quantised(q.x, *format));
  }
  const std::size_t rank = make.rank(x);
  const ImportValue reals =
      make.call("mul", {from_codes(make, x, zero == kNone ? kNone : along(make, zero, axis, rank)),
                        along(make, scale, axis, rank)});
  // Stored codes are a quantised constant: quantising it again changes nothing, so it may say so.
  if (make.is_constant(x))
    if (const auto format = affine_format(make, scale, zero, make.dtype(x), axis))
      return call.out(
          make.quantised(make.constant(make.need(reals, "a constant"), make.name_of(x)), *format));
  call.out(reals);
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"QuantizeLinear", import_quantize, "", {"saturate"}},
                      {"DequantizeLinear", import_dequantize},
                      {"Identity", import_identity},
                      {"Cast", import_cast, "", {"saturate"}}}};
}

}  // namespace chop::onnx::defs::qdq
