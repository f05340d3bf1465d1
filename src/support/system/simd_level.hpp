// Which vector instructions this process uses: all the processor has, or fewer on request
// (--simd, or the variable CH_SIMD), to have the same bits as a smaller machine.
#pragma once

#include "support/result.hpp"

namespace chop::support {

/// In rising order. Baseline is what every processor of the architecture has: SSE2, or NEON, where
/// there are no others.
enum class SimdLevel { Baseline, Avx2, Avx512 };

std::string_view name_of(SimdLevel level);
std::optional<SimdLevel> simd_level_from_name(std::string_view name);
/// All of this architecture: baseline, avx2, avx512; or neon.
std::vector<std::string> simd_level_names();

/// The highest level that the processor and the operating system support.
SimdLevel machine_simd_level();
/// Those of simd_level_names() that this machine has.
std::vector<std::string> machine_simd_level_names();
/// The level in use: at first the machine's, or that of CH_SIMD if it is lower.
SimdLevel simd_level();
/// Whether multiplications and additions are fused at this level; SSE2 rounds in between.
bool has_fused_arithmetic(SimdLevel level);
/// Whether a level was requested. If so, extensions beyond it (VNNI, AMX) are not used either, so
/// that all machines of that level give the same bits.
bool is_simd_level_fixed();
/// Uses no more than `most` from here on. To be called before oneDNN is first used, because
/// oneDNN's own limit cannot be changed afterwards.
void limit_simd_level(SimdLevel most);
/// The same by name. A level that there is not, or not on this machine, is an error that begins
/// with `source`, "--simd" or "CH_SIMD".
Status use_simd_level(std::string_view source, std::string_view name);
/// What is recorded beside a result: the level in use where the result's bits depend on it, which
/// is so when oneDNN computed it, or without fused arithmetic; else "".
std::string simd_fingerprint(bool by_onednn);
/// Whether a result with the fingerprint `then` has other bits than this level gives now. A
/// fingerprint that is missing where there should be one says nothing.
bool is_other_simd_fingerprint(std::string_view then, bool by_onednn);
/// What the variable CH_SIMD says, where it is set.
std::optional<std::string> simd_level_variable();

}  // namespace chop::support
