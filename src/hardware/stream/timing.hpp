// When the words of a dataflow come: its handshakes, cycle by cycle, without what the words hold.
#pragma once

#include "hardware/stream/dataflow.hpp"

namespace chop::hardware {

struct StreamTiming {
  std::int64_t latency = 0;   ///< cycles from the first word in to the last word of its sample out
  std::int64_t interval = 0;  ///< most cycles from the end of a sample to that of the next
};
/// Where a word comes whenever one is taken, and the result is taken at once. An error where the
/// circuit comes to a halt.
Result<StreamTiming> timing_of(const Dataflow& dataflow);

}  // namespace chop::hardware
