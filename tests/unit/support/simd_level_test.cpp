#include "support/system/simd_level.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>
#if HWY_ARCH_X86
#include <cpuid.h>
#endif

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "support/text.hpp"

namespace chop {
namespace {

#if HWY_ARCH_X86
/// What the processor calls itself.
std::string processor_name() {
  std::string name;
  for (const unsigned leaf : {0x80000002U, 0x80000003U, 0x80000004U}) {
    std::array<unsigned, 4> words = {};
    if (__get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]) == 0) return {};
    name.append(reinterpret_cast<const char*>(words.data()), sizeof words);
  }
  return name.c_str();
}

/// Nothing where the file describes another processor than the one we see: under an emulator.
std::set<std::string> processor_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name") && line.substr(line.find(':') + 2) != processor_name())
      return {};
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(SimdLevel, IsThatOfTheProcessor) {
  const std::set<std::string> flags = processor_flags();
  if (flags.empty()) GTEST_SKIP() << "no /proc/cpuinfo of this processor";
  const auto has_all = [&](std::initializer_list<const char*> wanted) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const char* flag) { return flags.contains(flag); });
  };
  const bool avx2 = has_all({"avx2", "fma", "bmi1", "bmi2"});
  const bool avx512 = avx2 && has_all({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"});
  EXPECT_EQ(machine_simd_level() >= SimdLevel::Avx2, avx2);
  EXPECT_EQ(machine_simd_level() >= SimdLevel::Avx512, avx512);
}

TEST(SimdLevel, DecidesWhatHighwayMayChooseFrom) {
  EXPECT_EQ((hwy::SupportedTargets() & HWY_AVX2) != 0, simd_level() >= SimdLevel::Avx2);
  EXPECT_EQ((hwy::SupportedTargets() & HWY_AVX3) != 0, simd_level() >= SimdLevel::Avx512);
}
#endif

TEST(SimdLevel, NamesReadBack) {
  for (const std::string& name : simd_level_names())
    EXPECT_EQ(name_of(simd_level_from_name(name).value()), name);
  EXPECT_FALSE(simd_level_from_name("avx").has_value());
}

TEST(SimdLevel, ThatIsUnknownOrNotHereIsAnErrorWithThoseThereAre) {
  const Status unknown = use_simd_level("--simd", "sse9");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "--simd: there is no level 'sse9' of vector instructions");
  std::string has;
  for (const std::string& name : machine_simd_level_names())
    has += cat(has.empty() ? "" : ", ", name);
  EXPECT_NE(unknown.error().hint.find(has), std::string::npos) << unknown.error().hint;
  for (const std::string& name : simd_level_names()) {
    if (simd_level_from_name(name).value() <= machine_simd_level()) continue;
    const Status missing = use_simd_level("CH_SIMD", name);
    ASSERT_FALSE(missing) << name;
    EXPECT_EQ(missing.error().what, cat("CH_SIMD: this processor has no ", name));
    EXPECT_EQ(missing.error().hint, cat("it has ", has));
  }
}

TEST(SimdLevel, IsRecordedWhereBitsDependOnIt) {
  const std::string now(name_of(simd_level()));
  const bool fused = has_fused_arithmetic(simd_level());
  EXPECT_EQ(simd_fingerprint(/*by_onednn=*/true), now);
  EXPECT_EQ(simd_fingerprint(/*by_onednn=*/false), fused ? "" : now);
  EXPECT_FALSE(is_other_simd_fingerprint(simd_fingerprint(true), true));
  EXPECT_FALSE(is_other_simd_fingerprint(simd_fingerprint(false), false));
  EXPECT_FALSE(is_other_simd_fingerprint("", true)) << "written before levels were recorded";
  for (const std::string& name : simd_level_names()) {
    EXPECT_EQ(is_other_simd_fingerprint(name, true), name != now) << name;
    EXPECT_EQ(is_other_simd_fingerprint(name, false),
              has_fused_arithmetic(simd_level_from_name(name).value()) != fused)
        << name;
  }
}

}  // namespace
}  // namespace chop
