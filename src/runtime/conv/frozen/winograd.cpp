#include "runtime/conv/frozen/winograd.hpp"

#include <algorithm>
#include <array>

#include "runtime/conv/frozen/conv_sums.hpp"
#include "support/system/big_memory.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/conv/frozen/winograd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/gemm/gemm_tiles-inl.hpp"

#ifndef CH_WINOGRAD_JOB
#define CH_WINOGRAD_JOB
namespace chop::runtime {

constexpr std::int64_t kProducts = 16;  ///< of a tile, for each pair of channels
constexpr std::int64_t kTile = 2;       ///< results of a tile, each way
constexpr std::int64_t kSeen = 4;       ///< numbers that a tile sees, each way
constexpr std::int64_t kLanes = 16;     ///< channels come in so many

/// The tiles of a piece, row by row.
struct Tiles {
  std::int64_t down, across, count;

  Tiles(const ops::ConvShape& conv, const ImagePiece& piece)
      : down((piece.rows + 1) / kTile),
        across((conv.window.out.w + 1) / kTile),
        count(piece.images * down * across) {}
};

struct WinogradJob {
  const ops::ConvShape& conv;
  const ImagePiece& piece;
  Tiles tiles;
  const float* images;
  const float* zeros;
  const float* weights;
  const float* bias;
  float* seen;      ///< [product, tile, channel in]: what tiles see, transformed
  float* products;  ///< [product, tile, channel of a panel]
  float* sums;
};

}  // namespace chop::runtime
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::runtime {
namespace HWY_NAMESPACE {
namespace {

/// Four numbers of a row or column as the products want them: B^T d.
HWY_INLINE void spread(const Vec (&d)[kSeen], Vec (&to)[kSeen]) {
  to[0] = hn::Sub(d[0], d[2]);
  to[1] = hn::Add(d[1], d[2]);
  to[2] = hn::Sub(d[2], d[1]);
  to[3] = hn::Sub(d[1], d[3]);
}

/// Two results from four products: A^T m.
HWY_INLINE void gather(const Vec (&m)[kSeen], Vec (&to)[kTile]) {
  to[0] = hn::Add(hn::Add(m[0], m[1]), m[2]);
  to[1] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
}

/// Where the numbers of a tile lie that begins at row y, column x of an image.
void find_seen(const WinogradJob& job, const float* image, std::int64_t y, std::int64_t x,
               const float* (&at)[kProducts]) {
  const ops::Extent& in = job.conv.window.in;
  for (std::int64_t i = 0; i < kSeen; ++i)
    for (std::int64_t j = 0; j < kSeen; ++j) {
      const bool inside = y + i >= 0 && y + i < in.h && x + j >= 0 && x + j < in.w;
      at[i * kSeen + j] =
          inside ? image + ((y + i) * in.w + x + j) * job.conv.in_channels : job.zeros;
    }
}

/// B^T d B for all channels of one tile; products are `step` apart.
void transform_seen(const float* const (&at)[kProducts], std::int64_t channels, std::int64_t step,
                    float* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  for (std::int64_t c = 0; c < channels; c += lanes) {
    Vec half[kSeen][kSeen];  // by column
    for (std::int64_t j = 0; j < kSeen; ++j) {
      const Vec column[kSeen] = {hn::LoadU(kTag, at[j] + c), hn::LoadU(kTag, at[kSeen + j] + c),
                                 hn::LoadU(kTag, at[2 * kSeen + j] + c),
                                 hn::LoadU(kTag, at[3 * kSeen + j] + c)};
      spread(column, half[j]);
    }
    for (std::int64_t i = 0; i < kSeen; ++i) {
      const Vec row[kSeen] = {half[0][i], half[1][i], half[2][i], half[3][i]};
      Vec done[kSeen];
      spread(row, done);
      for (std::int64_t j = 0; j < kSeen; ++j)
        hn::StoreU(done[j], kTag, to + (i * kSeen + j) * step + c);
    }
  }
}

void transform_all_seen(const WinogradJob& job) {
  const ops::Window& window = job.conv.window;
  const std::int64_t channels = job.conv.in_channels;
  float* to = job.seen;
  for (std::int64_t n = 0; n < job.piece.images; ++n) {
    const float* const image = job.images + (job.piece.image + n) * window.in.area() * channels;
    for (std::int64_t i = 0; i < job.tiles.down; ++i)
      for (std::int64_t j = 0; j < job.tiles.across; ++j, to += channels) {
        const float* at[kProducts];
        find_seen(job, image, window.row(job.piece.row + i * kTile, 0), window.column(j * kTile, 0),
                  at);
        transform_seen(at, channels, job.tiles.count * channels, to);
      }
  }
}

/// A^T m A for the channels of a panel, `width` of them beginning with `first`.
void transform_products(const WinogradJob& job, std::int64_t first, std::int64_t width) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const std::int64_t out_w = job.conv.window.out.w, row = job.piece.channels;
  const std::int64_t step = job.tiles.count * width;
  const float* from = job.products;
  for (std::int64_t n = 0; n < job.piece.images; ++n)
    for (std::int64_t i = 0; i < job.piece.rows; i += kTile)
      for (std::int64_t j = 0; j < out_w; j += kTile, from += width) {
        float* const to =
            job.sums + ((n * job.piece.rows + i) * out_w + j) * row + first - job.piece.channel;
        const std::int64_t high = std::min(kTile, job.piece.rows - i);
        const std::int64_t wide = std::min(kTile, out_w - j);
        for (std::int64_t c = 0; c < width; c += lanes) {
          Vec half[kSeen][kTile];
          for (std::int64_t k = 0; k < kSeen; ++k) {
            const float* m = from + k * step + c;
            const Vec column[kSeen] = {hn::LoadU(kTag, m), hn::LoadU(kTag, m + kSeen * step),
                                       hn::LoadU(kTag, m + 2 * kSeen * step),
                                       hn::LoadU(kTag, m + 3 * kSeen * step)};
            gather(column, half[k]);
          }
          const Vec add =
              job.bias == nullptr ? hn::Zero(kTag) : hn::LoadU(kTag, job.bias + first + c);
          for (std::int64_t y = 0; y < kTile; ++y) {
            const Vec line[kSeen] = {half[0][y], half[1][y], half[2][y], half[3][y]};
            Vec done[kTile];
            gather(line, done);
            for (std::int64_t x = 0; x < kTile; ++x)
              if (y < high && x < wide)
                hn::StoreU(hn::Add(done[x], add), kTag, to + (y * out_w + x) * row + c);
          }
        }
      }
}

std::int64_t panel_width(std::int64_t channels, std::int64_t first) {
  return std::min(kPanel * static_cast<std::int64_t>(hn::Lanes(kTag)), channels - first);
}

}  // namespace

void winograd_piece(const WinogradJob& job) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const std::int64_t channels = job.conv.in_channels, tiles = job.tiles.count;
  transform_all_seen(job);
  const std::int64_t end = job.piece.channel + job.piece.channels;
  for (std::int64_t first = job.piece.channel; first < end;) {
    const std::int64_t width = panel_width(job.conv.out_channels, first);
    const Gemm product{
        .m = tiles, .n = width, .k = channels, .a_row = channels, .b_row = width, .c_row = width};
    const float* weights = job.weights + first * kProducts * channels;
    for (std::int64_t p = 0; p < kProducts; ++p)
      panel_rows(product, false, static_cast<int>(width / lanes), job.seen + p * tiles * channels,
                 {weights + p * channels * width, width, lanes, true}, nullptr,
                 job.products + p * tiles * width);
    transform_products(job, first, width);
    first += width;
  }
}

