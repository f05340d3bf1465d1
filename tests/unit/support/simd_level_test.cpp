#include "support/system/simd_level.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

namespace chop {
namespace {

#if HWY_ARCH_X86
std::set<std::string> processor_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(SimdLevel, IsThatOfTheProcessor) {
  const std::set<std::string> flags = processor_flags();
  if (flags.empty()) GTEST_SKIP() << "no /proc/cpuinfo";
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

}  // namespace
}  // namespace chop
