// Helpers that several families of ONNX operators use: layers with parameters, reshapes, windows,
// padding.
#pragma once

#include <initializer_list>

#include "onnx/onnx_def.hpp"

namespace chop::onnx {

using LayerParams = std::vector<std::pair<std::string, ImportValue>>;

/// A layer with parameters: a module when all of them are constants, else a function that takes
/// them as operands. Their formats become the module's.
ImportValue layer(const OnnxCall& call, std::string_view op, ImportValue x, Attrs attrs,
                  const LayerParams& params);

/// Whether a format treats all elements alike, whatever their position.
bool is_uniform(const NumberFormat& format);

ImportValue reshaped(Importer& make, ImportValue x, Shape shape);
ImportValue permuted(Importer& make, ImportValue x, Ints order);
/// x in another dtype; x itself if it has that one.
ImportValue cast(Importer& make, ImportValue x, DType dtype);
/// x op number, as a constant operand of x's type.
ImportValue with_number(Importer& make, std::string_view op, ImportValue x, double number);
/// A one-dimensional constant of whole numbers.
ImportValue whole_numbers(Importer& make, const Ints& values);

/// Largest kernel size, stride, dilation and padding; the product of two fits 64 bits.
constexpr std::int64_t kMostWindow = std::int64_t{1} << 24;
/// Whether `list` holds `count` numbers from `least` to kMostWindow.
bool fits_window(const Ints& list, std::size_t count, std::int64_t least);
/// Whether kernel_shape, strides and dilations hold `dims` such numbers from 1 on; fails if not.
bool check_window(const OnnxCall& call, std::initializer_list<Ints> lists, std::size_t dims);

/// Spatial padding of convolutions and pools from `pads` and `auto_pad`.
struct Padding {
  Ints begin;
  Ints end;
  bool is_symmetric() const { return begin == end; }
};
/// `dims` spatial sizes of the input, and the effective size of the kernel (with dilation).
Padding padding_of(const OnnxCall& call, const Ints& dims, const Ints& kernel, const Ints& stride,
                   const Ints& dilation);
/// x with its last dimensions padded.
ImportValue padded(Importer& make, ImportValue x, const Padding& padding, double value);

}  // namespace chop::onnx
