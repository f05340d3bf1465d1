// AMX through intrinsics, for x86 on Linux; elsewhere has_amx() says no.
//
// A block of 32 x 32 accumulators is four tile registers. Each step loads two tiles of positions
// and two of weights and does four multiplications, 16 x 16 x 64 products each:
//
//                weights 6   weights 7
//   positions 4  sums 0      sums 1
//   positions 5  sums 2      sums 3
#include "runtime/conv/frozen/backends/amx/amx_unit.hpp"

#include "support/system/simd_level.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#define CH_AMX __attribute__((target("amx-tile,amx-int8")))

namespace chop::runtime {
namespace {

constexpr int kTileRows = 16;
constexpr int kTileBytes = 64;  ///< of a row
constexpr int kTiles = 8;       ///< 0 to 3: accumulators; 4 and 5: positions; 6 and 7: weights

/// As the instruction wants it: a palette, then the bytes of a row and the rows of each tile.
struct alignas(64) Config {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(Config) == 64);

/// The compiler does not know that tiles are loaded from memory and stored to it.
void settle_memory(const void* at = nullptr) {
  __asm__ volatile("" ::"r"(at) : "memory");
}

bool processor_has_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTile = 1U << 24U, kInt8 = 1U << 25U;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kTile) != 0 && (d & kInt8) != 0;
}

/// Tiles are large, so the system gives them to those alone who ask.
bool system_allows_amx() {
  constexpr long kRequest = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;     // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

CH_AMX void set_up_tiles() {
  Config config;
  for (int i = 0; i < kTiles; ++i) {
    config.row_bytes[i] = kTileBytes;
    config.rows[i] = kTileRows;
  }
  settle_memory(&config);
  _tile_loadconfig(&config);
}

CH_AMX void give_up_tiles() {
  _tile_release();
}

/// 32 or 16 positions, bytes signed or unsigned: the instructions differ.
template <bool kSign, bool kHalf>
CH_AMX void multiply(const AmxBlock& block) {
  _tile_zero(0);
  _tile_zero(1);
  if constexpr (!kHalf) {
    _tile_zero(2);
    _tile_zero(3);
  }
  const std::byte* weights = block.weights;
  for (const std::int64_t offset : block.offsets) {
    const std::byte* const positions = block.positions + offset;
    _tile_loadd(6, weights, kTileBytes);
    _tile_loadd(7, weights + kAmxWeights / 2, kTileBytes);
    _tile_loadd(4, positions, block.stride);
    if constexpr (kSign) {
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
    } else {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
    }
    if constexpr (!kHalf) {
      _tile_loadd(5, positions + kTileRows * block.stride, block.stride);
      if constexpr (kSign) {
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
      } else {
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
      }
    }
    weights += kAmxWeights;
  }
}

}  // namespace

bool has_amx() {
  static const bool has = !is_simd_level_fixed() && processor_has_amx() && system_allows_amx();
  return has;
}

AmxTiles::AmxTiles() {
  set_up_tiles();
}

AmxTiles::~AmxTiles() {
  give_up_tiles();
}

CH_AMX void amx_multiply(const AmxBlock& block, std::int32_t* accumulators) {
  settle_memory();
  if (block.is_signed)
    block.half ? multiply<true, true>(block) : multiply<true, false>(block);
  else
    block.half ? multiply<false, true>(block) : multiply<false, false>(block);
  constexpr std::int64_t kRow = kAmxChannels * sizeof(std::int32_t);
  _tile_stored(0, accumulators, kRow);
  _tile_stored(1, accumulators + kAmxChannels / 2, kRow);
  if (!block.half) {
    _tile_stored(2, accumulators + kTileRows * kAmxChannels, kRow);
    _tile_stored(3, accumulators + kTileRows * kAmxChannels + kAmxChannels / 2, kRow);
  }
  settle_memory();
}

}  // namespace chop::runtime

#else  // no such unit

namespace chop::runtime {

bool has_amx() {
  return false;
}
AmxTiles::AmxTiles() = default;
AmxTiles::~AmxTiles() = default;
void amx_multiply(const AmxBlock& /*block*/, std::int32_t* /*accumulators*/) {
  assert(false && "has_amx() says no");
}

}  // namespace chop::runtime
#endif
