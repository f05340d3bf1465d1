// Applies an epilogue to the accumulators of one tile, in one sweep.
#pragma once

#include "runtime/conv/frozen/epilogue.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime {

/// The accumulators of a tile, [positions, channels].
struct Accumulators {
  const void* data = nullptr;
  bool integers = false;  ///< int32, each standing for itself times `unscale`; else float
  float unscale = 1;
  std::int64_t positions = 0;
  std::int64_t channels = 0;
};

/// Where a tile begins in the tensors [position, channel] that the epilogue reads and writes.
struct TileOrigin {
  std::int64_t position = 0;
  std::int64_t channel = 0;
  std::int64_t stride = 0;  ///< elements from one position to the next
};

/// Where the ops of a standard epilogue stand in it: Bias or Norm, Add, Clamp, Quantise, each at
/// most once and in this order. Results are the values before Quantise, those after it, or both.
struct StandardForm {
  int channel = -1;  ///< Bias or Norm; -1: none, likewise below
  int add = -1;
  int clamp = -1;
  int quantise = -1;
  int before = -1;  ///< the result that holds the values before Quantise
};

/// An epilogue and its form, which is found once: a product of one row takes less than finding it.
struct PreparedEpilogue {
  PreparedEpilogue() = default;
  explicit PreparedEpilogue(Epilogue epilogue);

  Epilogue ops;
  std::optional<StandardForm> standard;  ///< none: another order of ops
};

/// Applies all ops and writes those values that are results of the step.
void apply_epilogue(const PreparedEpilogue& epilogue, const Accumulators& acc,
                    const TileOrigin& origin, const KernelArgs& args);

/// An epilogue of contiguous rows [rows, channels]. Several rows are processed as one long row,
/// with the values of each channel repeated, so that few channels still fill whole vectors.
class RowEpilogue {
 public:
  RowEpilogue(std::int64_t channels, Epilogue epilogue);
  /// Blocks of so many rows, and multiples of it, can be done by themselves.
  static constexpr std::int64_t kRows = 16;
  /// Rows [row, row + rows) of `data`, `row` a multiple of kRows.
  void run(const float* data, std::int64_t row, std::int64_t rows, const KernelArgs& args) const;

 private:
  std::int64_t channels_;
  std::int64_t doublings_ = 0;  ///< 2^doublings_ rows are one: shifting takes less than dividing
  PreparedEpilogue epilogue_;
};

/// The epilogue of the values [rows, channels] that operand 0 holds, as a step of its own.
Kernel epilogue_kernel(std::int64_t rows, std::int64_t channels, Epilogue epilogue);

/// to[i] = x[i] as an integer of the grid, which must fit a byte.
void quantise_to_bytes(const Grid& grid, const float* x, std::int64_t count, std::byte* to);

/// Whether the grid's integers fit a byte, signed or unsigned.
bool fits_byte(const Grid& grid);

}  // namespace chop::runtime
