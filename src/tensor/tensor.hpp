// Dense tensors: a dtype, a shape, and 64-byte aligned row-major bytes.
//
// A Tensor is a value. Copies share their bytes until one of them is written
// (copy on write), so copying a graph with its weights costs almost nothing.
#pragma once

#include "support/result.hpp"

namespace chop::tensor {

enum class DType : std::uint8_t { F32, F64, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, Bool };

std::size_t size_of(DType dtype);
/// Our name ("f32"), also used in text forms.
std::string_view name_of(DType dtype);
/// "torch.float32": what users of the reference system read in metadata.
std::string torch_name_of(DType dtype);
Result<DType> dtype_from_name(std::string_view name);
bool is_floating(DType dtype);

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType kValue = DType::F32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType kValue = DType::F64;
};
template <>
struct DTypeOf<std::int64_t> {
  static constexpr DType kValue = DType::I64;
};
template <>
struct DTypeOf<std::int32_t> {
  static constexpr DType kValue = DType::I32;
};
template <>
struct DTypeOf<std::int16_t> {
  static constexpr DType kValue = DType::I16;
};
template <>
struct DTypeOf<std::int8_t> {
  static constexpr DType kValue = DType::I8;
};
template <>
struct DTypeOf<std::uint64_t> {
  static constexpr DType kValue = DType::U64;
};
template <>
struct DTypeOf<std::uint32_t> {
  static constexpr DType kValue = DType::U32;
};
template <>
struct DTypeOf<std::uint16_t> {
  static constexpr DType kValue = DType::U16;
};
template <>
struct DTypeOf<std::uint8_t> {
  static constexpr DType kValue = DType::U8;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType kValue = DType::Bool;
};

using Shape = std::vector<std::int64_t>;

/// Number of elements; 1 for the empty shape (a scalar).
std::int64_t numel(const Shape& shape);
/// "[8, 16]"
std::string to_string(const Shape& shape);

struct TensorType {
  DType dtype = DType::F32;
  Shape shape;

  bool operator==(const TensorType&) const = default;
  std::size_t bytes() const { return static_cast<std::size_t>(numel(shape)) * size_of(dtype); }
};

class Tensor {
 public:
  Tensor() : Tensor(DType::F32, Shape{0}) {}
  /// Zero-filled.
  Tensor(DType dtype, Shape shape);
  explicit Tensor(const TensorType& type) : Tensor(type.dtype, type.shape) {}

  template <class T>
  static Tensor of(Shape shape, std::span<const T> values);
  template <class T>
  static Tensor of(Shape shape, std::initializer_list<T> values) {
    return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }
  static Tensor scalar(double value, DType dtype = DType::F32);
  static Tensor full(Shape shape, double value, DType dtype = DType::F32);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  TensorType type() const { return {dtype_, shape_}; }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape_.size()); }
  std::int64_t dim(std::int64_t axis) const;  ///< negative axes count from the end
  std::int64_t size() const { return count_; }
  std::size_t size_in_bytes() const { return static_cast<std::size_t>(count_) * size_of(dtype_); }

  const std::byte* bytes() const { return storage_.get(); }
  std::byte* mutable_bytes();

  /// The elements; T must be the tensor's own type.
  template <class T>
  std::span<const T> data() const;
  template <class T>
  std::span<T> mutable_data();

  /// Any element as a double, whatever the dtype; slow, for tests and reports.
  double at(std::int64_t index) const;
  /// The same values in another dtype, rounded once to nearest-even where it is narrower.
  /// Reals become whole numbers toward zero and within range, NaN 0; not zero becomes true.
  Tensor to(DType dtype) const;
  /// The same bytes under another shape with as many elements.
  Tensor reshaped(Shape shape) const;

  /// Same dtype, shape and bits (so NaN equals NaN, and 0 differs from -0).
  bool operator==(const Tensor& other) const;

 private:
  DType dtype_;
  Shape shape_;
  std::int64_t count_;
  std::shared_ptr<std::byte[]> storage_;
};

template <class T>
std::span<const T> Tensor::data() const {
  return {reinterpret_cast<const T*>(storage_.get()), static_cast<std::size_t>(count_)};
}

template <class T>
std::span<T> Tensor::mutable_data() {
  return {reinterpret_cast<T*>(mutable_bytes()), static_cast<std::size_t>(count_)};
}

template <class T>
Tensor Tensor::of(Shape shape, std::span<const T> values) {
  Tensor tensor(DTypeOf<T>::kValue, std::move(shape));
  const std::span<T> out = tensor.mutable_data<T>();
  for (std::size_t i = 0; i < out.size() && i < values.size(); ++i) out[i] = values[i];
  return tensor;
}

/// IEEE half precision and bfloat16: nearest-even, NaNs quietened with the payload kept.
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);
inline float bfloat_to_float(std::uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}
std::uint16_t float_to_bfloat(float value);

}  // namespace chop::tensor
