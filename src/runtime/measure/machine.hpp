// What this machine can do at best, measured: the reference for the percentages of
// `ch bench-model`.
#pragma once

#include "support/layers.hpp"

namespace chop::runtime {

struct MachineSpeed {
  double flops = 0;  ///< per second, of the fastest of three square float32 products
  double bytes = 0;  ///< per second of a large copy, read and written bytes together
};

/// Takes half a second; each is the best of many tries.
MachineSpeed measure_machine(int threads);

/// "2.6.3": of the library that is loaded.
std::string onednn_version();

}  // namespace chop::runtime
