// The SIMD level, and the functions of libhwy that Highway's headers call. Loading the library
// itself would cost every start a few milliseconds, because it calibrates a timer that we never
// use.
#include "support/system/simd_level.hpp"

#include <hwy/highway.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace chop::support {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"baseline", "avx2", "avx512"};

struct Choice {
  SimdLevel level;
  bool fixed;
};

Choice limited_to(SimdLevel most) {
  return {std::min(most, machine_simd_level()), true};
}

Choice first_choice() {
  const char* wanted = std::getenv("CH_SIMD");
  const auto named = simd_level_from_name(wanted == nullptr ? "" : wanted);
  return named ? limited_to(*named) : Choice{machine_simd_level(), false};
}

std::atomic<Choice>& choice() {
  static std::atomic<Choice> current = first_choice();
  return current;
}

}  // namespace

std::string_view name_of(SimdLevel level) {
  return kNames.at(static_cast<std::size_t>(level));
}

std::optional<SimdLevel> simd_level_from_name(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<SimdLevel>(found - kNames.begin());
}

std::vector<std::string> simd_level_names() {
  return {kNames.begin(), kNames.end()};
}

SimdLevel machine_simd_level() {
#if HWY_ARCH_X86
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (!avx2) return SimdLevel::Baseline;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  return avx512 ? SimdLevel::Avx512 : SimdLevel::Avx2;
#else
  return SimdLevel::Baseline;
#endif
}

SimdLevel simd_level() {
  return choice().load().level;
}

bool is_simd_level_fixed() {
  return choice().load().fixed;
}

void limit_simd_level(SimdLevel most) {
  choice() = limited_to(most);
  hwy::GetChosenTarget().DeInit();  // choose again at the next call
}

}  // namespace chop::support

#if HWY_ARCH_X86
static_assert(HWY_MAJOR == 1, "compare the functions below with those that hwy/targets.h declares");

namespace hwy {

/// Those of the level that we build for (see CMakeLists.txt); the headers add the baseline.
std::int64_t SupportedTargets() {
  std::int64_t targets = 0;
  if (chop::simd_level() >= chop::SimdLevel::Avx2) targets |= HWY_AVX2;
  if (chop::simd_level() >= chop::SimdLevel::Avx512) targets |= HWY_AVX3;
  return targets;
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

/// A broken assertion inside Highway.
void Abort(const char* file, int line, const char* format, ...) {
  std::fprintf(stderr, "%s:%d: ", file, line);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::abort();
}

}  // namespace hwy
#endif
