#include "formats/tiles.hpp"

namespace chop::formats {

Tiles::Tiles(const Shape& shape, const Shape& box) : dims_{}, box_{} {
  assert(shape.size() == box.size() && "a box has one size per dimension");
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t size =
        box[d] < 1 || box[d] > shape[d] ? std::max<std::int64_t>(shape[d], 1) : box[d];
    grid_.push_back((shape[d] + size - 1) / size);
    if (!dims_.empty() && size == shape[d]) {
      dims_.back() *= shape[d];
      box_.back() *= size;
    } else {
      dims_.push_back(shape[d]);
      box_.push_back(size);
    }
  }
  if (dims_.empty()) {
    dims_ = {1};
    box_ = {1};
  }
  groups_ = numel(grid_);
}

Tiles Tiles::blocks(const Shape& shape, std::span<const std::int64_t> block, bool skip_first) {
  const std::size_t rank = shape.size();
  const std::size_t cut = !skip_first || rank < 2 ? rank : std::min<std::size_t>(rank - 1, 2);
  Shape box(rank, 1);
  for (std::size_t i = 1; i <= cut; ++i)
    box[rank - i] = i <= block.size() ? block[block.size() - i] : -1;
  return {shape, box};
}

Tiles Tiles::along(const Shape& shape, std::int64_t axis, std::int64_t block) {
  Shape box(shape.size(), 1);
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank > 0) box[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = block;
  return {shape, box};
}

Tiles Tiles::channels(const Shape& shape, std::int64_t axis) {
  Shape box(shape.size(), -1);
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank > 0) box[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = 1;
  return {shape, box};
}

Tiles Tiles::leading(const Shape& shape) {
  return shape.size() < 2 ? whole(shape) : channels(shape, 0);
}

std::optional<Tiles::Bands> Tiles::bands() const {
  const std::size_t last = dims_.size() - 1;
  Bands found{.columns = dims_[last], .width = box_[last]};
  if (last == 0) return found;
  found.rows = dims_[last - 1];
  found.height = box_[last - 1];
  for (std::size_t d = 0; d + 1 < last; ++d) {
    if (box_[d] != 1) return {};
    found.matrices *= dims_[d];
  }
  return found;
}

}  // namespace chop::formats
