// Work in a child process: what it writes is returned; a crash or a time-out is an error here.
#include "support/system/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

namespace chop {
namespace {

TEST(ChildProcess, WhatItWritesComesBackInOrder) {
  const std::string large(1 << 20, 'x');
  const auto answer = run_in_child(
      [&](const ChildWrite& write) {
        write(std::as_bytes(std::span(large)));
        write(std::as_bytes(std::span("end").first(3)));
      },
      {});
  ASSERT_TRUE(answer) << to_string(answer.error());
  const auto bytes = answer.value().bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), large + "end");
  const auto nothing = run_in_child([](const ChildWrite&) {}, {});
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing.value().bytes().empty());
}

TEST(ChildProcess, CrashesAndEndlessWorkAreErrors) {
  const auto crash = run_in_child([](const ChildWrite&) { std::raise(SIGSEGV); }, {});
  ASSERT_FALSE(crash);
  EXPECT_EQ(crash.error().what, "a child process crashed");
  const auto abort = run_in_child([](const ChildWrite&) { std::abort(); }, {});
  EXPECT_FALSE(abort);
  const auto endless = run_in_child(
      [](const ChildWrite&) {
        while (::getpid() != 0) continue;
      },
      {.processor_seconds = 1});
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().what, "a child process took more than 1 second of processor time");
}

TEST(ChildProcess, AChildThatSleepsIsEndedByTheClock) {
  const auto asleep = run_in_child([](const ChildWrite&) { std::raise(SIGSTOP); }, {.seconds = 1});
  ASSERT_FALSE(asleep);
  EXPECT_EQ(asleep.error().what, "a child process took more than 1 second");
}

TEST(ChildProcess, AKillIsToldFromATimeOut) {
  const auto killed = run_in_child([](const ChildWrite&) { std::raise(SIGKILL); }, {});
  ASSERT_FALSE(killed);
  EXPECT_EQ(killed.error().what, "a child process was killed");
}

TEST(ChildProcess, MemoryIsLimited) {
  const auto large = [](const ChildWrite& write) {
    void* memory = std::malloc(std::size_t{600} << 20U);
    const char answer = memory == nullptr ? 'n' : 'y';
    write(std::as_bytes(std::span(&answer, 1)));
    std::free(memory);
  };
  EXPECT_EQ(run_in_child(large, {}).value().bytes()[0], std::byte{'y'});
  EXPECT_EQ(run_in_child(large, {.bytes = std::size_t{300} << 20U}).value().bytes()[0],
            std::byte{'n'});
}

TEST(ChildProcess, AChildDiesWithItsParent) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    (void)run_in_child(
        [&](const ChildWrite&) {
          const pid_t self = ::getpid();
          (void)!::write(ends[1], &self, sizeof(self));
          ::pause();
        },
        {});
    ::_exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(ends[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  ::close(ends[1]);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "the pipe closes when the child is gone";
  ::close(ends[0]);
}

}  // namespace
}  // namespace chop
