#include "ops/families/layers/losses.hpp"

namespace chop::ops {

Field loss_reduction(std::string_view over) {
  return {.name = "reduction",
          .initial = "mean",
          .doc = kept(cat("\"mean\" or \"sum\" over the ", over)),
          .choices = {"mean", "sum"}};
}

std::vector<Field> cross_entropy_attrs() {
  return {loss_reduction("rows"),
          {.name = "label_smoothing",
           .initial = 0.0,
           .doc = "share of the target spread evenly over all classes",
           .bounds = {.least = 0, .most = 1}},
          {"ignore_index", -100, "rows with this target do not count"}};
}

std::size_t class_axis(const Shape& logits) {
  return logits.size() == 1 ? 0 : 1;
}

Shape target_shape(const Shape& logits) {
  Shape shape = logits;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(class_axis(logits)));
  return shape;
}

double row_divisor(const Call& call, std::span<const std::int64_t> targets) {
  if (call.text("reduction") == "sum") return 1;
  const std::int64_t ignored = call.integer("ignore_index");
  return static_cast<double>(targets.size()) -
         static_cast<double>(std::count(targets.begin(), targets.end(), ignored));
}

}  // namespace chop::ops
