// Conv and ConvTranspose in one to three dimensions.
#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::conv {
namespace {

struct Window {
  std::size_t dims = 0;
  Ints kernel, stride, dilation, image;
};

/// Whether x and w can be operands of a convolution, and its window.
bool window_of(const OnnxCall& call, Window& window) {
  Importer& make = call.make();
  const Shape x = make.shape(call.in(0));
  const Shape w = make.shape(call.in(1));
  if (make.failed()) return false;
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size()) {
    call.fail(cat(call.op_type(), " of ", to_string(x), " with a kernel of ", to_string(w)),
              "one to three spatial dimensions can be convolved");
    return false;
  }
  window.dims = x.size() - 2;
  window.image.assign(x.begin() + 2, x.end());
  window.kernel = call.ints("kernel_shape", Ints(w.begin() + 2, w.end()));
  window.stride = call.ints("strides", Ints(window.dims, 1));
  window.dilation = call.ints("dilations", Ints(window.dims, 1));
  if (!check_window(call, {window.kernel, window.stride, window.dilation}, window.dims))
    return false;
  if (window.kernel != Ints(w.begin() + 2, w.end())) {
    call.fail(cat(call.op_type(), ": kernel_shape ", to_string(window.kernel),
                  " does not fit the kernel ", to_string(w)));
    return false;
  }
  return true;
}

/// Groups of channels, of which there are `channels`.
std::int64_t groups_of(const OnnxCall& call, std::int64_t channels) {
  const std::int64_t groups = call.integer("group", 1);
  if (groups >= 1 && groups <= std::max<std::int64_t>(channels, 1)) return groups;
  call.fail(cat(call.op_type(), " of ", channels, " channels in ", groups, " groups"));
  return 1;
}

LayerParams params_of(const OnnxCall& call) {
  LayerParams params = {{"weight", call.in(1)}};
  if (call.has(2)) params.emplace_back("bias", call.in(2));
  return params;
}

void import_conv(const OnnxCall& call) {
  Importer& make = call.make();
  Window window;
  if (!window_of(call, window)) return;
  const Padding padding =
      padding_of(call, window.image, window.kernel, window.stride, window.dilation);
  if (make.failed()) return;
  ImportValue x = call.in(0);
  Ints symmetric = padding.begin;
  const bool negative =
      std::any_of(symmetric.begin(), symmetric.end(), [](auto n) { return n < 0; });
  if (!padding.is_symmetric() || negative) {
    x = padded(make, x, padding, 0.0);
    symmetric.assign(window.dims, 0);
  }
  if (make.failed()) return;
  const Shape w = make.shape(call.in(1));
  if (make.failed()) return;
  const std::int64_t groups = groups_of(call, w[0]);
  Attrs attrs = {{"in_channels", w[1] * groups},
                 {"out_channels", w[0]},
                 {"kernel_size", window.kernel},
                 {"stride", window.stride},
                 {"padding", symmetric},
                 {"dilation", window.dilation},
                 {"groups", groups},
                 {"bias", call.has(2)}};
  call.out(layer(call, cat("conv", window.dims, "d"), x, std::move(attrs), params_of(call)));
}

/// What a transposed convolution makes without padding, per dimension.
std::int64_t full_size(const Window& window, std::size_t d) {
  return (window.image[d] - 1) * window.stride[d] + (window.kernel[d] - 1) * window.dilation[d] + 1;
}

/// What padding takes away at both ends of the full result.
Padding crop_of(const OnnxCall& call, const Window& window, const Ints& extra, const Ints& wanted) {
  const std::string kind = call.text("auto_pad", "NOTSET");
  if (wanted.empty() && kind != "SAME_UPPER" && kind != "SAME_LOWER")
    return padding_of(call, window.image, window.kernel, window.stride, window.dilation);
  Padding crop{Ints(window.dims, 0), Ints(window.dims, 0)};
  for (std::size_t d = 0; d < window.dims; ++d) {
    const std::int64_t size = wanted.empty() ? window.image[d] * window.stride[d]
                                             : wanted[wanted.size() - window.dims + d];
    const std::int64_t total = full_size(window, d) + extra[d] - size;
    const std::int64_t half = (total - (total < 0 ? 1 : 0)) / 2;  // toward minus infinity
    crop.begin[d] = kind == "SAME_UPPER" ? half : total - half;
    crop.end[d] = total - crop.begin[d];
  }
  return crop;
}

