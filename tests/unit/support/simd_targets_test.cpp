// What Highway's dispatch may choose from, against what the system says of the processor.
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

TEST(SimdTargets, AreThoseTheProcessorHas) {
  const std::set<std::string> flags = processor_flags();
  if (flags.empty()) GTEST_SKIP() << "no /proc/cpuinfo";
  const auto has_all = [&](std::initializer_list<const char*> wanted) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const char* flag) { return flags.contains(flag); });
  };
  const bool avx2 = has_all({"avx2", "fma", "bmi1", "bmi2"});
  const bool avx512 = avx2 && has_all({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"});
  EXPECT_EQ((hwy::SupportedTargets() & HWY_AVX2) != 0, avx2);
  EXPECT_EQ((hwy::SupportedTargets() & HWY_AVX3) != 0, avx512);
}
#endif

}  // namespace
}  // namespace chop
