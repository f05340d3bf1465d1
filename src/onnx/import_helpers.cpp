#include "onnx/import_helpers.hpp"

#include "formats/quantiser.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

/// "features.0" of the parameter "features.0.weight"; else the node's own name.
std::string target_of(const Importer& make, const LayerParams& params) {
  for (const auto& [param, operand] : params) {
    const std::string& name = make.name_of(operand);
    for (const std::string_view ending : {".", "_", "/"}) {
      const std::string tail = cat(ending, param);
      if (name.size() > tail.size() && name.ends_with(tail))
        return name.substr(0, name.size() - tail.size());
    }
  }
  return make.node_name();
}

}  // namespace

ImportValue layer(const OnnxCall& call, std::string_view op, ImportValue x, Attrs attrs,
                  const LayerParams& params) {
  Importer& make = call.make();
  bool all_constant = true;
  for (const auto& [name, operand] : params)
    all_constant = make.is_constant(operand) && all_constant;
  if (make.failed()) return kNone;
  if (!all_constant || make.is_constant(x)) {
    std::vector<ImportValue> operands = {x};
    for (const auto& [name, operand] : params) operands.push_back(operand);
    return make.call(op, std::move(operands), std::move(attrs));
  }
  std::map<std::string, Tensor> tensors;
  std::map<std::string, NumberFormat> formats;
  for (const auto& [name, operand] : params) {
    tensors.emplace(name, make.need(make.without_format(operand), cat("`", name, "`")));
    if (make.format(operand)) formats.emplace(name, *make.format(operand));
  }
  return make.module(op, target_of(make, params), {x}, std::move(attrs), std::move(tensors),
                     std::move(formats));
}

bool is_uniform(const NumberFormat& format) {
  const Result<Quantiser> quantiser = Quantiser::make(format, {2, 2, 2});
  return quantiser && quantiser.value().is_elementwise();
}

ImportValue reshaped(Importer& make, ImportValue x, Shape shape) {
  return make.call("reshape", {x}, {{"shape", Ints(std::move(shape))}});
}

ImportValue permuted(Importer& make, ImportValue x, Ints order) {
  return make.call("permute", {x}, {{"dims", std::move(order)}});
}

ImportValue cast(Importer& make, ImportValue x, DType dtype) {
  if (make.failed() || make.dtype(x) == dtype) return x;
  return make.call("cast", {x}, {{"dtype", std::string(name_of(dtype))}});
}

ImportValue with_number(Importer& make, std::string_view op, ImportValue x, double number) {
  if (make.failed()) return kNone;
  if (make.dtype(x) == DType::F32) return make.call(op, {x}, {{"other", number}});
  return make.call(op, {x, make.constant(Tensor::scalar(number, make.dtype(x)))});
}

ImportValue whole_numbers(Importer& make, const Ints& values) {
  return make.constant(
      Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}

bool fits_window(const Ints& list, std::size_t count, std::int64_t least) {
  return list.size() == count && std::all_of(list.begin(), list.end(), [least](std::int64_t n) {
           return n >= least && n <= kMostWindow;
         });
}

bool check_window(const OnnxCall& call, std::initializer_list<Ints> lists, std::size_t dims) {
  const bool fits = std::all_of(lists.begin(), lists.end(),
                                [dims](const Ints& list) { return fits_window(list, dims, 1); });
  if (!fits)
    call.fail(cat(call.op_type(), ": strides, dilations and kernel_shape need ", dims,
                  " numbers from 1 to ", kMostWindow));
  return fits;
}

Padding padding_of(const OnnxCall& call, const Ints& dims, const Ints& kernel, const Ints& stride,
                   const Ints& dilation) {
  const std::size_t n = dims.size();
  const std::string kind = call.text("auto_pad", "NOTSET");
  const Ints pads = call.ints("pads", Ints(2 * n, 0));
  Padding padding{Ints(n, 0), Ints(n, 0)};
  if (kind == "NOTSET") {
    if (!fits_window(pads, 2 * n, -kMostWindow)) {
      call.fail(cat(call.op_type(), ": pads ", to_string(pads), " are not ", 2 * n,
                    " numbers of up to ", kMostWindow));
      return padding;
    }
    std::copy_n(pads.begin(), n, padding.begin.begin());
    std::copy_n(pads.begin() + static_cast<std::ptrdiff_t>(n), n, padding.end.begin());
    return padding;
  }
  if (kind != "SAME_UPPER" && kind != "SAME_LOWER") {
    if (kind != "VALID") call.fail(cat(call.op_type(), ": auto_pad '", kind, "'"));
    return padding;
  }
  for (std::size_t d = 0; d < n; ++d) {
    const std::int64_t positions = (dims[d] + stride[d] - 1) / stride[d];
    const std::int64_t reach = (kernel[d] - 1) * dilation[d] + 1;
    const std::int64_t total =
        std::max<std::int64_t>(0, (positions - 1) * stride[d] + reach - dims[d]);
    padding.begin[d] = kind == "SAME_UPPER" ? total / 2 : total - total / 2;
    padding.end[d] = total - padding.begin[d];
  }
  return padding;
}

ImportValue padded(Importer& make, ImportValue x, const Padding& padding, double value) {
  const std::size_t rank = make.rank(x);
  const std::size_t n = padding.begin.size();
  if (make.failed() || rank < n) return x;
  Ints pads(2 * rank, 0);
  std::copy_n(padding.begin.begin(), n, pads.begin() + static_cast<std::ptrdiff_t>(rank - n));
  std::copy_n(padding.end.begin(), n, pads.end() - static_cast<std::ptrdiff_t>(n));
  return make.call("pad", {x}, {{"pads", std::move(pads)}, {"value", value}});
}

}  // namespace chop::onnx
