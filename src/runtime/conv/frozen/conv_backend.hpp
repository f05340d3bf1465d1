// Backends of frozen convolutions: what computes the accumulators, tile by tile. One file each in
// backends/, collected into a list. Images have their channels last (NHWC); weights never change
// and are packed once.
#pragma once

#include "formats/grid.hpp"
#include "ops/families/layers/conv.hpp"
#include "runtime/conv/frozen/conv_tiles.hpp"

namespace chop::runtime {

struct ConvJob {
  ops::ConvShape shape;
  const float* weights = nullptr;  ///< [out, in / groups, kernel...]; read by make(), not kept
  std::optional<Grid> grid = {};   ///< of the images, which are then its integers, a byte each
  std::optional<Grid> weight_grid = {};
  std::vector<float> bias = {};  ///< added to float accumulators, unless it is empty
  bool exact = true;             ///< false: accumulators may be rounded in other ways

  bool is_signed() const { return grid && grid->low < 0; }
  /// Bytes of a value of the images, and of a weight.
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(grid ? 1 : sizeof(float)); }
  /// Weights [first, first + count) as integers of their grid.
  std::vector<std::int8_t> quantised_weights(std::int64_t first, std::int64_t count) const;
};

/// A convolution that a backend has prepared.
class TiledConv {
 public:
  explicit TiledConv(std::vector<ConvTile> tiles) : tiles_(std::move(tiles)) {}
  virtual ~TiledConv() = default;
  TiledConv(const TiledConv&) = delete;
  TiledConv& operator=(const TiledConv&) = delete;

  const std::vector<ConvTile>& tiles() const { return tiles_; }
  virtual std::size_t scratch_bytes(std::size_t tile) const = 0;
  /// The accumulators of a tile, [position, channel of the tile]: float32, or int32 where the job
  /// has a grid. Tiles may run at the same time, each by itself.
  virtual void run(std::size_t tile, const std::byte* images, std::byte* accumulators,
                   std::byte* scratch) = 0;

 private:
  std::vector<ConvTile> tiles_;
};

struct ConvBackend {
  std::string_view name;
  std::string_view doc;
  int preference = 0;  ///< of the backends that take a job, the one with the highest gets it
  /// Why it does not take the job; empty when it does. Looks at neither weights nor bias.
  std::string (*declines)(const ConvJob& job) = nullptr;
  /// Null when the library below refuses. The job must not have been declined.
  std::unique_ptr<TiledConv> (*make)(const ConvJob& job) = nullptr;
};

/// All backends, the most preferred first.
const std::vector<ConvBackend>& all_conv_backends();
/// Null when there is none of this name.
const ConvBackend* find_conv_backend(std::string_view name);

/// Whether some backend takes the job.
bool is_conv_possible(const ConvJob& job);

/// A prepared convolution and the backend that made it.
struct MadeConv {
  const ConvBackend* backend = nullptr;
  std::unique_ptr<TiledConv> conv;
};
/// By the most preferred backend that takes the job; null when none does.
MadeConv make_conv(const ConvJob& job);

}  // namespace chop::runtime
