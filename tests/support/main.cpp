// The C++ tests' main(): as GoogleTest's own, a test that fails or ends the process says how to run
// it alone, and those that tests/exclusions.txt names for this build are left out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

/// Of the sanitisers, where the build has one.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

/// How to run the test that is running alone, and the process that says so: tests fork others.
std::string repeat_it;
pid_t says_it = 0;

class HowToRepeat : public testing::EmptyTestEventListener {
 public:
  explicit HowToRepeat(std::string program) : program_(std::move(program)) {
    if (const char* level = std::getenv("CH_SIMD"))
      program_ = "CH_SIMD=" + (level + (" " + program_));
  }

  void OnTestStart(const testing::TestInfo& test) override {
    repeat_it = "to repeat it: " + program_ + " --gtest_filter='" + test.test_suite_name() + "." +
                test.name() + "'\n";
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed()) std::printf("%s", repeat_it.c_str());
  }

 private:
  std::string program_;
};

void on_death() {
  if (getpid() != says_it) return;
  std::fflush(stdout);
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, repeat_it.data(), repeat_it.size());
}

void on_signal(int signal) {
  on_death();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void say_how_to_repeat_deaths() {
  says_it = getpid();
  std::signal(SIGABRT, on_signal);
  if (__sanitizer_set_death_callback != nullptr) return __sanitizer_set_death_callback(on_death);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, on_signal);
}

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
  say_how_to_repeat_deaths();
  const int result = RUN_ALL_TESTS();
  says_it = 0;  // leaks that are found at the end belong to no test
  return result;
}
