// Hardware counters through PAPI: instructions, cycles, cache misses of the calling thread.
//
// A build without PAPI, a virtual machine without counters and a kernel that forbids them are
// usual; open() then says which, and the caller goes on without.
#pragma once

#include "support/result.hpp"

namespace chop::runtime {

struct CounterValue {
  std::string name;  ///< "instructions"
  std::int64_t value = 0;
};

class HardwareCounters {
 public:
  static Result<HardwareCounters> open();
  HardwareCounters(HardwareCounters&& other) noexcept;
  HardwareCounters& operator=(HardwareCounters&& other) noexcept;
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;
  ~HardwareCounters();

  Status start();
  /// What was counted since start().
  Result<std::vector<CounterValue>> stop();

 private:
  HardwareCounters() = default;
  static constexpr int kNone = -1;  ///< PAPI's own value for no set of events

  int events_ = kNone;
  std::vector<std::string> names_;
};

}  // namespace chop::runtime
