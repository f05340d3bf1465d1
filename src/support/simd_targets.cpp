// Which instruction sets Highway's dispatch may choose from: the two functions of libhwy that its
// headers call. Loading the library itself costs every start a few milliseconds, in which it
// measures a clock we never read.
#include <hwy/targets.h>

#if HWY_ARCH_X86
namespace hwy {

/// Those of the processor that the operating system keeps the registers of, as far as we build for
/// them (see CMakeLists.txt); the headers add the baseline.
std::int64_t SupportedTargets() {
  __builtin_cpu_init();
  std::int64_t found = 0;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (avx2) found |= HWY_AVX2;
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    found |= HWY_AVX3;
  return found;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
#endif
