// Activations whose ONNX form differs in more than names.
#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "ops/core/common.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::activation {
namespace {

/// The shape of a matrix, cut in front of `axis`.
Shape cut_before(const Shape& shape, std::int64_t axis) {
  Shape matrix(shape.begin(), shape.begin() + axis);
  matrix.push_back(ops::product(shape, static_cast<std::size_t>(axis)));
  return matrix;
}

/// Before version 13 the tensor was taken as a matrix, cut in front of `axis`.
void along_axis(const OnnxCall& call, const char* op) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  if (call.version() >= 13)
    return call.out(
        make.call(op, {x}, {{"dim", call.axis(call.integer("axis", -1), make.rank(x))}}));
  const std::int64_t axis =
      call.axis(call.integer("axis", 1), std::max<std::size_t>(make.rank(x), 2));
  const Shape open = make.open_shape(x);
  if (make.failed()) return;
  if (axis + 1 >= static_cast<std::int64_t>(open.size()))
    return call.out(make.call(
        op, {x},
        {{"dim", std::min<std::int64_t>(axis, static_cast<std::int64_t>(open.size()) - 1)}}));
  const ImportValue matrix = reshaped(make, x, cut_before(open, axis));
  const ImportValue y = make.call(op, {matrix}, {{"dim", -1}});
  call.out(reshaped(make, y, open));
}

void import_hardmax(const OnnxCall& call) {
  Importer& make = call.make();
  ImportValue x = call.in(0);
  if (make.failed()) return;
  const Shape open = make.open_shape(x);
  std::int64_t axis = call.axis(call.integer("axis", call.version() >= 13 ? -1 : 1), open.size());
  if (make.failed()) return;
  if (call.version() < 13) x = reshaped(make, x, cut_before(open, axis));
  const std::int64_t size = make.shape(x)[static_cast<std::size_t>(axis)];
  const ImportValue largest = make.call("argmax", {x}, {{"dim", axis}});
  const ImportValue y = make.call("one_hot", {largest}, {{"depth", size}, {"dim", axis}});
  call.out(cast(make, reshaped(make, y, open), make.dtype(call.in(0))));
}

/// Bounds were attributes before version 11.
void import_clip(const OnnxCall& call) {
  Importer& make = call.make();
  double low = call.real("min", -std::numeric_limits<double>::infinity());
  double high = call.real("max", std::numeric_limits<double>::infinity());
  const ImportValue x = call.in(0);
  if (call.has(1)) {
    if (!make.is_constant(call.in(1)) || (call.has(2) && !make.is_constant(call.in(2)))) {
      ImportValue y = make.call("maximum", {x, call.in(1)});
      if (call.has(2)) y = make.call("minimum", {y, call.in(2)});
      return call.out(y);
    }
    low = make.need_real(call.in(1), "`min` of Clip");
  }
  if (call.has(2)) {
    if (!make.is_constant(call.in(2))) return call.out(make.call("minimum", {x, call.in(2)}));
    high = make.need_real(call.in(2), "`max` of Clip");
  }
  if (make.failed()) return;
  if (low == 0 && high == 6 && make.dtype(x) == DType::F32)
    return call.out(make.call("relu6", {x}));
  call.out(make.call("clamp", {x}, {{"min", low}, {"max", high}}));
}

void import_hard_sigmoid(const OnnxCall& call) {
  Importer& make = call.make();
  const double alpha = call.real("alpha", 0.2);
  const double beta = call.real("beta", 0.5);
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  if (alpha == static_cast<double>(1.0F / 6) && beta == 0.5)
    return call.out(make.call("hardsigmoid", {x}));
  const ImportValue y = with_number(make, "add", with_number(make, "mul", x, alpha), beta);
  call.out(make.call("clamp", {y}, {{"min", 0.0}, {"max", 1.0}}));
}

constexpr double kSeluAlpha = 1.67326319217681884765625;  // as ONNX rounds it
constexpr double kSeluScale = 1.05070102214813232421875;

/// PyTorch's constants are those of ONNX, rounded; other ones are spelt out.
void import_selu(const OnnxCall& call) {
  Importer& make = call.make();
  const double alpha = call.real("alpha", kSeluAlpha);
  const double gamma = call.real("gamma", kSeluScale);
  const ImportValue x = call.in(0);
  if (std::abs(alpha - kSeluAlpha) < 1e-6 && std::abs(gamma - kSeluScale) < 1e-6)
    return call.out(make.call("selu", {x}));
  call.out(with_number(make, "mul", make.call("elu", {x}, {{"alpha", alpha}}), gamma));
}

