// Gemm and MatMul: with a constant matrix on the right a Linear, else products as functions.
// An Add of a constant right behind a layer without bias becomes its bias.
#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::gemm {
namespace {

/// A constant matrix transposed, its format following.
ImportValue transposed(Importer& make, ImportValue w) {
  if (make.failed()) return kNone;
  const std::optional<NumberFormat> format = make.format(w);
  const std::string name = make.name_of(w);
  ImportValue turned = permuted(make, make.without_format(w), {1, 0});
  if (make.failed()) return kNone;
  turned = make.constant(make.need(turned, "a weight"), name);
  if (!format) return turned;
  NumberFormat moved = *format;
  if (const auto axis = moved.config.find("axis"); axis != moved.config.end()) {
    const std::int64_t from = std::get<std::int64_t>(axis->second);
    axis->second = std::int64_t{1 - (from < 0 ? from + 2 : from)};
  }
  return make.quantised(turned, std::move(moved));
}

ImportValue linear(const OnnxCall& call, ImportValue x, ImportValue weight,
                   std::optional<ImportValue> bias) {
  const Shape w = call.make().shape(weight);
  if (call.make().failed()) return kNone;
  LayerParams params = {{"weight", weight}};
  if (bias) params.emplace_back("bias", *bias);
  return layer(call, "linear", x,
               {{"in_features", w[1]}, {"out_features", w[0]}, {"bias", bias.has_value()}}, params);
}

void import_matmul(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue a = call.in(0);
  const ImportValue b = call.in(1);
  if (make.failed()) return;
  const bool matrix = make.is_constant(b) && make.rank(b) == 2 && make.rank(a) >= 1 &&
                      make.dtype(a) == DType::F32 &&
                      make.constant_of(make.without_format(b), "a weight").is_fixed();
  if (!matrix || make.is_constant(a) ||
      (make.format(b) && !is_uniform(*make.format(b)) && !make.format(b)->config.contains("axis")))
    return call.out(make.call("matmul", {a, b}));
  call.out(linear(call, a, transposed(make, b), std::nullopt));
}

/// C of Gemm as the bias of a Linear with `size` outputs, if it can be one.
std::optional<ImportValue> as_bias(Importer& make, ImportValue c, std::int64_t size) {
  if (!make.is_constant(c)) return std::nullopt;
  const Shape shape = make.shape(c);
  if (make.format(c)) return shape == Shape{size} ? std::optional(c) : std::nullopt;
  if (shape.size() > 2 || (shape.size() == 2 && shape[0] != 1)) return std::nullopt;
  if (!shape.empty() && shape.back() != size && shape.back() != 1) return std::nullopt;
  const std::string name = make.name_of(c);
  ImportValue flat = reshaped(make, c, {shape.empty() ? 1 : shape.back()});
  flat = make.call("expand", {flat}, {{"shape", Ints{size}}});
  return make.failed() ? std::nullopt
                       : std::optional(make.constant(make.need(flat, "a bias"), name));
}

void import_gemm(const OnnxCall& call) {
  Importer& make = call.make();
  ImportValue a = call.in(0);
  ImportValue b = call.in(1);
  if (make.failed()) return;
  if (make.rank(a) != 2 || make.rank(b) != 2)
    return call.fail(cat("Gemm of ", to_string(make.shape(a)), " and ", to_string(make.shape(b))));
  const double alpha = call.real("alpha", 1);
  const double beta = call.real("beta", 1);
  const bool turned = call.integer("transB", 0) != 0;
  if (call.integer("transA", 0) != 0) a = permuted(make, a, {1, 0});
  const std::int64_t size = make.shape(b)[turned ? 0 : 1];
  std::optional<ImportValue> bias;
  if (call.has(2)) bias = as_bias(make, call.in(2), size);
  if (make.failed()) return;
  if (make.is_constant(b) && !make.is_constant(a) && alpha == 1 && beta == 1 &&
      (bias || !call.has(2)) && make.dtype(a) == DType::F32)
    return call.out(linear(call, a, turned ? b : transposed(make, b), bias));
  if (turned) b = permuted(make, b, {1, 0});
  ImportValue y = make.call("matmul", {a, b});
  if (alpha != 1) y = with_number(make, "mul", y, alpha);
  if (call.has(2)) {
    ImportValue c = call.in(2);
    if (beta != 1) c = with_number(make, "mul", c, beta);
    y = make.call("add", {y, c});
  }
  call.out(y);
}

/// Whether `shape` broadcasts one number per index along `axis` (counted from the end) of a result.
bool runs_along(const Shape& shape, std::size_t rank, std::size_t axis, std::int64_t size) {
  if (shape.empty() || shape.size() > rank || axis >= rank) return false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t dim = rank - shape.size() + d;
    if (shape[d] != (dim == axis ? size : 1)) return false;
  }
  return numel(shape) == size;
}

