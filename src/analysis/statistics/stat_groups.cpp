#include "analysis/statistics/stat_groups.hpp"

#include "support/text.hpp"

namespace chop::analysis {
namespace {

/// Which axes are reduced, or what is wrong with `dims`.
Result<std::vector<bool>> reduced_axes(const Args& args, const Shape& sample) {
  const auto rank = static_cast<std::int64_t>(sample.size());
  std::vector<bool> reduced(sample.size(), false);
  for (const Tree& item : *args.get("dims").as_list()) {
    const std::int64_t axis = *item.as_integer();
    const std::int64_t from_start = axis < 0 ? axis + rank : axis;
    if (from_start < 0 || from_start >= rank)
      return args.wrong(
          "dims", cat("axis ", axis, " does not exist in samples of shape ", to_string(sample)),
          cat("use axes from 0 to ", rank - 1, ", \"all\" or \"none\""));
    if (reduced[static_cast<std::size_t>(from_start)])
      return args.wrong("dims", cat("axis ", axis, " is named twice"), "name each axis once");
    reduced[static_cast<std::size_t>(from_start)] = true;
  }
  return reduced;
}

/// Offsets of all indices over the axes for which `chosen` holds, the last one fastest.
std::vector<std::uint32_t> offsets(const Shape& sample, const std::vector<bool>& reduced,
                                   bool chosen) {
  std::vector<std::uint32_t> found = {0};
  std::int64_t stride = numel(sample);
  for (std::size_t axis = 0; axis < sample.size(); ++axis) {
    stride = sample[axis] == 0 ? 0 : stride / sample[axis];
    if (reduced[axis] != chosen) continue;
    std::vector<std::uint32_t> next;
    next.reserve(found.size() * static_cast<std::size_t>(sample[axis]));
    for (const std::uint32_t start : found)
      for (std::int64_t i = 0; i < sample[axis]; ++i)
        next.push_back(start + static_cast<std::uint32_t>(i * stride));
    found = std::move(next);
  }
  return found;
}

}  // namespace

Result<StatGroups> StatGroups::make(const Args& args, const Shape& sample) {
  StatGroups made;
  const Tree& dims = args.get("dims");
  if (dims.as_text() != nullptr) {
    made.per_sample_ = static_cast<std::size_t>(numel(sample));
    return made;
  }
  if (dims.is_null()) {
    made.kind_ = Kind::None;
    made.groups_ = static_cast<std::size_t>(numel(sample));
    made.shape_ = sample;
    return made;
  }
  made.kind_ = Kind::Some;
  CH_TRY(const std::vector<bool> reduced, reduced_axes(args, sample));
  for (std::size_t axis = 0; axis < sample.size(); ++axis)
    if (!reduced[axis]) made.shape_.push_back(sample[axis]);
  const std::vector<std::uint32_t> starts = offsets(sample, reduced, false);
  const std::vector<std::uint32_t> inside = offsets(sample, reduced, true);
  made.groups_ = starts.size();
  made.per_sample_ = inside.size();
  made.order_.reserve(made.elements());
  for (const std::uint32_t start : starts)
    for (const std::uint32_t offset : inside) made.order_.push_back(start + offset);
  // Already in this order: the reduced axes are the last ones.
  bool in_place = true;
  for (std::size_t i = 0; i < made.order_.size() && in_place; ++i) in_place = made.order_[i] == i;
  if (in_place) made.order_.clear();
  return made;
}

StatValue StatGroups::value(std::span<const double> per_group) const {
  if (shape_.empty()) return per_group[0] + 0.0;  // -0 becomes 0
  Tensor tensor(DType::F32, shape_);
  const std::span<float> out = tensor.mutable_data<float>();
  for (std::size_t g = 0; g < out.size(); ++g) out[g] = static_cast<float>(per_group[g] + 0.0);
  return tensor;
}

}  // namespace chop::analysis