/// A slope per channel has no dimensions behind it before version 7.
void import_prelu(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  ImportValue slope = call.in(1);
  if (make.failed()) return;
  const Shape shape = make.shape(x);
  if (make.rank(slope) == 1 && shape.size() > 1 && make.shape(slope)[0] == shape[1] &&
      (call.version() < 9 || shape.back() != shape[1]) && make.shape(slope)[0] != 1) {
    Shape stretched(shape.size() - 1, 1);
    stretched[0] = shape[1];
    slope = reshaped(make, slope, std::move(stretched));
  }
  call.out(make.call("prelu", {x, slope}));
}

/// Evaluated, dropout does nothing and its mask is all true.
void import_dropout(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  double ratio = call.real("ratio", 0.5);
  if (call.has(1)) ratio = make.need_real(call.in(1), "`ratio` of Dropout");
  if (call.has(2) && make.need_real(call.in(2), "`training_mode` of Dropout") != 0 && ratio != 0)
    return call.fail("Dropout in training mode, whose result is random");
  if (make.failed()) return;
  ratio = std::clamp(ratio, 0.0, 1.0);
  call.out(make.dtype(x) == DType::F32 && !make.is_constant(x)
               ? make.call("dropout", {x}, {{"p", ratio}})
               : make.call("identity", {x}));
  if (!call.wants(1)) return;
  const DType mask = call.version() >= 10 ? DType::Bool : make.dtype(x);
  if (make.open_shape(x) != make.shape(x))
    return call.fail("Dropout's mask of a tensor that follows the batch");
  if (make.spend_budget(numel(make.shape(x))))
    call.out(1, make.constant(Tensor::full(make.shape(x), 1.0, mask)));
}

void write_clip(ExportCall& call, double low, double high) {
  std::vector<std::string> inputs = {call.inputs()[0], "", ""};
  const DType dtype = call.dtype(0);
  if (low > -std::numeric_limits<double>::infinity())
    inputs[1] = call.constant(Tensor::scalar(low, dtype));
  if (high < std::numeric_limits<double>::infinity())
    inputs[2] = call.constant(Tensor::scalar(high, dtype));
  if (inputs[2].empty()) inputs.pop_back();
  if (inputs.back().empty()) inputs.pop_back();
  call.add("Clip", inputs);
}
void write_clamp(ExportCall& call) {
  write_clip(call, call.real("min"), call.real("max"));
}
void write_hardtanh(ExportCall& call) {
  write_clip(call, call.real("min_val"), call.real("max_val"));
}
void write_hardsigmoid(ExportCall& call) {
  proto::NodeProto& node = call.add("HardSigmoid", call.inputs());
  ExportCall::set(node, "alpha", 1.0 / 6);
  ExportCall::set(node, "beta", 0.5);
}

void write_silu(ExportCall& call) {
  call.add("Mul", {call.inputs()[0], call.before("Sigmoid", call.inputs())});
}

/// x · (1 + erf(x / √2)) / 2, or the tanh form.
void write_gelu(ExportCall& call) {
  const std::string& x = call.inputs()[0];
  std::string inner;
  if (call.text("approximate") == "tanh") {
    const std::string cube = call.before("Mul", {call.before("Mul", {x, x}), x});
    const std::string sum =
        call.before("Add", {x, call.before("Mul", {cube, call.number(0.044715)})});
    inner = call.before("Tanh",
                        {call.before("Mul", {sum, call.number(std::sqrt(2 / std::acos(-1.0)))})});
  } else {
    inner = call.before("Erf", {call.before("Div", {x, call.number(std::sqrt(2.0))})});
  }
  const std::string half = call.before("Mul", {x, call.number(0.5)});
  call.add("Mul", {half, call.before("Add", {inner, call.number(1)})});
}

/// log(1 + exp(βx)) / β.
void write_softplus(ExportCall& call) {
  const double beta = call.real("beta");
  if (beta == 1) {
    call.add("Softplus", call.inputs());
    return;
  }
  const std::string scaled = call.before("Mul", {call.inputs()[0], call.number(beta)});
  call.add("Div", {call.before("Softplus", {scaled}), call.number(beta)});
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"Softmax", [](const OnnxCall& call) { along_axis(call, "softmax"); }},
                      {"LogSoftmax", [](const OnnxCall& call) { along_axis(call, "log_softmax"); }},
                      {"Hardmax", import_hardmax},
                      {"Clip", import_clip},
                      {"HardSigmoid", import_hard_sigmoid},
                      {"Selu", import_selu},
                      {"PRelu", import_prelu},
                      {"Dropout", import_dropout, "", {"is_test", "seed"}}},
          .exports = {{"dropout", [](ExportCall& call) { call.add("Identity", call.inputs()); }},
                      {"clamp", write_clamp},
                      {"hardtanh", write_hardtanh},
                      {"relu6", [](ExportCall& call) { write_clip(call, 0, 6); }},
                      {"hardsigmoid", write_hardsigmoid},
                      {"silu", write_silu},
                      {"gelu", write_gelu},
                      {"softplus", write_softplus}}};
}

}  // namespace chop::onnx::defs::activation
