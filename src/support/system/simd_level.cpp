// The SIMD level, and the functions of libhwy that Highway's headers call. Loading the library
// itself would cost every start a few milliseconds, because it calibrates a timer that we never
// use.
#include "support/system/simd_level.hpp"

#include <hwy/highway.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "support/text.hpp"

namespace chop::support {
namespace {

#if HWY_ARCH_X86
constexpr std::array<std::string_view, 3> kNames = {"baseline", "avx2", "avx512"};
#else
constexpr std::array<std::string_view, 1> kNames = {"neon"};
#endif

/// As aligned as it is large: clang asks libatomic for anything else.
struct alignas(8) Choice {
  SimdLevel level;
  bool fixed;
};

Choice limited_to(SimdLevel most) {
  return {std::min(most, machine_simd_level()), true};
}

Choice first_choice() {
  const auto named = simd_level_from_name(simd_level_variable().value_or(""));
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

std::vector<std::string> machine_simd_level_names() {
  return {kNames.begin(), kNames.begin() + static_cast<int>(machine_simd_level()) + 1};
}

SimdLevel simd_level() {
  return choice().load().level;
}

bool has_fused_arithmetic(SimdLevel level) {
#if HWY_ARCH_X86
  return level >= SimdLevel::Avx2;
#else
  return level >= SimdLevel::Baseline;
#endif
}

bool is_simd_level_fixed() {
  return choice().load().fixed;
}

void limit_simd_level(SimdLevel most) {
  choice() = limited_to(most);
  hwy::GetChosenTarget().DeInit();  // choose again at the next call
}

Status use_simd_level(std::string_view source, std::string_view name) {
  const std::string has = join(machine_simd_level_names(), ", ");
  const std::optional<SimdLevel> level = simd_level_from_name(name);
  if (!level)
    return Error{.what = cat(source, ": there is no level '", name, "' of vector instructions"),
                 .hint = cat(did_you_mean(name, simd_level_names()), "this processor has ", has)};
  if (*level > machine_simd_level())
    return Error{.what = cat(source, ": this processor has no ", name),
                 .hint = cat("it has ", has)};
  limit_simd_level(*level);
  return {};
}

std::string simd_fingerprint(bool by_onednn) {
  const SimdLevel level = simd_level();
  return by_onednn || !has_fused_arithmetic(level) ? std::string(name_of(level)) : "";
}

bool is_other_simd_fingerprint(std::string_view then, bool by_onednn) {
  if (by_onednn) return !then.empty() && then != name_of(simd_level());
  const std::optional<SimdLevel> level = simd_level_from_name(then);
  const bool was_fused = !level || has_fused_arithmetic(*level);
  return was_fused != has_fused_arithmetic(simd_level());
}

std::optional<std::string> simd_level_variable() {
  const char* wanted = std::getenv("CH_SIMD");
  if (wanted == nullptr || *wanted == '\0') return std::nullopt;
  return wanted;
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
