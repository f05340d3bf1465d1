// Windows that slide over images: reading their attributes and describing them.
#include "ops/families/layers/window.hpp"

namespace chop::ops {
namespace {

/// Products of two entries stay far from the end of 64 bits.
constexpr std::int64_t kLargest = std::int64_t{1} << 30;

}  // namespace

Result<Extent> extent(const Call& call, std::string_view attr, std::size_t dims,
                      std::int64_t least) {
  const Ints list = call.ints(attr, dims);
  const bool in_range = std::all_of(list.begin(), list.end(), [least](std::int64_t entry) {
    return entry >= least && entry <= kLargest;
  });
  if (list.size() != dims || !in_range)
    return Error{.what = cat(call.op.name, " cannot have ", attr, "=", to_python(call.ints(attr))),
                 .hint = cat("give one number",
                             dims == 1   ? ""
                             : dims == 2 ? " or two"
                                         : " or three",
                             ", at least ", least)};
  const std::int64_t absent = attr.ends_with("padding") ? 0 : 1;
  if (dims == 1) return Extent{absent, list[0], absent};
  if (dims == 2) return Extent{list[0], list[1], absent};
  return Extent{list[1], list[2], list[0]};
}

Extent image_of(const Shape& shape, std::size_t dims) {
  return {dims == 1 ? 1 : shape[shape.size() - 2], shape.back(),
          dims == 3 ? shape[shape.size() - 3] : 1};
}

Shape with_image(Shape shape, std::size_t dims, Extent image) {
  shape.back() = image.w;
  if (dims >= 2) shape[shape.size() - 2] = image.h;
  if (dims == 3) shape[shape.size() - 3] = image.d;
  return shape;
}

Status check_image(const Call& call, const Shape& x, std::size_t dims) {
  if (x.size() == dims + 1 || x.size() == dims + 2) return {};
  return Error{.what = cat(call.op.name, " cannot take ", to_string(x)),
               .hint = dims == 1   ? "its input must be [N, C, L] or [C, L]"
                       : dims == 2 ? "its input must be [N, C, H, W] or [C, H, W]"
                                   : "its input must be [N, C, D, H, W] or [C, D, H, W]"};
}

std::string tuple_repr(const Call& call, std::string_view attr, std::size_t dims) {
  return to_python(call.ints(attr, dims));
}

std::string given_repr(const Ints& list) {
  return list.size() == 1 ? cat(list.front()) : to_python(list);
}

std::vector<Sample> in_dims(std::size_t dims, std::vector<Sample> samples) {
  const auto cut = [&](Ints& list) {
    if (list.size() >= 3) list.erase(list.end() - 3, list.end() - std::ptrdiff_t(dims));
  };
  for (Sample& sample : samples) {
    for (auto& [name, value] : sample.attrs)
      if (auto* list = std::get_if<Ints>(&value)) cut(*list);
    for (SampleInput& input : sample.inputs) cut(input.shape);
  }
  return samples;
}

std::string size_text(Extent extent, std::size_t dims) {
  const std::string flat = dims == 1 ? cat(extent.w) : cat(extent.h, " x ", extent.w);
  return dims == 3 ? cat(extent.d, " x ", flat) : flat;
}

}  // namespace chop::ops
