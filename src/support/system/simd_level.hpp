// Which vector instructions this process uses: all the processor has, or fewer on request
// (--simd, or the variable CH_SIMD), to have the same bits as a smaller machine.
#pragma once

#include "support/layers.hpp"

namespace chop::support {

/// In rising order. Baseline is what every processor of the architecture has: SSE2, or NEON.
enum class SimdLevel { Baseline, Avx2, Avx512 };

std::string_view name_of(SimdLevel level);
std::optional<SimdLevel> simd_level_from_name(std::string_view name);
/// baseline, avx2, avx512
std::vector<std::string> simd_level_names();

/// The highest level that the processor and the operating system support.
SimdLevel machine_simd_level();
/// The level in use: at first the machine's, or that of CH_SIMD if it is lower.
SimdLevel simd_level();
/// Whether a level was requested. If so, extensions beyond it (VNNI, AMX) are not used either, so
/// that all machines of that level give the same bits.
bool is_simd_level_fixed();
/// Uses no more than `most` from here on. To be called before oneDNN is first used, because
/// oneDNN's own limit cannot be changed afterwards.
void limit_simd_level(SimdLevel most);

}  // namespace chop::support
