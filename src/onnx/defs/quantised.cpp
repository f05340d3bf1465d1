// ONNX's own quantised operators. A QuantizeLinear whose result only goes through
// DequantizeLinear becomes a number format; everything else becomes integer arithmetic.
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::quantised {
namespace {

struct Codes {
  DType dtype;
  double low, high;
};
/// The types codes may have; none: it is not one of them.
const Codes* codes_of(DType dtype) {
  static constexpr std::array<Codes, 4> kAll = {{{DType::I8, -128, 127},
                                                 {DType::U8, 0, 255},
                                                 {DType::I16, -32768, 32767},
                                                 {DType::U16, 0, 65535}}};
  const auto* found = std::ranges::find(kAll, dtype, &Codes::dtype);
  return found == kAll.end() ? nullptr : found;
}

/// A vector of scales or zero points along `axis` of a tensor with `rank` dimensions.
ImportValue along(Importer& make, ImportValue vector, std::int64_t axis, std::size_t rank) {
  if (make.failed() || make.rank(vector) == 0 || numel(make.shape(vector)) == 1) {
    return make.failed() || make.rank(vector) == 0 ? vector : reshaped(make, vector, {});
  }
  Shape shape(rank, 1);
  if (static_cast<std::size_t>(axis) >= rank) {
    make.fail({.what = cat("a scale or zero point for each place along dimension ", axis,
                           " of a tensor that has ", rank)});
    return kNone;
  }
  shape[static_cast<std::size_t>(axis)] = make.shape(vector)[0];
  return reshaped(make, vector, std::move(shape));
}

/// clamp(rne(x) + z): reals to codes of `dtype`, as saturate() of the specification.
ImportValue to_codes(Importer& make, ImportValue x, ImportValue zero, DType dtype) {
  ImportValue y = make.call("round", {x});
  if (zero != kNone) y = make.call("add", {y, cast(make, zero, DType::F32)});
  const Codes* codes = codes_of(dtype);
  if (codes == nullptr) {
    make.fail(
        {.what = cat("a zero point of ", name_of(dtype)), .hint = "codes are i8, u8, i16 or u16"});
    return kNone;
  }
  y = make.call("clamp", {y}, {{"min", codes->low}, {"max", codes->high}});
  return cast(make, y, dtype);
}

/// codes - z as reals.
ImportValue from_codes(Importer& make, ImportValue codes, ImportValue zero) {
  const ImportValue y = cast(make, codes, DType::F32);
  return zero == kNone ? y : make.call("sub", {y, cast(make, zero, DType::F32)});
}

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
  call.scope().quantised[call.node().output(0)] = {x, scale, zero, axis};
  call.out(make.lazily({dtype, make.shape(x)}, spelt_out));
}

/// Whether two operands are the same constant, or the same value.
bool same(Importer& make, ImportValue a, ImportValue b) {
  if (a == b) return true;
  if (a == kNone || b == kNone || !make.is_constant(a) || !make.is_constant(b)) return false;
  return make.need(a, "a constant") == make.need(b, "a constant");
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
    const auto format = affine_format(make, q.scale, q.zero, make.dtype(x), q.axis);
    if (format && same(make, q.scale, scale) && same(make, q.zero, zero))
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

/// A scale of the result for products of whole numbers: y = sat(rne(sum · s) + z).
ImportValue requantised(const OnnxCall& call, ImportValue sum, ImportValue scale,
                        std::size_t y_scale, std::size_t y_zero) {
  Importer& make = call.make();
  const ImportValue factor = make.call("div", {scale, call.in(y_scale)});
  return to_codes(make, make.call("mul", {sum, factor}), call.in(y_zero),
                  make.dtype(call.in(y_zero)));
}

/// Integer sums are exact in float32 below 2^24; longer ones are made in double precision.
ImportValue widened(Importer& make, ImportValue x, std::int64_t taps) {
  constexpr std::int64_t kExactTaps = (std::int64_t{1} << 24) / (255 * 255);
  return make.failed() || taps <= kExactTaps ? x : cast(make, x, DType::F64);
}

ImportValue convolved(const OnnxCall& call, ImportValue x, ImportValue w,
                      std::optional<ImportValue> bias) {
  Importer& make = call.make();
  if (make.failed()) return kNone;
  const Shape xs = make.shape(x);
  const Shape ws = make.shape(w);
  if (xs.size() != 4 || ws.size() != 4) {
    call.fail(cat(call.op_type(), " of ", to_string(xs), " with a kernel of ", to_string(ws)),
              "quantised convolutions have two spatial dimensions");
    return kNone;
  }
  const Ints kernel(ws.begin() + 2, ws.end());
  const Ints stride = call.ints("strides", {1, 1});
  const Ints dilation = call.ints("dilations", {1, 1});
  const std::int64_t groups = call.integer("group", 1);
  if (!fits_window(stride, 2, 1) || !fits_window(dilation, 2, 1) || !fits_window(kernel, 2, 1) ||
      groups < 1 || groups > std::max<std::int64_t>(ws[0], 1)) {
    call.fail(cat(call.op_type(), " in ", groups, " groups with strides ", to_string(stride),
                  " and dilations ", to_string(dilation)),
              cat("numbers from 1 to ", kMostWindow, " are needed"));
    return kNone;
  }
  const Padding padding = padding_of(call, {xs[2], xs[3]}, kernel, stride, dilation);
  if (make.failed()) return kNone;
  const std::int64_t taps = ws[1] * ws[2] * ws[3];
  ImportValue image = widened(make, padded(make, x, padding, 0.0), taps);
  LayerParams params = {{"weight", widened(make, w, taps)}};
  if (bias) params.emplace_back("bias", cast(make, *bias, make.dtype(image)));
  const ImportValue sum = layer(call, "conv2d", image,
                                {{"in_channels", ws[1] * groups},
                                 {"out_channels", ws[0]},
                                 {"kernel_size", kernel},
                                 {"stride", stride},
                                 {"dilation", dilation},
                                 {"groups", groups},
                                 {"bias", bias.has_value()}},
                                params);
  return sum;
}

void import_conv_integer(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = from_codes(make, call.in(0), call.has(2) ? call.in(2) : kNone);
  ImportValue zero = call.has(3) ? call.in(3) : kNone;
  if (zero != kNone) zero = along(make, zero, 0, 4);
  const ImportValue w = from_codes(make, call.in(1), zero);
  call.out(cast(make, convolved(call, x, w, std::nullopt), DType::I32));
}

void import_qlinear_conv(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = from_codes(make, call.in(0), call.in(2));
  const ImportValue w = from_codes(make, call.in(3), along(make, call.in(5), 0, 4));
  std::optional<ImportValue> bias;
  if (call.has(8)) bias = cast(make, call.in(8), DType::F32);
  const ImportValue sum = cast(make, convolved(call, x, w, bias), DType::F32);
  const ImportValue scale = make.call("mul", {call.in(1), along(make, call.in(4), 1, 4)});
  call.out(requantised(call, sum, scale, 6, 7));
}

ImportValue product(const OnnxCall& call, ImportValue a, ImportValue b) {
  Importer& make = call.make();
  if (make.failed() || make.rank(a) == 0) return make.call("matmul", {a, b});
  const std::int64_t taps = make.shape(a).back();
  return make.call("matmul", {widened(make, a, taps), widened(make, b, taps)});
}

void import_matmul_integer(const OnnxCall& call) {
  Importer& make = call.make();
  ImportValue a_zero = call.has(2) ? call.in(2) : kNone;
  // One scale per row of a, as a column beside its rows.
  if (a_zero != kNone && make.rank(a_zero) == 1 && make.shape(a_zero)[0] > 1)
    a_zero = reshaped(make, a_zero, {-1, 1});
  const ImportValue a = from_codes(make, call.in(0), a_zero);
  const ImportValue b = from_codes(make, call.in(1), call.has(3) ? call.in(3) : kNone);
  call.out(cast(make, product(call, a, b), DType::I32));
}

void import_qlinear_matmul(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue a = from_codes(make, call.in(0), call.in(2));
  const ImportValue b = from_codes(make, call.in(3), call.in(5));
  const ImportValue sum = cast(make, product(call, a, b), DType::F32);
  const ImportValue scale = make.call("mul", {call.in(1), call.in(4)});
  call.out(requantised(call, sum, scale, 6, 7));
}

/// Scale and zero point from the data: the range widened to hold zero, in 255 steps.
void import_dynamic(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  const ImportValue zero = make.reals(0);
  const ImportValue low = make.call("minimum", {make.call("amin", {x}), zero});
  const ImportValue high = make.call("maximum", {make.call("amax", {x}), zero});
  const ImportValue scale = with_number(make, "div", make.call("sub", {high, low}), 255);
  ImportValue point = make.call("neg", {make.call("div", {low, scale})});
  point = make.call("clamp", {point}, {{"min", 0.0}, {"max", 255.0}});
  point = make.call("round", {point});
  call.out(0, to_codes(make, make.call("div", {x, scale}), point, DType::U8));
  call.out(1, scale);
  call.out(2, cast(make, point, DType::U8));
}

}  // namespace

OnnxFamily define() {
  return {
      .imports = {{"QuantizeLinear", import_quantize, "", {"saturate"}},  // of float8 types alone
                  {"DequantizeLinear", import_dequantize},
                  {"QLinearConv", import_qlinear_conv, "", {"kernel_shape"}},
                  {"QLinearMatMul", import_qlinear_matmul},
                  {"ConvInteger", import_conv_integer, "", {"kernel_shape"}},
                  {"MatMulInteger", import_matmul_integer},
                  {"DynamicQuantizeLinear", import_dynamic}}};
}

}  // namespace chop::onnx::defs::quantised