/// Gives the layer that made input `at` the constant of the other input as its bias.
bool took_bias(const OnnxCall& call, std::size_t at) {
  Importer& make = call.make();
  const ImportValue y = call.in(at);
  const ImportValue c = call.in(1 - at);
  if (make.failed() || call.uses(at) != 1 || !make.is_constant(c) || make.dtype(c) != DType::F32)
    return false;
  const std::optional<NodeId> id = make.producer(y);
  if (!id) return false;
  Node& node = make.graph().node(*id);
  if (node.opcode != Opcode::CallModule) return false;
  const OpDef& op = op_of(node);
  const auto flag = node.attrs.find("bias");
  if (op.weight_axis == 0 || flag == node.attrs.end() || std::get<bool>(flag->second)) return false;
  const Shape shape = make.shape(y);
  const std::size_t axis = op.weight_axis < 0 ? shape.size() - 1 : 1;
  if (!runs_along(make.shape(c), shape.size(), axis, shape[axis]) ||
      make.graph().find_parameter(cat(node.target, ".bias")) != nullptr)
    return false;
  const std::optional<NumberFormat> format = make.format(c);
  if (format && !is_uniform(*format)) return false;
  const Tensor& bias = make.need(make.without_format(c), "a bias");
  flag->second = true;
  make.graph().add_parameter({cat(node.target, ".bias"), bias.reshaped({shape[axis]}), true});
  if (format) node.formats["bias"] = *format;
  call.out(y);
  return true;
}

/// Before version 7 the second operand was broadcast only on demand, from a given axis on.
ImportValue stretched(const OnnxCall& call, ImportValue a, ImportValue b) {
  Importer& make = call.make();
  if (make.failed() || call.version() >= 7 || call.integer("broadcast", 0) == 0 ||
      !call.has_attr("axis"))
    return b;
  const auto rank = static_cast<std::int64_t>(make.rank(a));
  const std::int64_t axis = call.axis(call.integer("axis", 0), make.rank(a));
  Shape shape = make.shape(b);
  while (static_cast<std::int64_t>(shape.size()) + axis < rank) shape.push_back(1);
  return reshaped(make, b, std::move(shape));
}

void import_arithmetic(const OnnxCall& call) {
  const ImportValue a = call.in(0);
  const ImportValue b = stretched(call, a, call.in(1));
  call.out(call.make().call(op_for(call.op_type()), {a, b}));
}

void import_add(const OnnxCall& call) {
  if (call.version() >= 7 && (took_bias(call, 0) || took_bias(call, 1))) return;
  import_arithmetic(call);
}

/// [rows, in] goes through Gemm; other ranks through MatMul and Add.
void write_linear(ExportCall& call) {
  const std::vector<std::string> operands = call.operands();
  if (call.shape(0).size() == 2) {
    proto::NodeProto& node = call.add("Gemm", operands);
    ExportCall::set(node, "transB", std::int64_t{1});
    return;
  }
  std::string turned;
  ExportCall::set(call.before("Transpose", {operands[1]}, turned), "perm", Ints{1, 0});
  if (operands.size() == 2) {
    call.add("MatMul", {operands[0], turned});
    return;
  }
  call.add("Add", {call.before("MatMul", {operands[0], turned}), operands[2]});
}

void write_arithmetic(ExportCall& call) {
  std::vector<std::string> inputs = call.inputs();
  if (inputs.size() == 1) inputs.push_back(call.number(call.real("other")));
  call.add(call.onnx_name(), inputs);
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"Gemm", import_gemm, "", {"broadcast"}},
                      {"MatMul", import_matmul},
                      {"Add", import_add},
                      {"Sub", import_arithmetic},
                      {"Mul", import_arithmetic},
                      {"Div", import_arithmetic}},
          .exports = {{"linear", write_linear},
                      {"add", write_arithmetic},
                      {"sub", write_arithmetic},
                      {"mul", write_arithmetic},
                      {"div", write_arithmetic}}};
}

}  // namespace chop::onnx::defs::gemm
