// The C++ tests' main(): as GoogleTest's own, a test that fails says how to run it alone, and those
// that tests/exclusions.txt names for this build are left out.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace {

class HowToRepeat : public testing::EmptyTestEventListener {
 public:
  explicit HowToRepeat(std::string program) : program_(std::move(program)) {}

  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed())
      std::printf("to repeat it: %s --gtest_filter='%s.%s'\n", program_.c_str(),
                  test.test_suite_name(), test.name());
  }

 private:
  std::string program_;
};

/// A filter without the tests in CH_EXCLUDED, "Suite.Name:Suite.Name".
std::string without_excluded(const std::string& filter) {
  const std::string excluded = CH_EXCLUDED;
  if (excluded.empty()) return filter;
  return filter + (filter.find('-') == std::string::npos ? '-' : ':') + excluded;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!GTEST_FLAG_GET(list_tests))  // cli.exclusions_test looks for the excluded ones in the list
    GTEST_FLAG_SET(filter, without_excluded(GTEST_FLAG_GET(filter)));
  testing::UnitTest::GetInstance()->listeners().Append(new HowToRepeat(argv[0]));
  return RUN_ALL_TESTS();
}
