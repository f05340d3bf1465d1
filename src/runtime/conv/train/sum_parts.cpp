// For example 2,048 images of 28 x 28 are cut into 16 tasks of 128 images, and these into parts of
// 10 or less, which have 7,840 positions. One image of 1,024 x 1,024 is cut into patches of 4 rows.
#include "runtime/conv/train/sum_parts.hpp"

#include <tuple>

namespace chop::runtime {
namespace {

using Conv = ops::ConvShape;

/// Positions that the images of a part may have, and those of a patch.
constexpr std::int64_t kPartPositions = std::int64_t{1} << 13;
constexpr std::int64_t kPatchPositions = std::int64_t{1} << 12;

std::int64_t divided_up(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

/// Few enough that adding up their sums stays cheap beside making them.
std::int64_t tasks_of(const Conv& c) {
  constexpr std::int64_t kTaskWork = std::int64_t{1} << 22;
  const std::int64_t weights = c.out_channels * c.group_in() * c.window.kernel.area();
  const std::int64_t most = weights > (1 << 20) ? 4 : weights > (1 << 16) ? 8 : 16;
  return std::clamp<std::int64_t>(c.macs() / kTaskWork, 1, most);
}

/// Patches of about equal size that make up an output, with at most kPatchPositions each.
std::vector<ConvPatch> patches_of(const ops::Extent& out) {
  const std::int64_t across = divided_up(out.w, kPatchPositions);
  const std::int64_t columns = divided_up(out.w, across);
  const std::int64_t down = divided_up(out.h, std::max<std::int64_t>(1, kPatchPositions / columns));
  const std::int64_t rows = divided_up(out.h, down);
  std::vector<ConvPatch> patches;
  for (std::int64_t row = 0; row < out.h; row += rows)
    for (std::int64_t column = 0; column < out.w; column += columns)
      patches.push_back(
          {row, std::min(rows, out.h - row), column, std::min(columns, out.w - column)});
  return patches;
}

/// Parts and the primitives they need: one for each size and padding (at the top, in the
/// middle, at the bottom of an image).
class Cutter {
 public:
  explicit Cutter(const Conv& conv) : conv_(conv) {}

  /// false when oneDNN refuses.
  bool add(std::int64_t image, std::int64_t images, const ConvPatch& patch) {
    const ops::Window& w = conv_.window;
    const InputPart input = input_of(w, patch);
    if (input.rows.size == 0 || input.columns.size == 0) return true;  // only padding: adds nothing
    const auto key = [](const InputAxis& axis) {
      return std::tuple(axis.size, axis.before, axis.after);
    };
    const auto [found, is_new] =
        made_.try_emplace({images, patch.rows, patch.columns, key(input.rows), key(input.columns)},
                          cut_.primitives.size());
    if (is_new) {
      const auto* weights =
          cut_.primitives.empty() ? nullptr : &cut_.primitives.front().c.preferred;
      MadePrimitive primitive = to_weight_primitive(conv_, images, patch, weights);
      if (!primitive) return false;
      cut_.part_bytes = std::max(cut_.part_bytes, primitive->a.bytes() + primitive->b.bytes() +
                                                      primitive->scratch_bytes());
      cut_.primitives.push_back(std::move(*primitive));
    }
    cut_.parts.push_back({.image = image,
                          .x = w.at(0, input.rows.first, input.columns.first),
                          .y = patch.row * w.out.w + patch.column,
                          .primitive = found->second});
    return true;
  }

  std::shared_ptr<const SumParts> done(std::int64_t by_task) {
    if (cut_.parts.empty()) return nullptr;
    cut_.by_task = by_task;
    return std::make_shared<const SumParts>(std::move(cut_));
  }

 private:
  using Axis = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

  const Conv& conv_;
  SumParts cut_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, Axis, Axis>, std::size_t> made_;
};

/// Large images, each in patches.
std::shared_ptr<const SumParts> cut_images(const Conv& conv) {
  const std::vector<ConvPatch> patches = patches_of(conv.window.out);
  Cutter cutter(conv);
  for (std::int64_t image = 0; image < conv.batch; ++image)
    for (const ConvPatch& patch : patches)
      if (!cutter.add(image, 1, patch)) return nullptr;
  const auto parts = conv.batch * static_cast<std::int64_t>(patches.size());
  return cutter.done(divided_up(parts, tasks_of(conv)));
}

/// Small images, several to a part.
std::shared_ptr<const SumParts> cut_batch(const Conv& conv) {
  const std::int64_t area = conv.window.out.area();
  const std::int64_t by_task = divided_up(conv.batch, tasks_of(conv));
  const std::int64_t most = std::max<std::int64_t>(1, kPartPositions / area);
  const std::int64_t parts = divided_up(by_task, most);
  const std::int64_t images = divided_up(by_task, parts);
  Cutter cutter(conv);
  for (std::int64_t image = 0; image < conv.batch; image += images)
    if (!cutter.add(image, std::min(images, conv.batch - image),
                    {.rows = conv.window.out.h, .columns = conv.window.out.w}))
      return nullptr;
  return cutter.done(parts);
}

}  // namespace

std::shared_ptr<const SumParts> cut_weight_sum(const Conv& conv) {
  if (conv.batch == 0 || conv.in_channels * conv.window.in.area() == 0 ||
      conv.out_channels * conv.window.out.area() == 0)
    return nullptr;
  std::shared_ptr<const SumParts> cut;
  if (conv.window.out.area() > kPartPositions) cut = cut_images(conv);
  return cut != nullptr ? cut : cut_batch(conv);
}

}  // namespace chop::runtime
