// Ctrl-C asks a long action to stop at the next good moment; a second one ends it at once.
#pragma once

#include "support/layers.hpp"

namespace chop::cli {

/// While one exists, SIGINT, SIGTERM, SIGHUP, SIGPIPE (the reader of our output is gone) and what
/// batch systems send before they end a job (SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU) are remembered
/// instead of ending the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool requested() { return signal() != 0; }
  /// The signal that came, also after the guard is gone; 0: none.
  static int signal();
};

}  // namespace chop::cli
