// Work in a child process: its bytes come back, its crashes do not.
#include "support/system/child_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

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
      10);
  ASSERT_TRUE(answer) << to_string(answer.error());
  const auto bytes = answer.value().bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), large + "end");
  const auto nothing = run_in_child([](const ChildWrite&) {}, 10);
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing.value().bytes().empty());
}

TEST(ChildProcess, CrashesAndEndlessWorkAreErrors) {
  const auto crash = run_in_child([](const ChildWrite&) { std::raise(SIGSEGV); }, 10);
  ASSERT_FALSE(crash);
  EXPECT_EQ(crash.error().what, "a child process crashed");
  const auto abort = run_in_child([](const ChildWrite&) { std::abort(); }, 10);
  EXPECT_FALSE(abort);
  const auto endless = run_in_child(
      [](const ChildWrite&) {
        while (::getpid() != 0) continue;
      },
      1);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().what, "a child process took more than 1 second of processor time");
}

}  // namespace
}  // namespace chop
