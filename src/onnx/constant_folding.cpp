// Constant folding at import: a call whose operands are all constants is replaced by its result,
// which the op's own reference forward computes. Values that depend on the batch size, such as
// Shape, are folded at two batch sizes; where both results are equal the value does not depend on
// the batch.
//
//   Shape(x)       of x [batch, 3, 8, 8]      {2, 3, 8, 8} and {3, 3, 8, 8}
//   Gather(.., 0)                             {2}          and {3}
//   Concat(.., -1)                            {2, -1}      and {3, -1}: reshape to [batch, -1]
//
// A small file must not ask for gigabytes or hours: elements and operations are limited by a budget
// that grows with the elements the file itself holds.
#include "formats/quantiser.hpp"
#include "onnx/importer.hpp"
#include "ops/core/check_indices.hpp"
#include "ops/core/operand_count.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

/// How much the budget grows with one element of the file.
constexpr std::int64_t kElementsPerElement = 8;
constexpr std::int64_t kWorkPerElement = 64;

/// The result types and the cost of folding a call.
struct Folding {
  std::vector<TensorType> out;
  std::int64_t elements = 0;
  std::int64_t work = 0;
};

Result<Folding> fold_types(const OpDef& op, const Attrs& attrs, const std::vector<Tensor>& in) {
  CH_CHECK(check_operand_count({op, attrs}, in.size()));
  Folding folding;
  std::vector<TensorType> types;
  for (const Tensor& tensor : in) types.push_back(tensor.type());
  CH_TRY(folding.out, op.infer(TypedCall{{op, attrs}, types}));
  for (const TensorType& type : folding.out) {
    if (!is_possible(type.shape))
      return Error{.what = cat("a constant would have the shape ", to_string(type.shape))};
    folding.elements += numel(type.shape);
  }
  const Cost cost = op.cost != nullptr ? op.cost({{{op, attrs}, types}, folding.out}) : Cost{};
  folding.work = std::max(cost.macs, cost.exact) + folding.elements;
  for (const TensorType& type : types) folding.work += numel(type.shape);
  return folding;
}

/// The op's reference forward on constants, back in the types it infers.
std::vector<Tensor> evaluate(const OpDef& op, const Attrs& attrs, const std::vector<Tensor>& in,
                             const std::vector<TensorType>& out) {
  std::vector<Tensor> wide;
  for (const Tensor& tensor : in)
    wide.push_back(tensor.to(is_floating(tensor.dtype()) ? DType::F64 : DType::I64));
  std::vector<const Tensor*> pointers;
  for (const Tensor& tensor : wide) pointers.push_back(&tensor);
  std::vector<Tensor> results;
  for (const TensorType& type : out)
    results.emplace_back(is_floating(type.dtype) ? DType::F64 : DType::I64, type.shape);
  op.forward({{op, attrs}, "constant", {}, pointers, results, out});
  for (std::size_t i = 0; i < out.size(); ++i) results[i] = results[i].to(out[i].dtype);
  return results;
}

}  // namespace

bool Importer::is_constant(ImportValue x) {
  if (failed() || x == kNone) return false;
  force(x);
  return !failed() && item(x).constant.has_value();
}

const Constant& Importer::constant_of(ImportValue x, std::string_view what) {
  static const Constant kNothing{Tensor(DType::I64, {0})};
  if (failed()) return kNothing;
  if (is_constant(x)) {
    if (!item(x).format) return *item(x).constant;
    const ImportValue plain = call("identity", {x});
    return failed() ? kNothing : *item(plain).constant;
  }
  if (failed()) return kNothing;
  wanted_ = inputs_of(x);
  fail({.what = cat(what, " depends on the input data"),
        .hint = "a network is compiled for known shapes, so this must be a constant of the file"});
  return kNothing;
}

const Tensor& Importer::need(ImportValue x, std::string_view what) {
  const Constant& both = constant_of(x, what);
  if (!failed() && !both.is_fixed())
    fail({.what = cat(what, " depends on the batch size"),
          .hint = "export the network for one batch size"});
  return both.at[0];
}

Ints Importer::need_ints(ImportValue x, std::string_view what) {
  const Tensor whole = need(x, what).to(DType::I64);
  const auto values = whole.data<std::int64_t>();
  return {values.begin(), values.end()};
}

double Importer::need_real(ImportValue x, std::string_view what) {
  const Tensor& tensor = need(x, what);
  if (failed()) return 0;
  if (tensor.size() != 1) {
    fail({.what = cat(what, " has ", tensor.size(), " elements instead of one")});
    return 0;
  }
  return tensor.at(0);
}

std::int64_t Importer::need_whole(ImportValue x, std::string_view what) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  const double value = need_real(x, what);
  if (failed() || (value == std::trunc(value) && std::abs(value) <= kMost))
    return static_cast<std::int64_t>(value);
  fail({.what = cat(what, " is ", value, ", not a whole number to count with")});
  return 0;
}

void Importer::add_budget(std::int64_t elements) {
  elements_ += elements * kElementsPerElement;
  work_ += elements * kWorkPerElement;
}

bool Importer::spend_budget(std::int64_t elements, std::int64_t work) {
  if (failed()) return false;
  elements_ -= elements;
  work_ -= work;
  if (elements_ >= 0 && work_ >= 0) return true;
  fail({.what = elements_ < 0 ? cat("constants of ", with_commas(elements),
                                    " more elements would have to be made")
                              : cat("constants would take ", with_commas(work),
                                    " more operations to work out"),
        .hint = "that is too much for a file of this size; work its constants out before"});
  return false;
}

Tensor Importer::through_format(ImportValue x, std::size_t batch) {
  const Item& it = item(x);
  const Tensor& tensor = it.constant->at.at(batch);
  if (!it.format) return tensor;
  Result<Tensor> result = quantise(*it.format, tensor.to(DType::F32));
  if (result) return std::move(result).value();
  fail(std::move(result).error());
  return tensor;
}

std::optional<std::vector<ImportValue>> Importer::fold_constants(const OpDef& op,
                                                                 const std::vector<ImportValue>& in,
                                                                 const Attrs& attrs) {
  std::array<std::vector<Tensor>, 2> results;
  bool same = true;
  for (const ImportValue x : in) same = same && item(x).constant->is_fixed();
  for (std::size_t b = 0; b < (same ? 1 : 2); ++b) {
    std::vector<Tensor> tensors;
    for (const ImportValue x : in) tensors.push_back(through_format(x, b));
    if (failed()) return std::nullopt;
    const Result<Folding> folding = fold_types(op, attrs, tensors);
    if (!folding) {
      fail(folding.error());
      return std::nullopt;
    }
    if (!spend_budget(folding.value().elements, folding.value().work)) return std::nullopt;
    std::vector<const Tensor*> operands;
    std::vector<TensorType> types;
    for (const Tensor& tensor : tensors) {
      operands.push_back(&tensor);
      types.push_back(tensor.type());
    }
    if (Status status = check_indices({{op, attrs}, types}, "constant", operands); !status) {
      fail(std::move(status).error());
      return std::nullopt;
    }
    results.at(b) = evaluate(op, attrs, tensors, folding.value().out);
  }
  if (same) results[1] = results[0];
  std::vector<ImportValue> operands;
  for (std::size_t i = 0; i < results[0].size(); ++i)
    operands.push_back(constant(Constant(results[0][i], results[1][i])));
  return operands;
}

}  // namespace chop::onnx
