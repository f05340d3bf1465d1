// oneDNN's convolution primitives for training, with their reorders.
//
// A primitive is made for layouts of its own choice, such as blocks of 16 channels (nChw16c) with
// AVX-512. Around it stand reorders from and to the dense tensors of the graph, left out where the
// choice is the dense layout.
#include "runtime/conv/train/conv_primitive.hpp"

#include <unordered_map>

#include "runtime/onednn.hpp"

namespace chop::runtime {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Conv = ops::ConvShape;
using Args = std::unordered_map<int, memory>;

memory at(const memory::desc& desc, const void* data) {
  return {desc, onednn_engine(), const_cast<void*>(data)};
}

/// On this thread alone. oneDNN throws where we assert: what was made, runs.
void execute(const dnnl::primitive& primitive, Args& args, const memory::desc& scratchpad,
             std::byte* scratch) {
  if (scratchpad.get_size() > 0) args.emplace(DNNL_ARG_SCRATCHPAD, at(scratchpad, scratch));
  try {
    primitive.execute(onednn_stream(), args);
  } catch (const dnnl::error&) {
    assert(false && "oneDNN failed to run what it had agreed to");
  }
}

/// The tensors of a convolution over n images, dense or in whatever layout oneDNN prefers.
struct Tensors {
  memory::desc x, w, b, y;
};

Tensors tensors(const Conv& c, std::int64_t n, bool dense) {
  using FormatTag = memory::format_tag;
  const auto desc = [](const Dims& dims, FormatTag tag) {
    return memory::desc(dims, memory::data_type::f32, tag);
  };
  const ops::Window& w = c.window;
  const Dims grouped = {c.groups, c.group_out(), c.group_in(), w.kernel.h, w.kernel.w};
  const Dims plain = {c.out_channels, c.in_channels, w.kernel.h, w.kernel.w};
  return {desc({n, c.in_channels, w.in.h, w.in.w}, dense ? FormatTag::nchw : FormatTag::any),
          c.groups > 1 ? desc(grouped, dense ? FormatTag::goihw : FormatTag::any)
                       : desc(plain, dense ? FormatTag::oihw : FormatTag::any),
          desc({c.out_channels}, FormatTag::a),
          desc({n, c.out_channels, w.out.h, w.out.w}, dense ? FormatTag::nchw : FormatTag::any)};
}

Tensors preferred_tensors(const Conv& c, std::int64_t n, const memory::desc* weights) {
  Tensors t = tensors(c, n, false);
  if (weights != nullptr) t.w = *weights;
  return t;
}

/// Strides, dilations and padding as oneDNN wants them.
struct Geometry {
  Dims strides, dilates, padding;

  explicit Geometry(const ops::Window& w)
      : strides{w.stride.h, w.stride.w},
        dilates{w.dilation.h - 1, w.dilation.w - 1},
        padding{w.padding.h, w.padding.w} {}
};

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

dnnl::convolution_forward::primitive_desc forward_desc(const Conv& c, const Tensors& t, bool bias) {
  const Geometry g(c.window);
  return describe_primitive<dnnl::convolution_forward>(
      onednn_engine(), onednn_attributes(), dnnl::prop_kind::forward_training, kDirect, t.x, t.w,
      bias ? t.b : memory::desc(), t.y, g.strides, g.dilates, g.padding, g.padding);
}

/// A gradient's description: primitives of both gradients are described alike.
template <class Gradient>
typename Gradient::primitive_desc gradient_desc(const Conv& conv, std::int64_t images,
                                                const memory::desc* weights) {
  const Tensors t = preferred_tensors(conv, images, weights);
  const Geometry g(conv.window);
  return describe_gradient<Gradient>(
      onednn_engine(), onednn_attributes(), forward_desc(conv, tensors(conv, images, false), false),
      kDirect, t.x, t.w, t.y, g.strides, g.dilates, g.padding, g.padding);
}

Reordered make_reorder(const memory::desc& from, const memory::desc& to, bool is_operand) {
  const memory::desc& dense = is_operand ? from : to;
  const memory::desc& preferred = is_operand ? to : from;
  if (dense == preferred) return {dense, preferred, {}, {}, is_operand};
  const dnnl::reorder::primitive_desc pd(onednn_engine(), from, onednn_engine(), to,
                                         onednn_attributes());
  return {dense, preferred, pd.scratchpad_desc(), dnnl::reorder(pd), is_operand};
}
Reordered operand(const memory::desc& dense, const memory::desc& preferred) {
  return make_reorder(dense, preferred, true);
}
Reordered result(const memory::desc& preferred, const memory::desc& dense) {
  return make_reorder(preferred, dense, false);
}

/// What `make` makes; none where oneDNN throws.
template <class Make>
MadePrimitive try_to(Make make) {
  try {
    return make();
  } catch (const dnnl::error&) {
    return {};
  }
}

}  // namespace

