// How a tensor falls into groups that share an exponent or a scale: a grid of boxes, the
// last one along a dimension as short as it must be (the reference system pads it with
// zeros, which changes nothing that is kept).
#pragma once

#include "tensor/tensor.hpp"

namespace chop::formats {

class Tiles {
 public:
  Tiles() = default;
  /// One box size per dimension; anything below 1 or above the dimension means all of it.
  Tiles(const Shape& shape, const Shape& box);

  /// Right-aligned to the shape: missing dimensions are whole, superfluous ones dropped. With
  /// `skip_first` the dimensions before the last two (the last one of a matrix) are cut into
  /// single indices; a vector has no such dimension.
  static Tiles blocks(const Shape& shape, std::span<const std::int64_t> block, bool skip_first);
  /// Runs of `block` values along one dimension.
  static Tiles along(const Shape& shape, std::int64_t axis, std::int64_t block);
  /// One group per index of one dimension.
  static Tiles channels(const Shape& shape, std::int64_t axis);
  /// One group per first index; all of it in one group below rank 2.
  static Tiles leading(const Shape& shape);
  static Tiles whole(const Shape& shape) { return {shape, Shape(shape.size(), -1)}; }

  std::int64_t groups() const { return groups_; }
  /// Groups per dimension of the tensor; empty for a scalar.
  const Shape& grid() const { return grid_; }

  /// Groups as boxes of [height, width] in matrices [rows, columns] that follow one another.
  struct Bands {
    std::int64_t matrices = 1;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
  };
  /// Nothing when groups span more than two dimensions, or dimensions that are no neighbours.
  std::optional<Bands> bands() const;

  /// visit(group, offset, length) for every contiguous run of one group, in memory order.
  template <class Visit>
  void for_each_run(Visit visit) const;

 private:
  Shape grid_;
  std::int64_t groups_ = 1;
  Shape dims_ = {1};  ///< as the shape, neighbours merged where a group spans them whole
  Shape box_ = {1};
};

template <class Visit>
void Tiles::for_each_run(Visit visit) const {
  const std::size_t last = dims_.size() - 1;
  const std::int64_t row = dims_[last];
  const std::int64_t rows = numel(dims_) == 0 ? 0 : numel(dims_) / row;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t group = 0;
    std::int64_t stride = (row + box_[last] - 1) / box_[last];
    std::int64_t rest = r;
    for (std::size_t d = last; d-- > 0; rest /= dims_[d]) {
      group += rest % dims_[d] / box_[d] * stride;
      stride *= (dims_[d] + box_[d] - 1) / box_[d];
    }
    for (std::int64_t i = 0; i < row; i += box_[last], ++group)
      visit(group, r * row + i, i + box_[last] < row ? box_[last] : row - i);
  }
}

}  // namespace chop::formats
