#include "tensor/tensor.hpp"

#include <cstring>
#include <type_traits>

#include "support/system/big_memory.hpp"
#include "support/text.hpp"

namespace chop::tensor {
namespace {

struct DTypeInfo {
  std::string_view name;
  std::string_view torch;
  std::size_t size;
  bool floating;
};

constexpr std::array<DTypeInfo, 13> kDTypes = {{
    {"f32", "float32", 4, true},
    {"f64", "float64", 8, true},
    {"f16", "float16", 2, true},
    {"bf16", "bfloat16", 2, true},
    {"i64", "int64", 8, false},
    {"i32", "int32", 4, false},
    {"i16", "int16", 2, false},
    {"i8", "int8", 1, false},
    {"u64", "uint64", 8, false},
    {"u32", "uint32", 4, false},
    {"u16", "uint16", 2, false},
    {"u8", "uint8", 1, false},
    {"bool", "bool", 1, false},
}};

const DTypeInfo& info(DType dtype) {
  return kDTypes.at(static_cast<std::size_t>(dtype));
}

/// Calls visit(T{}) with the C++ type that stores `dtype`; halves count as their bits.
template <class Visit>
auto with_type(DType dtype, Visit visit) {
  switch (dtype) {
    case DType::F32:
      return visit(float{});
    case DType::F64:
      return visit(double{});
    case DType::F16:
    case DType::BF16:
      return visit(std::uint16_t{});
    case DType::I64:
      return visit(std::int64_t{});
    case DType::I32:
      return visit(std::int32_t{});
    case DType::I16:
      return visit(std::int16_t{});
    case DType::I8:
      return visit(std::int8_t{});
    case DType::U64:
      return visit(std::uint64_t{});
    case DType::U32:
      return visit(std::uint32_t{});
    case DType::U16:
      return visit(std::uint16_t{});
    case DType::U8:
      return visit(std::uint8_t{});
    case DType::Bool:
      return visit(bool{});
  }
  return visit(float{});
}

template <class T>
double load(DType dtype, T stored) {
  if (dtype == DType::F16) return half_to_float(static_cast<std::uint16_t>(stored));
  if (dtype == DType::BF16) return bfloat_to_float(static_cast<std::uint16_t>(stored));
  return static_cast<double>(stored);
}

/// Rounds to odd: an inexact result goes to the neighbour with an odd last bit. Rounding that float
/// once more gives what rounding `value` directly would (Boldo and Melquiond 2008), so double
/// rounding does no harm.
float to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(value)) return nearest;
  if (!std::isfinite(nearest)) return nearest;
  if ((__builtin_bit_cast(std::uint32_t, nearest) & 1U) != 0) return nearest;
  const bool up = static_cast<double>(nearest) < value;
  return std::nextafter(nearest, up ? std::numeric_limits<float>::infinity()
                                    : -std::numeric_limits<float>::infinity());
}

/// Toward zero, held inside the range of T; NaN becomes 0.
template <class T>
T to_whole(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

template <class T>
T store(DType dtype, double value) {
  if (dtype == DType::F16) return static_cast<T>(float_to_half(to_odd(value)));
  if (dtype == DType::BF16) return static_cast<T>(float_to_bfloat(to_odd(value)));
  if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else if constexpr (std::is_integral_v<T>)
    return to_whole<T>(value);
  else
    return static_cast<T>(value);
}

/// One element of another dtype. Whole numbers never pass through a double that could
/// round them first.
template <class To, class From>
To convert(DType to, DType from, From stored) {
  if constexpr (std::is_same_v<From, std::uint64_t>) {
    if (to == DType::F32 || to == DType::F64) return static_cast<To>(stored);
    if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>) {
      if (to != DType::F16 && to != DType::BF16)
        return static_cast<To>(std::min<std::uint64_t>(
            stored, static_cast<std::uint64_t>(std::numeric_limits<To>::max())));
    }
  }
  if constexpr (std::is_same_v<From, std::int64_t>) {
    if (to == DType::F32 || to == DType::F64) return static_cast<To>(stored);
    if (to == DType::F16 || to == DType::BF16) {
      // Without its lowest ten bits the number fits a double; a sticky bit records whether any was
      // set.
      const bool large = stored >= (std::int64_t{1} << 53) || stored <= -(std::int64_t{1} << 53);
      const std::int64_t kept =
          large ? ((stored >> 10) | ((stored & 1023) != 0 ? 1 : 0)) * 1024 : stored;
      return store<To>(to, static_cast<double>(kept));
    }
    if constexpr (std::is_same_v<To, std::uint64_t>)
      return stored < 0 ? 0 : static_cast<To>(stored);
    else if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>)
      return static_cast<To>(std::clamp<std::int64_t>(stored, std::numeric_limits<To>::min(),
                                                      std::numeric_limits<To>::max()));
  }
  return store<To>(to, load(from, stored));
}

}  // namespace

