// One oneDNN convolution over a fixed number of images or over a patch of them, between dense
// tensors: the primitive and the reorders to and from the layouts it prefers.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "ops/families/layers/conv.hpp"

namespace chop::runtime {

/// A tensor of a primitive, in its dense layout and in the one the primitive prefers.
struct Reordered {
  dnnl::memory::desc dense, preferred, scratchpad;
  dnnl::reorder reorder;   ///< null when both layouts are the same
  bool is_operand = true;  ///< reordered to the preferred layout; a result: to the dense one

  bool needed() const { return reorder.get(true) != nullptr; }
  /// Bytes for the preferred form, none when it is the dense one.
  std::size_t bytes() const { return needed() ? (preferred.get_size() + 63) / 64 * 64 : 0; }
  void run(const void* from, void* to, std::byte* scratch) const;
};

/// A primitive over tensors a, b -> c: forward x, w -> y; to_input dy, w -> dx; to_weight
/// dy, x -> dw. `a`, `b` and `c` of run() are in the layouts it prefers.
struct ConvPrimitive {
  dnnl::primitive primitive;
  dnnl::memory::desc scratchpad, bias;
  Reordered a, b, c;
  int a_role = 0, b_role = 0, c_role = 0;

  std::size_t scratch_bytes() const;
  void run(const void* a_data, const void* b_data, const float* bias_data, void* c_data,
           std::byte* scratch) const;
};

/// Some output positions of an image: rows [row, row + rows), columns [column, column + columns).
struct ConvPatch {
  std::int64_t row = 0, rows = 0, column = 0, columns = 0;
};

/// The elements of an axis that some windows read, [first, first + size), and how far the windows
/// reach beyond its ends.
struct InputAxis {
  std::int64_t first = 0, size = 0, before = 0, after = 0;
};
struct InputPart {
  InputAxis rows, columns;
};
/// The input that the windows of a patch read; of all positions: the whole image, padded alike on
/// both ends.
InputPart input_of(const ops::Window& window, const ConvPatch& patch);

/// None where oneDNN knows no such convolution. `weights`, if given, is the layout that weights
/// must have.
using MadePrimitive = std::optional<ConvPrimitive>;
MadePrimitive forward_primitive(const ops::ConvShape& conv, std::int64_t images, bool bias,
                                const dnnl::memory::desc* weights);
MadePrimitive to_input_primitive(const ops::ConvShape& conv, std::int64_t images,
                                 const dnnl::memory::desc* weights);
/// The sum over the positions of `patch`. Operands begin with the first element it sees, and have
/// the strides of whole images.
MadePrimitive to_weight_primitive(const ops::ConvShape& conv, std::int64_t images,
                                  const ConvPatch& patch, const dnnl::memory::desc* weights);

}  // namespace chop::runtime