void Reordered::run(const void* from, void* to, std::byte* scratch) const {
  Args args = {{DNNL_ARG_FROM, at(is_operand ? dense : preferred, from)},
               {DNNL_ARG_TO, at(is_operand ? preferred : dense, to)}};
  execute(reorder, args, scratchpad, scratch);
}

std::size_t ConvPrimitive::scratch_bytes() const {
  return std::max({scratchpad.get_size(), a.scratchpad.get_size(), b.scratchpad.get_size(),
                   c.scratchpad.get_size()});
}

void ConvPrimitive::run(const void* a_data, const void* b_data, const float* bias_data,
                        void* c_data, std::byte* scratch) const {
  Args args = {{a_role, at(a.preferred, a_data)},
               {b_role, at(b.preferred, b_data)},
               {c_role, at(c.preferred, c_data)}};
  if (bias_data != nullptr) args.emplace(DNNL_ARG_BIAS, at(bias, bias_data));
  execute(primitive, args, scratchpad, scratch);
}

MadePrimitive forward_primitive(const Conv& conv, std::int64_t images, bool bias,
                                const memory::desc* weights) {
  return try_to([&]() -> ConvPrimitive {
    const Tensors dense = tensors(conv, images, true);
    const auto pd = forward_desc(conv, preferred_tensors(conv, images, weights), bias);
    return {.primitive = dnnl::convolution_forward(pd),
            .scratchpad = pd.scratchpad_desc(),
            .bias = dense.b,
            .a = operand(dense.x, pd.src_desc()),
            .b = operand(dense.w, pd.weights_desc()),
            .c = result(pd.dst_desc(), dense.y),
            .a_role = DNNL_ARG_SRC,
            .b_role = DNNL_ARG_WEIGHTS,
            .c_role = DNNL_ARG_DST};
  });
}

MadePrimitive to_input_primitive(const Conv& conv, std::int64_t images,
                                 const memory::desc* weights) {
  return try_to([&]() -> ConvPrimitive {
    const Tensors dense = tensors(conv, images, true);
    const auto pd = gradient_desc<dnnl::convolution_backward_data>(conv, images, weights);
    return {.primitive = dnnl::convolution_backward_data(pd),
            .scratchpad = pd.scratchpad_desc(),
            .bias = {},
            .a = operand(dense.y, pd.diff_dst_desc()),
            .b = operand(dense.w, pd.weights_desc()),
            .c = result(pd.diff_src_desc(), dense.x),
            .a_role = DNNL_ARG_DIFF_DST,
            .b_role = DNNL_ARG_WEIGHTS,
            .c_role = DNNL_ARG_DIFF_SRC};
  });
}

MadePrimitive to_weight_primitive(const Conv& conv, std::int64_t images,
                                  const memory::desc* weights) {
  return try_to([&]() -> ConvPrimitive {
    const Tensors dense = tensors(conv, images, true);
    const auto pd = gradient_desc<dnnl::convolution_backward_weights>(conv, images, weights);
    return {.primitive = dnnl::convolution_backward_weights(pd),
            .scratchpad = pd.scratchpad_desc(),
            .bias = {},
            .a = operand(dense.y, pd.diff_dst_desc()),
            .b = operand(dense.x, pd.src_desc()),
            .c = result(pd.diff_weights_desc(), dense.w),
            .a_role = DNNL_ARG_DIFF_DST,
            .b_role = DNNL_ARG_SRC,
            .c_role = DNNL_ARG_DIFF_WEIGHTS};
  });
}

}  // namespace chop::runtime
