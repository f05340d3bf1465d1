// What an importer knows: constants, folded by each op's own reference forward.
#include "onnx/importer.hpp"

#include "formats/quantiser.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

constexpr std::int64_t kMostFolded = std::int64_t{1} << 26;  // elements of a folded constant

bool can_be_folded(const Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t dim : shape)
    if (dim < 0 || __builtin_mul_overflow(size, std::max<std::int64_t>(dim, 1), &size) ||
        size > kMostFolded)
      return false;
  return true;
}

/// The op's reference forward on constants, back in the types it infers.
Result<std::vector<Tensor>> evaluate(const OpDef& op, const Attrs& attrs,
                                     const std::vector<Tensor>& in) {
  std::vector<TensorType> types;
  std::vector<Tensor> wide;
  for (const Tensor& tensor : in) {
    types.push_back(tensor.type());
    wide.push_back(tensor.to(is_floating(tensor.dtype()) ? DType::F64 : DType::I64));
  }
  CH_TRY(const std::vector<TensorType> out, op.infer(TypedCall{{op, attrs}, types}));
  std::vector<const Tensor*> pointers;
  for (const Tensor& tensor : wide) pointers.push_back(&tensor);
  std::vector<Tensor> results;
  for (const TensorType& type : out) {
    if (!can_be_folded(type.shape))
      return Error{.what = cat("a constant would have the shape ", to_string(type.shape))};
    results.emplace_back(is_floating(type.dtype) ? DType::F64 : DType::I64, type.shape);
  }
  op.forward({{op, attrs}, "constant", {}, pointers, results, out});
  for (std::size_t i = 0; i < out.size(); ++i) results[i] = results[i].to(out[i].dtype);
  return results;
}

}  // namespace

bool Importer::is_known(Operand x) {
  if (failed() || x == kNone) return false;
  settle(x);
  return !failed() && item(x).known.has_value();
}

const Known& Importer::known(Operand x, std::string_view what) {
  static const Known kNothing{Tensor(DType::I64, {0})};
  if (failed()) return kNothing;
  if (is_known(x)) {
    if (!item(x).format) return *item(x).known;
    const Operand plain = call("identity", {x});
    return failed() ? kNothing : *item(plain).known;
  }
  if (failed()) return kNothing;
  wanted_ = item(x).inputs;
  fail({.what = cat(what, " depends on the input data"),
        .hint = "a network is compiled for known shapes, so this must be a constant of the file"});
  return kNothing;
}

const Tensor& Importer::need(Operand x, std::string_view what) {
  const Known& both = known(x, what);
  if (!failed() && !both.is_fixed())
    fail({.what = cat(what, " depends on the batch size"),
          .hint = "export the network for one batch size"});
  return both.at[0];
}

Ints Importer::need_ints(Operand x, std::string_view what) {
  const Tensor whole = need(x, what).to(DType::I64);
  const auto values = whole.data<std::int64_t>();
  return {values.begin(), values.end()};
}

double Importer::need_real(Operand x, std::string_view what) {
  const Tensor& tensor = need(x, what);
  if (failed()) return 0;
  if (tensor.size() != 1) {
    fail({.what = cat(what, " has ", tensor.size(), " elements, not one")});
    return 0;
  }
  return tensor.at(0);
}

Tensor Importer::through_format(Operand x, std::size_t batch) {
  const Item& it = item(x);
  const Tensor& tensor = it.known->at.at(batch);
  if (!it.format) return tensor;
  Result<Tensor> result = quantise(*it.format, tensor.to(DType::F32));
  if (result) return std::move(result).value();
  fail(std::move(result).error());
  return tensor;
}

std::optional<std::vector<Operand>> Importer::folded(const OpDef& op,
                                                     const std::vector<Operand>& in,
                                                     const Attrs& attrs) {
  std::array<std::vector<Tensor>, 2> results;
  bool same = true;
  for (const Operand x : in) same = same && item(x).known->is_fixed();
  for (std::size_t b = 0; b < (same ? 1 : 2); ++b) {
    std::vector<Tensor> tensors;
    for (const Operand x : in) tensors.push_back(through_format(x, b));
    if (failed()) return std::nullopt;
    Result<std::vector<Tensor>> made = evaluate(op, attrs, tensors);
    if (!made) {
      fail(std::move(made).error());
      return std::nullopt;
    }
    results.at(b) = std::move(made).value();
  }
  if (same) results[1] = results[0];
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < results[0].size(); ++i)
    operands.push_back(constant(Known(results[0][i], results[1][i])));
  return operands;
}

}  // namespace chop
