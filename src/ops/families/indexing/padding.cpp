#include "ops/families/indexing/padding.hpp"

#include <cstdlib>

namespace chop::ops {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

Status check_dimension(const Call& call, std::int64_t size, std::int64_t begin, std::int64_t end) {
  const std::string& mode = call.text("mode");
  const Error refused{.what =
                          cat("pad cannot add ", begin, " and ", end,
                              " elements to a dimension of size ", size, " in mode '", mode, "'")};
  const auto because = [&](std::string hint) {
    Error error = refused;
    error.hint = std::move(hint);
    return error;
  };
  if (std::abs(std::clamp(begin, -kMost - 1, kMost + 1)) > kMost ||
      std::abs(std::clamp(end, -kMost - 1, kMost + 1)) > kMost)
    return because("that is more elements than fit in memory");
  if (size + begin + end < 0 || size + begin < 0 || size + end < 0)
    return because("no more elements can be cut off than there are");
  if (mode == "constant" || (begin == 0 && end == 0)) return {};
  if (begin < 0 || end < 0) return because("only mode 'constant' can cut elements off");
  if (size == 0) return because("there is nothing to repeat");
  if (mode == "reflect" && (begin >= size || end >= size))
    return because(cat("a reflection has at most ", size - 1, " elements"));
  return {};
}

/// The index in x that index `at` of the padded dimension copies; `at` counts from the old begin.
std::int64_t shown(std::int64_t at, std::int64_t size, const std::string& mode) {
  if (at >= 0 && at < size) return at;
  if (mode == "constant") return -1;
  if (mode == "replicate") return at < 0 ? 0 : size - 1;
  return at < 0 ? -at : 2 * (size - 1) - at;
}

}  // namespace

Field padding_mode() {
  return {.name = "mode",
          .initial = "constant",
          .doc = "what is added: a value, the elements mirrored, or the outermost one again",
          .choices = {"constant", "reflect", "replicate"}};
}

Result<Shape> padded_shape(const Call& call, const Shape& in) {
  const Ints& pads = call.ints("pads");
  if (pads.size() != 2 * in.size())
    return Error{
        .what = cat(call.op.name, " with pads=", to_string(pads), " cannot take ", to_string(in)),
        .hint = cat("pads needs ", 2 * in.size(),
                    " entries: elements before each dimension, then after each")};
  Shape out = in;
  for (std::size_t d = 0; d < in.size(); ++d) {
    CH_CHECK(check_dimension(call, in[d], pads[d], pads[d + in.size()]));
    out[d] += pads[d] + pads[d + in.size()];
  }
  CH_CHECK(check_size(call, out));
  return out;
}

IndexMaps padded_maps(const Call& call, const Shape& in) {
  const Ints& pads = call.ints("pads");
  const std::string& mode = call.text("mode");
  IndexMaps maps(in.size());
  for (std::size_t d = 0; d < in.size(); ++d)
    for (std::int64_t at = -pads[d]; at < in[d] + pads[d + in.size()]; ++at)
      maps[d].push_back(shown(at, in[d], mode));
  return maps;
}

}  // namespace chop::ops
