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

/// A convolution over n images, or over a patch of each.
struct Job {
  const Conv& conv;
  std::int64_t n;
  ConvPatch patch;
  InputPart input = input_of(conv.window, patch);

  Job(const Conv& c, std::int64_t images) : Job(c, images, all_of(c)) {}
  Job(const Conv& c, std::int64_t images, const ConvPatch& part)
      : conv(c), n(images), patch(part) {}

  static ConvPatch all_of(const Conv& c) {
    return {.rows = c.window.out.h, .columns = c.window.out.w};
  }
};

/// Its tensors, as they lie in memory or in whatever layout oneDNN prefers.
struct Tensors {
  memory::desc x, w, b, y;
};

/// Images of which `rows` x `columns` are read; null: in the layout that oneDNN prefers.
memory::desc images_desc(std::int64_t n, std::int64_t channels, std::int64_t rows,
                         std::int64_t columns, const ops::Extent* whole) {
  const Dims dims = {n, channels, rows, columns};
  if (whole == nullptr) return {dims, memory::data_type::f32, memory::format_tag::any};
  if (rows == whole->h && columns == whole->w)
    return {dims, memory::data_type::f32, memory::format_tag::nchw};
  return {dims, memory::data_type::f32, Dims{channels * whole->area(), whole->area(), whole->w, 1}};
}

Tensors tensors(const Job& job, bool dense) {
  using FormatTag = memory::format_tag;
  const auto desc = [](const Dims& dims, FormatTag tag) {
    return memory::desc(dims, memory::data_type::f32, tag);
  };
  const Conv& c = job.conv;
  const ops::Window& w = c.window;
  const Dims grouped = {c.groups, c.group_out(), c.group_in(), w.kernel.h, w.kernel.w};
  const Dims plain = {c.out_channels, c.in_channels, w.kernel.h, w.kernel.w};
  return {images_desc(job.n, c.in_channels, job.input.rows.size, job.input.columns.size,
                      dense ? &w.in : nullptr),
          c.groups > 1 ? desc(grouped, dense ? FormatTag::goihw : FormatTag::any)
                       : desc(plain, dense ? FormatTag::oihw : FormatTag::any),
          desc({c.out_channels}, FormatTag::a),
          images_desc(job.n, c.out_channels, job.patch.rows, job.patch.columns,
                      dense ? &w.out : nullptr)};
}

Tensors preferred_tensors(const Job& job, const memory::desc* weights) {
  Tensors t = tensors(job, false);
  if (weights != nullptr) t.w = *weights;
  return t;
}

/// Strides, dilations and padding as oneDNN wants them.
struct Geometry {
  Dims strides, dilates, before, after;

  explicit Geometry(const Job& job)
      : strides{job.conv.window.stride.h, job.conv.window.stride.w},
        dilates{job.conv.window.dilation.h - 1, job.conv.window.dilation.w - 1},
        before{job.input.rows.before, job.input.columns.before},
        after{job.input.rows.after, job.input.columns.after} {}
};

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

dnnl::convolution_forward::primitive_desc forward_desc(const Job& job, const Tensors& t,
                                                       bool bias) {
  const Geometry g(job);
  return describe_primitive<dnnl::convolution_forward>(
      onednn_engine(), onednn_attributes(), dnnl::prop_kind::forward_training, kDirect, t.x, t.w,
      bias ? t.b : memory::desc(), t.y, g.strides, g.dilates, g.before, g.after);
}

/// A gradient's description: primitives of both gradients are described alike.
template <class Gradient>
typename Gradient::primitive_desc gradient_desc(const Job& job, const memory::desc* weights) {
  const Tensors t = preferred_tensors(job, weights);
  const Geometry g(job);
  return describe_gradient<Gradient>(onednn_engine(), onednn_attributes(),
                                     forward_desc(job, tensors(job, false), false), kDirect, t.x,
                                     t.w, t.y, g.strides, g.dilates, g.before, g.after);
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

/// What windows over [first, last) read of an axis of `size` elements.
InputAxis input_along(std::int64_t first, std::int64_t last, std::int64_t size) {
  const std::int64_t begin = std::clamp<std::int64_t>(first, 0, size);
  const std::int64_t end = std::clamp<std::int64_t>(last, 0, size);
  return {begin, end - begin, begin - first, last - end};
}

}  // namespace

InputPart input_of(const ops::Window& w, const ConvPatch& at) {
  InputPart input{
      input_along(w.row(at.row, 0), w.row(at.row + at.rows - 1, w.kernel.h - 1) + 1, w.in.h),
      input_along(w.column(at.column, 0), w.column(at.column + at.columns - 1, w.kernel.w - 1) + 1,
                  w.in.w)};
  // Whole axes go to their end, also beyond what the last window reaches: so images are dense.
  if (at.rows == w.out.h) input.rows = {0, w.in.h, w.padding.h, w.padding.h};
  if (at.columns == w.out.w) input.columns = {0, w.in.w, w.padding.w, w.padding.w};
  return input;
}

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
    const Job job(conv, images);
    const Tensors dense = tensors(job, true);
    const auto pd = forward_desc(job, preferred_tensors(job, weights), bias);
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
    const Job job(conv, images);
    const Tensors dense = tensors(job, true);
    const auto pd = gradient_desc<dnnl::convolution_backward_data>(job, weights);
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

MadePrimitive to_weight_primitive(const Conv& conv, std::int64_t images, const ConvPatch& patch,
                                  const memory::desc* weights) {
  return try_to([&]() -> ConvPrimitive {
    const Job job(conv, images, patch);
    const Tensors dense = tensors(job, true);
    const auto pd = gradient_desc<dnnl::convolution_backward_weights>(job, weights);
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
