#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace chop::cli {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};

/// Those that come again by themselves: for every line that nobody reads any more, for every second
/// beyond the limit of processor time.
bool is_repeated(int number) {
  return number == SIGPIPE || number == SIGXCPU;
}

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch lock-free numbers");

extern "C" void on_signal(int number) {
  if (is_repeated(number)) {
    int none = 0;
    received.compare_exchange_strong(none, number);
    return;
  }
  const int earlier = received.exchange(number);
  if (earlier == 0 || is_repeated(earlier)) return;
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