/// [product, channel in, channel out] to panels of [product, channel in, channel of the panel].
void winograd_pack(const float* from, std::int64_t in, std::int64_t out, float* to) {
  for (std::int64_t first = 0; first < out;) {
    const std::int64_t width = panel_width(out, first);
    for (std::int64_t row = 0; row < kProducts * in; ++row, to += width)
      std::copy_n(from + row * out + first, width, to);
    first += width;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace chop::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime {
HWY_EXPORT(winograd_piece);
HWY_EXPORT(winograd_pack);
namespace {

/// G g: the four factors of three weights, in double until they are rounded once.
std::array<double, kSeen> factors(double a, double b, double c) {
  return {a, (a + b + c) / 2, (a - b + c) / 2, c};
}

/// G g G^T of all weights, [product, channel in, channel out].
std::vector<float> transform_weights(const ops::ConvShape& conv, const float* weights) {
  const std::int64_t in = conv.in_channels, out = conv.out_channels;
  std::vector<float> all(static_cast<std::size_t>(kProducts * in * out));
  for (std::int64_t o = 0; o < out; ++o)
    for (std::int64_t c = 0; c < in; ++c) {
      const float* g = weights + (o * in + c) * 9;
      std::array<std::array<double, kSeen>, 3> half;
      for (std::size_t j = 0; j < 3; ++j) half[j] = factors(g[j], g[3 + j], g[6 + j]);
      for (std::size_t i = 0; i < kSeen; ++i) {
        const std::array<double, kSeen> row = factors(half[0][i], half[1][i], half[2][i]);
        for (std::size_t j = 0; j < kSeen; ++j)
          all[((i * kSeen + j) * static_cast<std::size_t>(in) + static_cast<std::size_t>(c)) *
                  static_cast<std::size_t>(out) +
              static_cast<std::size_t>(o)] = static_cast<float>(row[j]);
      }
    }
  return all;
}

}  // namespace

bool Winograd::suits(const ops::ConvShape& conv) {
  const ops::Window& w = conv.window;
  constexpr ops::Extent kOnes{1, 1, 1};
  constexpr std::int64_t kFewChannels = 32;  // below, sums before and after cost too much
  constexpr std::int64_t kFewTiles = 32;     // below, reading more weights costs too much
  if (w.kernel != ops::Extent{3, 3, 1} || w.stride != kOnes || w.dilation != kOnes) return false;
  if (conv.groups != 1 || conv.in_channels % kLanes != 0 || conv.out_channels % kLanes != 0 ||
      kLanes % gemm_vector_floats() != 0 || kPieceChannels % gemm_panel_floats() != 0)
    return false;
  const std::int64_t tiles = conv.batch * ((w.out.h + 1) / kTile) * ((w.out.w + 1) / kTile);
  return std::min(conv.in_channels, conv.out_channels) >= kFewChannels && tiles >= kFewTiles;
}

Winograd::Winograd(const ops::ConvShape& conv, const float* weights)
    : conv_(conv), zeros_(static_cast<std::size_t>(conv.in_channels)) {
  const std::vector<float> plain = transform_weights(conv, weights);
  const std::shared_ptr<std::byte[]> memory = allocate_together(plain.size() * sizeof(float));
  auto* packed = reinterpret_cast<float*>(memory.get());
  HWY_DYNAMIC_DISPATCH(winograd_pack)(plain.data(), conv.in_channels, conv.out_channels, packed);
  weights_ = {memory, packed};
}

std::size_t Winograd::scratch_bytes(const ImagePiece& piece) const {
  const std::int64_t each = conv_.in_channels + gemm_panel_floats();
  return static_cast<std::size_t>(kProducts * Tiles(conv_, piece).count * each) * sizeof(float);
}

void Winograd::run(const ImagePiece& piece, const float* images, const float* bias, float* sums,
                   std::byte* scratch) const {
  const Tiles tiles(conv_, piece);
  auto* const seen = reinterpret_cast<float*>(scratch);
  HWY_DYNAMIC_DISPATCH(winograd_piece)
  ({conv_, piece, tiles, images, zeros_.data(), weights_.get(), bias, seen,
    seen + kProducts * tiles.count * conv_.in_channels, sums});
}

namespace {

class WinogradSums : public ConvSums {
 public:
  explicit WinogradSums(const ConvSumsJob& job)
      : ConvSums(cut_tiles(job.shape)), winograd_(job.shape, job.weights), bias_(job.bias) {}

  std::size_t scratch_bytes(std::size_t piece) const override {
    return winograd_.scratch_bytes(pieces()[piece]);
  }
  void run(std::size_t piece, const std::byte* images, std::byte* sums,
           std::byte* scratch) override {
    winograd_.run(pieces()[piece], reinterpret_cast<const float*>(images),
                  bias_.empty() ? nullptr : bias_.data(), reinterpret_cast<float*>(sums), scratch);
  }

 private:
  Winograd winograd_;
  std::vector<float> bias_;
};

}  // namespace

std::unique_ptr<ConvSums> winograd_sums(const ConvSumsJob& job) {
  if (job.exact || job.grid || !Winograd::suits(job.shape)) return nullptr;
  return std::make_unique<WinogradSums>(job);
}

}  // namespace chop::runtime
#endif
