// Denormal numbers, those below 2^-126 in magnitude: processors compute with them, but up to a
// hundred times slower. A thread can be told to take them for zeros, as operands and as results.
//
// x86-64 and AArch64 have a switch for it; elsewhere nothing happens.
#pragma once

#include "support/layers.hpp"

namespace chop::support {

enum class Denormals : std::uint8_t { Kept, Zero };

namespace detail {

#if defined(__x86_64__) || defined(__i386__)
using FloatControl = unsigned;
constexpr FloatControl kZeroBits = 0x8040;  // flush to zero, denormals are zeros
inline FloatControl float_control() {
  return __builtin_ia32_stmxcsr();
}
inline void set_float_control(FloatControl control) {
  __builtin_ia32_ldmxcsr(control);
}
#elif defined(__aarch64__)
using FloatControl = std::uint64_t;
constexpr FloatControl kZeroBits = FloatControl{1} << 24;  // FZ
inline FloatControl float_control() {
  FloatControl control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void set_float_control(FloatControl control) {
  asm volatile("msr fpcr, %0" : : "r"(control));
}
#else
using FloatControl = unsigned;
constexpr FloatControl kZeroBits = 0;
inline FloatControl float_control() {
  return 0;
}
inline void set_float_control(FloatControl /*control*/) {}
#endif

}  // namespace detail

/// How this thread treats them.
inline Denormals denormals_here() {
  return (detail::float_control() & detail::kZeroBits) != 0 ? Denormals::Zero : Denormals::Kept;
}

/// How this thread treats them until the end of the scope.
class DenormalScope {
 public:
  explicit DenormalScope(Denormals wanted) : before_(detail::float_control()) {
    const detail::FloatControl rest = before_ & ~detail::kZeroBits;
    const detail::FloatControl now = wanted == Denormals::Zero ? rest | detail::kZeroBits : rest;
    changed_ = now != before_;
    if (changed_) detail::set_float_control(now);
  }
  ~DenormalScope() {
    if (changed_) detail::set_float_control(before_);
  }
  DenormalScope(const DenormalScope&) = delete;
  DenormalScope& operator=(const DenormalScope&) = delete;

 private:
  detail::FloatControl before_;
  bool changed_;
};

}  // namespace chop::support
