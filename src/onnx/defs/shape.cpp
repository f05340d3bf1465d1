// Operators whose results are known from shapes and constants alone.
#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::shape {
namespace {

/// The shape of x at both batch sizes, as constants.
Constant shapes_of(Importer& make, ImportValue x) {
  const Shape open = make.open_shape(x);
  const Shape first = make.shape(x);
  const auto count = static_cast<std::int64_t>(first.size());
  Shape second = first;
  for (std::size_t d = 0; d < open.size(); ++d)
    if (open[d] == -1) second[d] = first[d] / Importer::kBatches[0] * Importer::kBatches[1];
  return {Tensor::of<std::int64_t>({count}, first), Tensor::of<std::int64_t>({count}, second)};
}

void import_shape(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  const Constant all = shapes_of(make, x);
  const auto rank = static_cast<std::int64_t>(make.rank(x));
  const auto wrapped = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t first = wrapped(call.integer("start", 0));
  const std::int64_t last = std::max(first, wrapped(call.integer("end", rank)));
  const auto part = [&](const Tensor& shape) {
    return Tensor::of<std::int64_t>(
        {last - first}, shape.data<std::int64_t>().subspan(static_cast<std::size_t>(first),
                                                           static_cast<std::size_t>(last - first)));
  };
  call.out(make.constant(Constant(part(all.at[0]), part(all.at[1]))));
}

void import_size(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  const Constant shapes = shapes_of(make, x);
  const auto count = [](const Tensor& shape) {
    std::int64_t product = 1;
    for (const std::int64_t dim : shape.data<std::int64_t>()) product *= dim;
    return Tensor::of<std::int64_t>({}, {product});
  };
  call.out(make.constant(Constant(count(shapes.at[0]), count(shapes.at[1]))));
}

void import_constant(const OnnxCall& call) {
  Importer& make = call.make();
  if (const auto* value = call.find("value")) {
    Result<Tensor> tensor = tensor_of(value->t(), call.scope().file);
    if (!tensor) return make.fail(std::move(tensor).error());
    make.add_budget(tensor.value().size());
    return call.out(make.constant(std::move(tensor).value()));
  }
  if (call.has_attr("value_float"))
    return call.out(make.constant(Tensor::scalar(call.real("value_float", 0))));
  if (call.has_attr("value_int"))
    return call.out(make.constant(Tensor::of<std::int64_t>({}, {call.integer("value_int", 0)})));
  if (call.has_attr("value_ints")) return call.out(whole_numbers(make, call.ints("value_ints")));
  if (call.has_attr("value_floats")) {
    const std::vector<double> values = call.reals("value_floats");
    return call.out(make.constant(
        Tensor::of<double>({static_cast<std::int64_t>(values.size())}, values).to(DType::F32)));
  }
  call.fail("a Constant of text or a sparse one", "only dense tensors of numbers can be imported");
}

void import_constant_of_shape(const OnnxCall& call) {
  Importer& make = call.make();
  const Constant& shapes = make.constant_of(call.in(0), "`shape` of ConstantOfShape");
  if (make.failed()) return;
  Tensor value = Tensor::scalar(0.0);
  if (const auto* given = call.find("value")) {
    Result<Tensor> tensor = tensor_of(given->t(), call.scope().file);
    if (!tensor) return make.fail(std::move(tensor).error());
    value = std::move(tensor).value();
  }
  if (value.size() != 1) return call.fail("ConstantOfShape: `value` is not one element");
  const auto filled = [&](const Tensor& dims) -> std::optional<Tensor> {
    const Tensor whole = dims.to(DType::I64);
    const Shape shape(whole.data<std::int64_t>().begin(), whole.data<std::int64_t>().end());
    if (!is_possible(shape)) {
      call.fail(cat("ConstantOfShape asks for the shape ", to_string(shape)));
      return std::nullopt;
    }
    if (!make.spend_budget(numel(shape))) return std::nullopt;
    return Tensor::full(shape, value.at(0), value.dtype());
  };
  const auto first = filled(shapes.at[0]);
  const auto second = shapes.is_fixed() ? first : filled(shapes.at[1]);
  if (first && second) call.out(make.constant(Constant(*first, *second)));
}

void import_range(const OnnxCall& call) {
  Importer& make = call.make();
  const double start = make.need_real(call.in(0), "`start` of Range");
  const double limit = make.need_real(call.in(1), "`limit` of Range");
  const double delta = make.need_real(call.in(2), "`delta` of Range");
  if (make.failed()) return;
  const double count = std::max(0.0, std::ceil((limit - start) / delta));
  constexpr double kMost = 2147483648.0;  // 2^31
  if (delta == 0 || !(count <= kMost))
    return call.fail(cat("Range from ", start, " to ", limit, " in steps of ", delta));
  if (!make.spend_budget(static_cast<std::int64_t>(count))) return;
  Tensor values(DType::F64, {static_cast<std::int64_t>(count)});
  const auto out = values.mutable_data<double>();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = start + static_cast<double>(i) * delta;
  call.out(make.constant(values.to(make.dtype(call.in(0)))));
}

void import_eye_like(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  const Shape shape = make.shape(x);
  const auto dtype = call.has_attr("dtype") ? dtype_of(static_cast<int>(call.integer("dtype", 1)))
                                            : std::optional(make.dtype(x));
  if (shape.size() != 2 || !dtype || make.open_shape(x) != shape)
    return call.fail(cat("EyeLike of ", to_string(shape)));
  const std::int64_t k = std::clamp(call.integer("k", 0), -shape[0], shape[1]);
  if (!make.spend_budget(numel(shape))) return;
  Tensor eye(DType::I64, shape);
  const auto out = eye.mutable_data<std::int64_t>();
  for (std::int64_t row = 0; row < shape[0]; ++row)
    if (row + k >= 0 && row + k < shape[1])
      out[static_cast<std::size_t>(row * shape[1] + row + k)] = 1;
  call.out(make.constant(eye.to(*dtype)));
}

/// a0 - a1 cos(2πn/N) + a2 cos(4πn/N), N being the size, or one less when not periodic.
void window(const OnnxCall& call, double a0, double a1, double a2) {
  Importer& make = call.make();
  const std::int64_t size = make.need_whole(call.in(0), "`size` of a window");
  const auto dtype = dtype_of(static_cast<int>(call.integer("output_datatype", 1)));
  if (make.failed()) return;
  if (size < 0 || !dtype) return call.fail(cat("a window of size ", size));
  if (!make.spend_budget(size)) return;
  const auto n = static_cast<double>(call.integer("periodic", 1) != 0 ? size : size - 1);
  Tensor values(DType::F64, {size});
  const auto out = values.mutable_data<double>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double angle = 2 * std::acos(-1.0) * static_cast<double>(i) / n;
    out[i] = a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle);
  }
  call.out(make.constant(values.to(*dtype)));
}

