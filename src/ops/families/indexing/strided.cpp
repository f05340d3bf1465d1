#include "ops/families/indexing/strided.hpp"

namespace chop::ops {
namespace {

/// The `count` indices first, first + step, ...
struct Range {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

/// What Python's slice(start, end, step) means for `size` elements.
Range range_of(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size) {
  const bool back = step < 0;
  const auto clamp = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + size : at, back ? -1 : 0, back ? size - 1 : size);
  };
  const std::int64_t first = clamp(start);
  const std::int64_t last = clamp(end);
  step = std::max(step, -std::numeric_limits<std::int64_t>::max());
  const std::int64_t span = back ? first - last : last - first;
  return {first, step, span <= 0 ? 0 : (span - 1) / (back ? -step : step) + 1};
}

std::vector<Range> ranges(const Call& call, const Shape& in) {
  const Ints& steps = call.ints("steps");
  std::vector<Range> out;
  for (std::size_t d = 0; d < in.size(); ++d)
    out.push_back(range_of(call.ints("starts")[d], call.ints("ends")[d],
                           steps.empty() ? 1 : steps[d], in[d]));
  return out;
}

}  // namespace

Result<Shape> strided_shape(const Call& call, const Shape& in) {
  const Ints& steps = call.ints("steps");
  if (call.ints("starts").size() != in.size() || call.ints("ends").size() != in.size() ||
      (!steps.empty() && steps.size() != in.size()))
    return Error{.what = cat(call.op.name, " with starts=", to_string(call.ints("starts")),
                             ", ends=", to_string(call.ints("ends")), ", steps=", to_string(steps),
                             " cannot take ", to_string(in)),
                 .hint = cat("each needs ", in.size(), " entries, one for every dimension")};
  if (std::find(steps.begin(), steps.end(), 0) != steps.end())
    return Error{.what = cat(call.op.name, " cannot have steps=", to_string(steps)),
                 .hint = "a step is 1 or more forwards, -1 or less backwards"};
  Shape out;
  for (const Range& range : ranges(call, in)) out.push_back(range.count);
  return out;
}

IndexMaps strided_maps(const Call& call, const Shape& in) {
  IndexMaps maps;
  for (const Range& range : ranges(call, in)) {
    Ints& map = maps.emplace_back();
    for (std::int64_t j = 0; j < range.count; ++j) map.push_back(range.first + j * range.step);
  }
  return maps;
}

}  // namespace chop::ops
