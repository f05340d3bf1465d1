// The C++ tests' main(): as GoogleTest's own, and a test that fails says how to run it alone.
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

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new HowToRepeat(argv[0]));
  return RUN_ALL_TESTS();
}
