// Who makes the sums of a convolution, piece by piece: a file each. Images have their channels
// last, weights never change and are packed once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "formats/element.hpp"
#include "ops/families/layers/conv.hpp"
#include "runtime/conv/frozen/image_cut.hpp"

namespace chop::runtime {

struct ConvSumsJob {
  ops::ConvShape shape;
  const float* weights = nullptr;    ///< [out, in / groups, kernel...]; read now, not kept
  std::optional<Element> grid = {};  ///< of the images; they are then codes of one byte
  std::optional<Element> weight_grid = {};
  std::vector<float> bias = {};  ///< added to float sums, unless it is empty
  bool exact = true;             ///< false: sums may be rounded elsewhere

  bool has_sign() const { return grid && grid->low < 0; }
  /// The codes of weights [first, first + count).
  std::vector<std::int8_t> weight_codes(std::int64_t first, std::int64_t count) const;
};

class ConvSums {
 public:
  explicit ConvSums(std::vector<ImagePiece> pieces) : pieces_(std::move(pieces)) {}
  virtual ~ConvSums() = default;
  ConvSums(const ConvSums&) = delete;
  ConvSums& operator=(const ConvSums&) = delete;

  const std::vector<ImagePiece>& pieces() const { return pieces_; }
  virtual std::size_t scratch_bytes(std::size_t piece) const = 0;
  /// The sums of a piece: places in their order, the piece's channels of each together; float32,
  /// or int32 of codes. Pieces may run at the same time, each by itself.
  virtual void run(std::size_t piece, const std::byte* images, std::byte* sums,
                   std::byte* scratch) = 0;

 private:
  std::vector<ImagePiece> pieces_;
};

/// By oneDNN: every convolution it knows. Throws dnnl::error where it knows none.
std::unique_ptr<ConvSums> primitive_sums(const ConvSumsJob& job);
/// In tiles of 2 x 2 (runtime/conv/frozen/winograd.hpp); null for what does not suit.
std::unique_ptr<ConvSums> winograd_sums(const ConvSumsJob& job);
/// Bytes on the matrix unit of the processor (runtime/conv/frozen/amx.hpp); null for what does not
/// suit, and where there is none.
std::unique_ptr<ConvSums> amx_sums(const ConvSumsJob& job);

}  // namespace chop::runtime
