// Ctrl-C asks a long action to stop at the next good moment; a second one ends it at once.
#pragma once

#include "support/layers.hpp"

namespace chop::cli {

/// While one exists, SIGINT, SIGTERM and SIGHUP set a flag instead of ending the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool requested();
};

}  // namespace chop::cli