void import_conv_transpose(const OnnxCall& call) {
  Importer& make = call.make();
  Window window;
  if (!window_of(call, window)) return;
  const Ints extra = call.ints("output_padding", Ints(window.dims, 0));
  const Ints wanted = call.ints("output_shape");
  if (!fits_window(extra, window.dims, 0) ||
      (!wanted.empty() && (wanted.size() < window.dims || !fits_window(wanted, wanted.size(), 0))))
    return call.fail(
        cat("ConvTranspose: output_padding and output_shape need ", window.dims, " numbers"));
  Padding crop = crop_of(call, window, extra, wanted);
  if (make.failed()) return;
  const Shape w = make.shape(call.in(1));
  if (make.failed()) return;
  const std::int64_t groups = groups_of(call, w[0]);
  Attrs attrs = {{"in_channels", w[0]},          {"out_channels", w[1] * groups},
                 {"kernel_size", window.kernel}, {"stride", window.stride},
                 {"dilation", window.dilation},  {"groups", groups},
                 {"bias", call.has(2)}};
  const std::string op = cat("conv_transpose", window.dims, "d");
  if (make.failed()) return;
  const bool plain = crop.is_symmetric() && std::all_of(crop.begin.begin(), crop.begin.end(),
                                                        [](auto n) { return n >= 0; });
  bool small_extra = true;  // the op adds at most what a stride or dilation leaves
  for (std::size_t d = 0; d < window.dims; ++d)
    small_extra = small_extra && extra[d] < std::max(window.stride[d], window.dilation[d]);
  if (plain && small_extra) {
    attrs["padding"] = crop.begin;
    attrs["output_padding"] = extra;
    return call.out(layer(call, op, call.in(0), std::move(attrs), params_of(call)));
  }
  const ImportValue full = layer(call, op, call.in(0), std::move(attrs), params_of(call));
  for (std::size_t d = 0; d < window.dims; ++d) {
    crop.begin[d] = -crop.begin[d];
    crop.end[d] = extra[d] - crop.end[d];
  }
  if (call.has(2) && std::any_of(crop.end.begin(), crop.end.end(), [](auto n) { return n > 0; }))
    return call.fail("ConvTranspose: an output_padding as large as the stride, with a bias");
  call.out(padded(make, full, crop, 0.0));
}

void write_layer(ExportCall& call, const char* op_type, bool transposed) {
  const std::size_t dims = call.shape(0).size() - 2;
  proto::NodeProto& node = call.add(op_type, call.operands());
  call.set(node, "kernel_shape", call.spread("kernel_size", dims));
  call.set(node, "strides", call.spread("stride", dims));
  call.set_pads(node, dims);
  if (transposed) call.set(node, "output_padding", call.spread("output_padding", dims));
  call.set(node, "dilations", call.spread("dilation", dims));
  call.set(node, "group", call.attr("groups"));
}
void write_conv(ExportCall& call) {
  write_layer(call, "Conv", /*transposed=*/false);
}
void write_conv_transpose(ExportCall& call) {
  write_layer(call, "ConvTranspose", /*transposed=*/true);
}

}  // namespace

OnnxFamily define() {
  return {
      .imports = {{"Conv", import_conv}, {"ConvTranspose", import_conv_transpose, "", {"pads"}}},
      .exports = {{"conv1d", write_conv},
                  {"conv2d", write_conv},
                  {"conv3d", write_conv},
                  {"conv_transpose1d", write_conv_transpose},
                  {"conv_transpose2d", write_conv_transpose},
                  {"conv_transpose3d", write_conv_transpose}}};
}

}  // namespace chop::onnx::defs::conv
