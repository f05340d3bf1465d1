// Pooling in one to three dimensions.

#include "onnx/export/export_call.hpp"
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::pool {
namespace {

struct Pool {
  std::size_t dims = 0;
  Ints kernel, stride, dilation, image;
  Padding padding;
  bool ceil = false;
};

enum class Dilated : std::uint8_t { No, Yes };

/// From the first element of a window to the last.
std::int64_t reach_of(const Pool& pool, std::size_t d) {
  return (pool.kernel[d] - 1) * pool.dilation[d] + 1;
}

/// What the image has beyond the first window, negative when that is larger.
std::int64_t room_of(const Pool& pool, std::size_t d) {
  return pool.image[d] + pool.padding.begin[d] + pool.padding.end[d] - reach_of(pool, d);
}

/// Along each dimension there is a window: in ceil mode it may hang over by less than a stride.
bool check_fit(const OnnxCall& call, const Pool& pool) {
  for (std::size_t d = 0; d < pool.dims; ++d) {
    if (room_of(pool, d) + (pool.ceil ? pool.stride[d] - 1 : 0) >= 0) continue;
    call.fail(cat(call.op_type(), ": a window of ", reach_of(pool, d), " does not fit ",
                  pool.image[d], " elements padded by ", pool.padding.begin[d], " and ",
                  pool.padding.end[d], " along spatial dimension ", d),
              "use a smaller kernel, less dilation or more padding");
    return false;
  }
  return true;
}

bool read(const OnnxCall& call, Dilated dilated, Pool& pool) {
  const Shape x = call.make().shape(call.in(0));
  if (call.make().failed()) return false;
  pool.kernel = call.ints("kernel_shape");
  pool.dims = pool.kernel.size();
  if (pool.dims < 1 || pool.dims > 3 || x.size() != pool.dims + 2) {
    call.fail(
        cat(call.op_type(), " of ", to_string(x), " with a window of ", to_string(pool.kernel)),
        "one to three spatial dimensions can be pooled");
    return false;
  }
  pool.image.assign(x.begin() + 2, x.end());
  pool.stride = call.ints("strides", Ints(pool.dims, 1));
  pool.dilation = Ints(pool.dims, 1);
  if (dilated == Dilated::Yes) pool.dilation = call.ints("dilations", pool.dilation);
  if (!check_window(call, {pool.kernel, pool.stride, pool.dilation}, pool.dims)) return false;
  pool.ceil = call.integer("ceil_mode", 0) != 0;
  pool.padding = padding_of(call, pool.image, pool.kernel, pool.stride, pool.dilation);
  return !call.make().failed() && check_fit(call, pool);
}

/// Our ops pad both ends alike, by at most half a window, and in ceil mode a window may not start
/// in the padding at the end; other cases are padded by a node of their own first.
bool is_plain(const Pool& pool) {
  for (std::size_t d = 0; d < pool.dims; ++d)
    if (pool.padding.begin[d] != pool.padding.end[d] || pool.padding.begin[d] < 0 ||
        2 * pool.padding.begin[d] > pool.kernel[d])
      return false;
  return true;
}

/// Output size along a dimension: how many windows there are, as ONNX counts them. A last window
/// that starts beyond the image and the padding before it is none.
std::int64_t window_count(const Pool& pool, std::size_t d) {
  const std::int64_t start = pool.image[d] + pool.padding.begin[d];
  const std::int64_t room = room_of(pool, d);
  if (!pool.ceil) return room / pool.stride[d] + 1;
  const std::int64_t count = (room + pool.stride[d] - 1) / pool.stride[d] + 1;
  return (count - 1) * pool.stride[d] >= start ? count - 1 : count;
}

/// The padding with which no window reaches beyond the end and, in ceil mode, no further one fits.
Padding complete(const Pool& pool) {
  Padding all = pool.padding;
  for (std::size_t d = 0; d < pool.dims; ++d) {
    const std::int64_t wanted = (window_count(pool, d) - 1) * pool.stride[d] + reach_of(pool, d);
    const std::int64_t missing = wanted - pool.image[d] - all.begin[d];
    all.end[d] = std::max(pool.ceil ? 0 : all.end[d], missing);
  }
  return all;
}

void import_max_pool(const OnnxCall& call) {
  Pool pool;
  if (!read(call, Dilated::Yes, pool)) return;
  if (call.wants(1)) return call.fail("MaxPool with its second result, the indices");
  Importer& make = call.make();
  ImportValue x = call.in(0);
  const DType dtype = make.dtype(x);
  if (!is_floating(dtype)) x = cast(make, x, DType::F32);
  Attrs attrs = {
      {"kernel_size", pool.kernel}, {"stride", pool.stride}, {"dilation", pool.dilation}};
  if (is_plain(pool) && !pool.ceil) {
    attrs["padding"] = pool.padding.begin;
  } else {
    x = padded(make, x, complete(pool), -std::numeric_limits<double>::infinity());
  }
  call.out(cast(make, make.call(cat("max_pool", pool.dims, "d"), {x}, std::move(attrs)), dtype));
}

/// How many elements of a window that begins at `first` are in [low, high).
std::int64_t taps_inside(const Pool& pool, std::size_t d, std::int64_t first, std::int64_t low,
                         std::int64_t high) {
  const std::int64_t step = pool.dilation[d];
  const auto before = [&](std::int64_t end) {  // elements before `end`
    return std::clamp<std::int64_t>((end - first + step - 1) / step, 0, pool.kernel[d]);
  };
  return (high > first ? before(high) : 0) - (low > first ? before(low) : 0);
}

/// How many elements of the image each window covers, as a constant [1, 1, windows...].
ImportValue covered(Importer& make, const Pool& pool, bool with_padding) {
  Shape shape = {1, 1};
  for (std::size_t d = 0; d < pool.dims; ++d) shape.push_back(window_count(pool, d));
  if (!is_possible(shape) || !make.spend_budget(numel(shape))) return kNone;
  Tensor counts = Tensor::full(shape, 1.0);
  const auto out = counts.mutable_data<float>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t rest = i;
    for (std::size_t d = pool.dims; d-- > 0;) {
      const auto size = static_cast<std::size_t>(shape[d + 2]);
      const auto at = static_cast<std::int64_t>(rest % size);
      rest /= size;
      const std::int64_t first = at * pool.stride[d] - pool.padding.begin[d];
      const std::int64_t low = with_padding ? -pool.padding.begin[d] : 0;
      const std::int64_t high = pool.image[d] + (with_padding ? pool.padding.end[d] : 0);
      const std::int64_t count = taps_inside(pool, d, first, low, high);
      out[i] *= static_cast<float>(std::max<std::int64_t>(count, 1));
    }
  }
  return make.constant(counts);
}

void import_average_pool(const OnnxCall& call) {
  Pool pool;
  if (!read(call, Dilated::No, pool)) return;
  Importer& make = call.make();
  const bool with_padding = call.integer("count_include_pad", 0) != 0;
  const std::string op = cat("avg_pool", pool.dims, "d");
  if (is_plain(pool) && !pool.ceil)
    return call.out(make.call(op, {call.in(0)},
                              {{"kernel_size", pool.kernel},
                               {"stride", pool.stride},
                               {"padding", pool.padding.begin},
                               {"count_include_pad", with_padding}}));
  // The mean over the whole window, corrected where part of it is padding.
  const ImportValue x = padded(make, call.in(0), complete(pool), 0.0);
  ImportValue y = make.call(op, {x}, {{"kernel_size", pool.kernel}, {"stride", pool.stride}});
  double area = 1;
  for (const std::int64_t taps : pool.kernel) area *= static_cast<double>(taps);
  if (make.failed()) return;
  const ImportValue counts = covered(make, pool, with_padding);
  if (counts == kNone) return call.fail("AveragePool whose windows hang over its input");
  call.out(make.call("div", {with_number(make, "mul", y, area), counts}));
}

/// All spatial dimensions at once.
Ints spatial(Importer& make, ImportValue x) {
  Ints dims;
  for (std::size_t d = 2; d < make.rank(x); ++d) dims.push_back(static_cast<std::int64_t>(d));
  return dims;
}

void import_global_average_pool(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  if (make.rank(x) == 4)
    return call.out(make.call("adaptive_avg_pool2d", {x}, {{"output_size", Ints{1}}}));
  call.out(make.call("mean", {x}, {{"dim", spatial(make, x)}, {"keepdim", true}}));
}

void import_global_max_pool(const OnnxCall& call) {
  Importer& make = call.make();
  const ImportValue x = call.in(0);
  if (make.failed()) return;
  call.out(make.call("amax", {x}, {{"dim", spatial(make, x)}, {"keepdim", true}}));
}

proto::NodeProto& write_window(ExportCall& call, const char* op_type, std::size_t dims) {
  proto::NodeProto& node = call.add(op_type, call.inputs());
  const Ints kernel = call.spread("kernel_size", dims);
  ExportCall::set(node, "kernel_shape", kernel);
  ExportCall::set(node, "strides",
                  call.ints("stride").empty() ? kernel : call.spread("stride", dims));
  call.set_pads(node, dims);
  return node;
}

void write_max_pool(ExportCall& call) {
  const std::size_t dims = call.shape(0).size() - 2;
  if (call.flag("ceil_mode")) return call.fail("max pooling with ceil_mode");
  proto::NodeProto& node = write_window(call, "MaxPool", dims);
  ExportCall::set(node, "dilations", call.spread("dilation", dims));
}

void write_avg_pool(ExportCall& call) {
  if (call.flag("ceil_mode")) return call.fail("average pooling with ceil_mode");
  proto::NodeProto& node = write_window(call, "AveragePool", call.shape(0).size() - 2);
  ExportCall::set(node, "count_include_pad", call.attr("count_include_pad"));
}

/// Windows of one size where that is what adaptive pooling comes to.
void write_adaptive(ExportCall& call) {
  const Shape& x = call.shape(0);
  const std::size_t dims = x.size() - 2;
  const Ints size = call.spread("output_size", dims);
  if (std::all_of(size.begin(), size.end(), [](std::int64_t n) { return n == 1; })) {
    call.add("GlobalAveragePool", call.inputs());
    return;
  }
  Ints kernel;
  for (std::size_t d = 0; d < dims; ++d) {
    if (x[d + 2] % size[d] != 0)
      return call.fail(cat("adaptive pooling of ", x[d + 2], " elements to ", size[d]));
    kernel.push_back(x[d + 2] / size[d]);
  }
  proto::NodeProto& node = call.add("AveragePool", call.inputs());
  ExportCall::set(node, "kernel_shape", kernel);
  ExportCall::set(node, "strides", kernel);
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"MaxPool", import_max_pool, "", {"storage_order"}},
                      {"AveragePool", import_average_pool},
                      {"GlobalAveragePool", import_global_average_pool},
                      {"GlobalMaxPool", import_global_max_pool}},
          .exports = {{"max_pool1d", write_max_pool},
                      {"max_pool2d", write_max_pool},
                      {"max_pool3d", write_max_pool},
                      {"avg_pool1d", write_avg_pool},
                      {"avg_pool2d", write_avg_pool},
                      {"avg_pool3d", write_avg_pool},
                      {"adaptive_avg_pool1d", write_adaptive},
                      {"adaptive_avg_pool2d", write_adaptive}}};
}

}  // namespace chop::onnx::defs::pool