std::size_t size_of(DType dtype) {
  return info(dtype).size;
}

std::string_view name_of(DType dtype) {
  return info(dtype).name;
}

std::string torch_name_of(DType dtype) {
  return cat("torch.", info(dtype).torch);
}

bool is_floating(DType dtype) {
  return info(dtype).floating;
}

Result<DType> dtype_from_name(std::string_view name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes.at(i).name == name) return static_cast<DType>(i);
    known.emplace_back(kDTypes.at(i).name);
  }
  return Error{.what = cat("unknown dtype '", name, "'"), .hint = "one of " + join(known, ", ")};
}

std::int64_t numel(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) count *= dim;
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), count_(numel(shape_)) {
  assert(count_ >= 0 && "a tensor needs a known, non-negative shape");
  storage_ = allocate_zeroed(size_in_bytes());
}

Tensor Tensor::scalar(double value, DType dtype) {
  return full({}, value, dtype);
}

Tensor Tensor::full(Shape shape, double value, DType dtype) {
  Tensor tensor(dtype, std::move(shape));
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (T& element : tensor.mutable_data<T>()) element = store<T>(dtype, value);
  });
  return tensor;
}

std::int64_t Tensor::dim(std::int64_t axis) const {
  if (axis < 0) axis += rank();
  assert(axis >= 0 && axis < rank() && "axis out of range");
  return shape_[static_cast<std::size_t>(axis)];
}

std::byte* Tensor::mutable_bytes() {
  if (storage_.use_count() > 1) {
    auto copy = allocate_zeroed(size_in_bytes());
    std::memcpy(copy.get(), storage_.get(), size_in_bytes());
    storage_ = std::move(copy);
  }
  return storage_.get();
}

double Tensor::at(std::int64_t index) const {
  assert(index >= 0 && index < count_ && "element out of range");
  return with_type(dtype_, [&](auto zero) {
    return load(dtype_, data<decltype(zero)>()[static_cast<std::size_t>(index)]);
  });
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  Tensor result(dtype, shape_);
  with_type(dtype_, [&](auto from_zero) {
    const auto from = data<decltype(from_zero)>();
    with_type(dtype, [&](auto to_zero) {
      using To = decltype(to_zero);
      const auto out = result.mutable_data<To>();
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = convert<To>(dtype, dtype_, from[i]);
    });
  });
  return result;
}

Tensor Tensor::reshaped(Shape shape) const {
  assert(numel(shape) == count_ && "a reshape keeps the number of elements");
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

bool Tensor::operator==(const Tensor& other) const {
  return dtype_ == other.dtype_ && shape_ == other.shape_ &&
         (storage_ == other.storage_ || std::memcmp(bytes(), other.bytes(), size_in_bytes()) == 0);
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 31) return __builtin_bit_cast(float, sign | 0x7F800000U | (fraction << 13));
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                   : std::ldexp(static_cast<float>(fraction + 1024),
                                                static_cast<int>(exponent) - 25);
  return sign != 0 ? -size : size;
}

std::uint16_t float_to_half(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) {
    const auto payload = (__builtin_bit_cast(std::uint32_t, value) >> 13) & 0x1FFU;
    return static_cast<std::uint16_t>(sign | 0x7E00U | payload);
  }
  const float size = std::abs(value);
  if (size >= 65520.0F) return sign | 0x7C00;
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);
  const int step = std::max(exponent - 11, -24);  // exponent of the result's last bit
  const float units = std::nearbyint(std::ldexp(size, -step));
  // The sum carries into the exponent field by itself when rounding reaches a power of two.
  const int biased = step + 24;
  return static_cast<std::uint16_t>(sign | (static_cast<int>(units) + biased * 1024));
}

std::uint16_t float_to_bfloat(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

}  // namespace chop::tensor
