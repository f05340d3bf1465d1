// Resize and Upsample: every axis by itself. The nearest elements are copied; otherwise a constant
// matrix mixes the elements of the axis.
#include "onnx/import_helpers.hpp"
#include "support/text.hpp"

namespace chop::onnx::defs::resize {
namespace {

struct Rule {
  std::string mode;       ///< nearest, linear, cubic
  std::string transform;  ///< coordinate_transformation_mode
  std::string nearest;
  double cubic = -0.75;
  bool exclude_outside = false;
  double outside = 0;  ///< extrapolation_value
};

struct Axis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  double scale = 1;
  double length = 1;  ///< of the result before it is cut to whole elements
  double start = 0;   ///< region of tf_crop_and_resize, as parts of the axis
  double end = 1;
};

/// The position in x of element `at` of the result.
double source_of(const Rule& rule, const Axis& axis, std::int64_t at) {
  const auto x = static_cast<double>(at);
  const auto in = static_cast<double>(axis.in);
  if (rule.transform == "asymmetric") return x / axis.scale;
  if (rule.transform == "align_corners")
    return axis.out == 1 ? 0 : x * (in - 1) / (axis.length - 1);
  if (rule.transform == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
  if (rule.transform == "pytorch_half_pixel")
    return axis.out > 1 ? (x + 0.5) / axis.scale - 0.5 : 0;
  if (rule.transform == "tf_crop_and_resize")
    return axis.out > 1
               ? axis.start * (in - 1) + x * (axis.end - axis.start) * (in - 1) / (axis.length - 1)
               : 0.5 * (axis.start + axis.end) * (in - 1);
  return (x + 0.5) / axis.scale - 0.5;  // half_pixel
}

double nearest_of(const Rule& rule, double x) {
  if (rule.nearest == "floor") return std::floor(x);
  if (rule.nearest == "ceil") return std::ceil(x);
  if (rule.nearest == "round_prefer_ceil") return std::floor(x + 0.5);
  return std::ceil(x - 0.5);  // round_prefer_floor
}

/// The weights of the four neighbours, the second one at or before x.
std::array<double, 4> cubic_weights(double a, double part) {
  const auto near = [&](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  const auto far = [&](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  return {far(1 + part), near(part), near(1 - part), far(2 - part)};
}

/// Adds the weights of element `at` to its column of the matrix [in, out]. False where the position
/// is outside x: then nothing is interpolated.
bool fill_column(const Rule& rule, const Axis& axis, std::int64_t at, std::span<float> matrix) {
  const double x = source_of(rule, axis, at);
  const std::int64_t last = axis.in - 1;
  if (rule.transform == "tf_crop_and_resize" && (x < 0 || x > static_cast<double>(last)))
    return false;
  const auto add = [&](double position, double weight) {
    const double inside =
        position > 0 ? std::min(position, static_cast<double>(last)) : 0;  // NaN: 0
    matrix[static_cast<std::size_t>(static_cast<std::int64_t>(inside) * axis.out + at)] +=
        static_cast<float>(weight);
  };
  if (rule.mode == "nearest") {
    add(nearest_of(rule, x), 1);
    return true;
  }
  const double before = std::floor(x);
  const double part = x - before;
  if (rule.mode == "linear") {
    add(before, 1 - part);
    add(before + 1, part);
    return true;
  }
  std::array<double, 4> weights = cubic_weights(rule.cubic, part);
  if (rule.exclude_outside) {
    double total = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double position = before - 1 + static_cast<double>(i);
      if (position < 0 || position > static_cast<double>(last)) weights.at(i) = 0;
      total += weights.at(i);
    }
    for (double& weight : weights) weight /= total;
  }
  for (std::size_t i = 0; i < 4; ++i)
    if (weights.at(i) != 0 || !rule.exclude_outside)
      add(before - 1 + static_cast<double>(i), weights.at(i));
  return true;
}

/// x with one axis resized to its nearest elements, which are copied.
ImportValue copied_along(Importer& make, ImportValue x, std::size_t d, const Rule& rule,
                         const Axis& axis) {
  Ints from;
  for (std::int64_t at = 0; at < axis.out; ++at) {
    const double position = nearest_of(rule, source_of(rule, axis, at));
    from.push_back(position > 0 ? static_cast<std::int64_t>(
                                      std::min(position, static_cast<double>(axis.in - 1)))
                                : 0);  // NaN: 0
  }
  return make.call("gather", {x, whole_numbers(make, from)},
                   {{"dim", static_cast<std::int64_t>(d)}});
}

/// x with one axis resized: x moved so that the axis comes last, times the matrix.
ImportValue along(Importer& make, ImportValue x, std::size_t d, const Rule& rule,
                  const Axis& axis) {
  Tensor matrix(DType::F32, {axis.in, axis.out});
  Tensor rest(DType::F32, {axis.out});
  const auto weights = matrix.mutable_data<float>();
  bool extrapolates = false;
  for (std::int64_t at = 0; at < axis.out; ++at)
    if (!fill_column(rule, axis, at, weights)) {
      rest.mutable_data<float>()[static_cast<std::size_t>(at)] = static_cast<float>(rule.outside);
      extrapolates = true;
    }
  const auto last = static_cast<std::int64_t>(make.rank(x)) - 1;
  const auto dim = static_cast<std::int64_t>(d);
  const auto turned = [&](ImportValue value) {
    return dim == last ? value : make.call("transpose", {value}, {{"dim0", dim}, {"dim1", last}});
  };
  ImportValue y = make.call("matmul", {turned(x), make.constant(matrix)});
  if (extrapolates) {
    // Rows outside are replaced, not mixed: along other axes they were resized already.
    y = make.call("add", {y, make.constant(rest)});
  }
  return turned(y);
}

void apply(const OnnxCall& call, const Rule& rule, const std::vector<double>& scales,
           const Ints& sizes, const std::vector<double>& region) {
  Importer& make = call.make();
  ImportValue x = call.in(0);
  if (make.failed()) return;
  const Shape shape = make.shape(x);
  const Shape open = make.open_shape(x);
  if ((scales.size() != shape.size() && sizes.size() != shape.size()) ||
      (!region.empty() && region.size() != 2 * shape.size()))
    return call.fail(cat(call.op_type(), ": a scale or a size for each of ", shape.size(),
                         " dimensions is needed"));
  bool changed = false;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto in = static_cast<double>(shape[d]);
    Axis axis{.in = shape[d]};
    constexpr std::int64_t kMost = 1 << 16;
    const double size =
        sizes.size() == shape.size() ? static_cast<double>(sizes[d]) : std::floor(in * scales[d]);
    if (!(size >= 0 && size <= std::max(in, double{kMost})))
      return call.fail(cat(call.op_type(), ": dimension ", d, " from ", axis.in, " to ", size));
    axis.out = static_cast<std::int64_t>(size);
    axis.scale = sizes.size() == shape.size() ? static_cast<double>(axis.out) / in : scales[d];
    axis.length = sizes.size() == shape.size() ? static_cast<double>(axis.out) : in * scales[d];
    if (!region.empty()) {
      axis.start = region[d];
      axis.end = region[shape.size() + d];
    }
    if (axis.out == axis.in && axis.scale == 1 && axis.start == 0 && axis.end == 1) continue;
    if (open[d] == -1 || axis.out < 1 || axis.out > kMost || axis.in < 1)
      return call.fail(cat(call.op_type(), ": dimension ", d, " from ", axis.in, " to ", axis.out));
    const bool copies = rule.mode == "nearest" && rule.transform != "tf_crop_and_resize";
    if (!make.spend_budget(copies ? axis.out : axis.in * axis.out)) return;  // below 2^31 · 2^16
    x = copies ? copied_along(make, x, d, rule, axis) : along(make, x, d, rule, axis);
    changed = true;
  }
  call.out(changed ? x : make.call("identity", {x}));
}

std::vector<double> numbers(const OnnxCall& call, std::size_t input, const char* what) {
  std::vector<double> values;
  if (!call.has(input)) return values;
  const Tensor& tensor = call.make().need(call.in(input), what);
  for (std::int64_t i = 0; i < tensor.size() && !call.make().failed(); ++i)
    values.push_back(tensor.at(i));
  return values;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void import_resize(const OnnxCall& call) {
  Rule rule{.mode = call.text("mode", "nearest"),
            .transform = call.text("coordinate_transformation_mode", "half_pixel"),
            .nearest = call.text("nearest_mode", "round_prefer_floor"),
            .cubic = call.real("cubic_coeff_a", -0.75),
            .exclude_outside = call.integer("exclude_outside", 0) != 0,
            .outside = call.real("extrapolation_value", 0)};
  if (call.version() < 11) {  // only a scale, from the corner
    rule.transform = "asymmetric";
    rule.nearest = "floor";
    return apply(call, rule, numbers(call, 1, "`scales` of Resize"), {}, {});
  }
  if (!is_one_of(rule.mode, {"nearest", "linear", "cubic"}) ||
      !is_one_of(rule.transform, {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                  "tf_half_pixel_for_nn", "tf_crop_and_resize"}))
    return call.fail(
        cat("Resize with mode '", rule.mode, "' and coordinates '", rule.transform, "'"));
  std::vector<double> region;
  if (rule.transform == "tf_crop_and_resize") region = numbers(call, 1, "`roi` of Resize");
  const std::vector<double> scales = numbers(call, 2, "`scales` of Resize");
  Ints sizes;
  if (call.has(3)) {  // the batch may be among them, as long as it stays what it is
    const Tensor whole =
        call.make().constant_of(call.in(3), "`sizes` of Resize").at[0].to(DType::I64);
    sizes.assign(whole.data<std::int64_t>().begin(), whole.data<std::int64_t>().end());
  }
  apply(call, rule, scales, sizes, region);
}

void import_upsample(const OnnxCall& call) {
  const Rule rule{.mode = call.text("mode", "nearest") == "nearest" ? "nearest" : "linear",
                  .transform = "asymmetric",
                  .nearest = "floor"};
  const std::vector<double> scales =
      call.has_attr("scales") ? call.reals("scales") : numbers(call, 1, "`scales` of Upsample");
  apply(call, rule, scales, {}, {});
}

}  // namespace

OnnxFamily define() {
  return {.imports = {{"Resize", import_resize}, {"Upsample", import_upsample}}};
}

}  // namespace chop::onnx::defs::resize
