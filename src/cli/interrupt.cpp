#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace chop::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch lock-free numbers");

extern "C" void on_signal(int number) {
  // Every line that nobody reads any more gives another SIGPIPE.
  if (number == SIGPIPE) {
    int none = 0;
    received.compare_exchange_strong(none, number);
    return;
  }
  const int earlier = received.exchange(number);
  if (earlier == 0 || earlier == SIGPIPE) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  for (const int number : kSignals) std::signal(number, on_signal);
}

InterruptGuard::~InterruptGuard() {
  for (const int number : kSignals) std::signal(number, SIG_DFL);
}

int InterruptGuard::signal() {
  return received;
}

}  // namespace chop::cli
