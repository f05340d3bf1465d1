// One oneDNN convolution over a fixed number of images, between dense tensors: the primitive
// and the reorders to and from the layouts it likes.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "ops/families/layers/conv.hpp"

namespace chop::runtime {

/// A tensor between its dense layout and the one a primitive likes.
struct Bridge {
  dnnl::memory::desc dense, liked, scratchpad;
  dnnl::reorder move;  ///< null when both layouts are the same

  bool needed() const { return move.get(true) != nullptr; }
  /// Bytes for the liked form, none when it is the dense one.
  std::size_t bytes() const { return needed() ? (liked.get_size() + 63) / 64 * 64 : 0; }
  void run(const void* from, void* to, std::byte* scratch, bool inwards) const;
};

/// A primitive over tensors a, b -> c: forward x, w -> y; to_input dy, w -> dx; to_weight
/// dy, x -> dw. `a`, `b` and `c` of run() are in the layouts it likes.
struct ConvPiece {
  dnnl::primitive primitive;
  dnnl::memory::desc scratchpad, bias;
  Bridge a, b, c;
  int a_role = 0, b_role = 0, c_role = 0;

  std::size_t scratch_bytes() const;
  void run(const void* a_data, const void* b_data, const float* bias_data, void* c_data,
           std::byte* scratch) const;
};

/// These throw dnnl::error for what oneDNN cannot do. `weights`, if given, is the layout that
/// weights must have.
ConvPiece forward_piece(const ops::ConvShape& conv, std::int64_t images, bool bias,
                        const dnnl::memory::desc* weights);
ConvPiece to_input_piece(const ops::ConvShape& conv, std::int64_t images,
                         const dnnl::memory::desc* weights);
ConvPiece to_weight_piece(const ops::ConvShape& conv, std::int64_t images,
                          const dnnl::memory::desc* weights);

}  // namespace chop::runtime
