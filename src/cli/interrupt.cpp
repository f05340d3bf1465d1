#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace chop::cli {
namespace {

std::atomic<bool> interrupt_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free flags");

extern "C" void on_signal(int number) {
  if (interrupt_requested.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_requested = false;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGHUP, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGHUP, SIG_DFL);
}

bool InterruptGuard::requested() {
  return interrupt_requested;
}

}  // namespace chop::cli
