// ONNX's operators on quantised integers: products and convolutions as whole-number arithmetic.
#include "onnx/codes.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::quantised {
namespace {

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
  return {.imports = {{"QLinearConv", import_qlinear_conv, "", {"kernel_shape"}},
                      {"QLinearMatMul", import_qlinear_matmul},
                      {"ConvInteger", import_conv_integer, "", {"kernel_shape"}},
                      {"MatMulInteger", import_matmul_integer},
                      {"DynamicQuantizeLinear", import_dynamic}}};
}

}  // namespace chop::onnx::defs::quantised