void import_hamming(const OnnxCall& call) {
  window(call, 25.0 / 46, 1 - 25.0 / 46, 0);
}
void import_blackman(const OnnxCall& call) {
  window(call, 0.42, 0.5, 0.08);
}

/// A condition known at import chooses the branch that becomes part of the network.
void import_if(const OnnxCall& call) {
  Importer& make = call.make();
  const double condition = make.need_real(call.in(0), "the condition of If");
  if (make.failed()) return;
  const auto* branch = call.find(condition != 0 ? "then_branch" : "else_branch");
  if (branch == nullptr) return call.fail("If without a branch");
  import_nodes(call.scope(), branch->g());
  if (make.failed()) return;
  if (branch->g().output_size() < static_cast<int>(call.outputs()))
    return call.fail("a branch of If makes fewer values than If");
  for (std::size_t i = 0; i < call.outputs(); ++i) {
    const std::string& name = branch->g().output(static_cast<int>(i)).name();
    const auto made = call.scope().names.find(name);
    if (made == call.scope().names.end())
      return call.fail(cat("nothing makes '", name, "' in a branch of If"));
    call.out(i, made->second);
  }
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"Shape", import_shape},
                      {"Size", import_size},
                      {"Constant", import_constant},
                      {"ConstantOfShape", import_constant_of_shape},
                      {"Range", import_range},
                      {"EyeLike", import_eye_like},
                      {"HannWindow", [](const OnnxCall& call) { window(call, 0.5, 0.5, 0); }},
                      {"HammingWindow", import_hamming},
                      {"BlackmanWindow", import_blackman},
                      {"If", import_if, "", {"then_branch", "else_branch"}}}};
}

}  // namespace chop::onnx::defs::shape
