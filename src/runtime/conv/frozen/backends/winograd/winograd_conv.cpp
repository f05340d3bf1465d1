// Winograd's minimal filtering F(2 x 2, 3 x 3) (Lavin and Gray, arXiv:1509.09308):
//
//   Y = A^T [ (G g G^T) * (B^T d B) ] A        d: 4 x 4 inputs, g: 3 x 3 weights, Y: 2 x 2 outputs,
//                                              *: element by element, added up over input channels
//
//         | 1  0 -1  0 |        |  1    0    0  |
//   B^T = | 0  1  1  0 |    G = | 1/2  1/2  1/2 |    A^T = | 1  1  1  0 |
//         | 0 -1  1  0 |        | 1/2 -1/2  1/2 |          | 0  1 -1 -1 |
//         | 0  1  0 -1 |        |  0    0    1  |
//
// In one dimension: inputs d0 d1 d2 d3, weights g0 g1 g2. The products (d0 - d2) g0,
// (d1 + d2)(g0 + g1 + g2)/2, (d2 - d1)(g0 - g1 + g2)/2 and (d1 - d3) g2 are m0 to m3, and
// m0 + m1 + m2 = d0 g0 + d1 g1 + d2 g2, m1 - m2 - m3 = d1 g0 + d2 g1 + d3 g2: four products instead
// of six.
//
// Weights are transformed once. A tile is done in three steps: all its patches are transformed; for
// each panel of output channels, 16 matrix products [patches, in] x [in, panel] follow, one for
// each of the 16 elements; then the outputs are transformed back. Channels are last throughout, so
// every step works on vectors of channels. (The paper calls a patch a tile; here a tile is the
// unit of work, with many patches.)
#include "runtime/conv/frozen/backends/winograd/winograd_conv.hpp"

#include "support/system/big_memory.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/conv/frozen/backends/winograd/winograd_conv.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/gemm/gemm_tiles-inl.hpp"

#ifndef CH_WINOGRAD_JOB
#define CH_WINOGRAD_JOB
namespace chop::runtime {

constexpr std::int64_t kOutput = kWinogradOutput;
constexpr std::int64_t kPatch = 4;                   ///< inputs of a patch, each way
constexpr std::int64_t kProducts = kPatch * kPatch;  ///< of a patch, for each pair of channels
constexpr std::int64_t kLanes = 16;                  ///< channels come in multiples of it

/// The patches of a tile, row by row.
struct PatchGrid {
  std::int64_t down, across, count;

  PatchGrid(const ops::ConvShape& conv, const ConvTile& tile)
      : down(ceil_div(tile.rows, kOutput)),
        across(ceil_div(conv.window.out.w, kOutput)),
        count(tile.images * down * across) {}
};

struct WinogradJob {
  const ops::ConvShape& conv;
  const ConvTile& tile;
  PatchGrid patches;
  const float* images;
  const float* zeros;
  const float* weights;
  const float* bias;
  float* inputs;    ///< [product, patch, channel in]: B^T d B
  float* products;  ///< [product, patch, channel of a panel]
  float* accumulators;
};

}  // namespace chop::runtime
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::runtime {
namespace HWY_NAMESPACE {
namespace {

/// B^T d of four inputs of a row or column.
HWY_INLINE void input_transform(const Vec (&d)[kPatch], Vec (&to)[kPatch]) {
  to[0] = hn::Sub(d[0], d[2]);
  to[1] = hn::Add(d[1], d[2]);
  to[2] = hn::Sub(d[2], d[1]);
  to[3] = hn::Sub(d[1], d[3]);
}

/// A^T m of four products: two outputs.
HWY_INLINE void output_transform(const Vec (&m)[kPatch], Vec (&to)[kOutput]) {
  to[0] = hn::Add(hn::Add(m[0], m[1]), m[2]);
  to[1] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
}

/// The addresses of the patch that begins at row y, column x of an image; zeros in the padding.
void locate_patch(const WinogradJob& job, const float* image, std::int64_t y, std::int64_t x,
                  const float* (&at)[kProducts]) {
  const ops::Extent& in = job.conv.window.in;
  for (std::int64_t i = 0; i < kPatch; ++i)
    for (std::int64_t j = 0; j < kPatch; ++j) {
      const bool inside = y + i >= 0 && y + i < in.h && x + j >= 0 && x + j < in.w;
      at[i * kPatch + j] =
          inside ? image + ((y + i) * in.w + x + j) * job.conv.in_channels : job.zeros;
    }
}

/// B^T d B for all channels of one patch; products are `step` apart.
void transform_patch(const float* const (&at)[kProducts], std::int64_t channels, std::int64_t step,
                     float* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  for (std::int64_t c = 0; c < channels; c += lanes) {
    Vec half[kPatch][kPatch];  // by column
    for (std::int64_t j = 0; j < kPatch; ++j) {
      const Vec column[kPatch] = {hn::LoadU(kTag, at[j] + c), hn::LoadU(kTag, at[kPatch + j] + c),
                                  hn::LoadU(kTag, at[2 * kPatch + j] + c),
                                  hn::LoadU(kTag, at[3 * kPatch + j] + c)};
      input_transform(column, half[j]);
    }
    for (std::int64_t i = 0; i < kPatch; ++i) {
      const Vec row[kPatch] = {half[0][i], half[1][i], half[2][i], half[3][i]};
      Vec done[kPatch];
      input_transform(row, done);
      for (std::int64_t j = 0; j < kPatch; ++j)
        hn::StoreU(done[j], kTag, to + (i * kPatch + j) * step + c);
    }
  }
}

void transform_inputs(const WinogradJob& job) {
  const ops::Window& window = job.conv.window;
  const std::int64_t channels = job.conv.in_channels;
  float* to = job.inputs;
  for (std::int64_t n = 0; n < job.tile.images; ++n) {
    const float* const image = job.images + (job.tile.image + n) * window.in.area() * channels;
    for (std::int64_t i = 0; i < job.patches.down; ++i)
      for (std::int64_t j = 0; j < job.patches.across; ++j, to += channels) {
        const float* at[kProducts];
        locate_patch(job, image, window.row(job.tile.row + i * kOutput, 0),
                     window.column(j * kOutput, 0), at);
        transform_patch(at, channels, job.patches.count * channels, to);
      }
  }
}

/// A^T m A for a panel: `width` channels beginning with `first`.
void transform_outputs(const WinogradJob& job, std::int64_t first, std::int64_t width) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const std::int64_t out_w = job.conv.window.out.w, row = job.tile.channels;
  const std::int64_t step = job.patches.count * width;
  const float* from = job.products;
  for (std::int64_t n = 0; n < job.tile.images; ++n)
    for (std::int64_t i = 0; i < job.tile.rows; i += kOutput)
      for (std::int64_t j = 0; j < out_w; j += kOutput, from += width) {
        float* const to = job.accumulators + ((n * job.tile.rows + i) * out_w + j) * row + first -
                          job.tile.channel;
        const std::int64_t high = std::min(kOutput, job.tile.rows - i);
        const std::int64_t wide = std::min(kOutput, out_w - j);
        for (std::int64_t c = 0; c < width; c += lanes) {
          Vec half[kPatch][kOutput];
          for (std::int64_t k = 0; k < kPatch; ++k) {
            const float* m = from + k * step + c;
            const Vec column[kPatch] = {hn::LoadU(kTag, m), hn::LoadU(kTag, m + kPatch * step),
                                        hn::LoadU(kTag, m + 2 * kPatch * step),
                                        hn::LoadU(kTag, m + 3 * kPatch * step)};
            output_transform(column, half[k]);
          }
          const Vec add =
              job.bias == nullptr ? hn::Zero(kTag) : hn::LoadU(kTag, job.bias + first + c);
          for (std::int64_t y = 0; y < kOutput; ++y) {
            const Vec row_of[kPatch] = {half[0][y], half[1][y], half[2][y], half[3][y]};
            Vec done[kOutput];
            output_transform(row_of, done);
            for (std::int64_t x = 0; x < kOutput; ++x)
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

void winograd_tile(const WinogradJob& job) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const std::int64_t channels = job.conv.in_channels, patches = job.patches.count;
  transform_inputs(job);
  const std::int64_t end = job.tile.channel + job.tile.channels;
  for (std::int64_t first = job.tile.channel; first < end;) {
    const std::int64_t width = panel_width(job.conv.out_channels, first);
    const Gemm product{
        .m = patches, .n = width, .k = channels, .a_row = channels, .b_row = width, .c_row = width};
    const float* weights = job.weights + first * kProducts * channels;
    for (std::int64_t p = 0; p < kProducts; ++p)
      panel_rows(product, false, static_cast<int>(width / lanes),
                 job.inputs + p * patches * channels,
                 {weights + p * channels * width, width, lanes, true}, nullptr,
                 job.products + p * patches * width);
    transform_outputs(job, first, width);
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
HWY_EXPORT(winograd_tile);
HWY_EXPORT(winograd_pack);
namespace {

/// G g of three weights, in double until the result is rounded once.
std::array<double, kPatch> weight_transform(double a, double b, double c) {
  return {a, (a + b + c) / 2, (a - b + c) / 2, c};
}

/// G g G^T of all weights, [product, channel in, channel out].
std::vector<float> transform_weights(const ops::ConvShape& conv, const float* weights) {
  const std::int64_t in = conv.in_channels, out = conv.out_channels;
  std::vector<float> all(static_cast<std::size_t>(kProducts * in * out));
  for (std::int64_t o = 0; o < out; ++o)
    for (std::int64_t c = 0; c < in; ++c) {
      const float* g = weights + (o * in + c) * 9;
      std::array<std::array<double, kPatch>, 3> half;
      for (std::size_t j = 0; j < 3; ++j) half[j] = weight_transform(g[j], g[3 + j], g[6 + j]);
      for (std::size_t i = 0; i < kPatch; ++i) {
        const std::array<double, kPatch> row = weight_transform(half[0][i], half[1][i], half[2][i]);
        for (std::size_t j = 0; j < kPatch; ++j)
          all[((i * kPatch + j) * static_cast<std::size_t>(in) + static_cast<std::size_t>(c)) *
                  static_cast<std::size_t>(out) +
              static_cast<std::size_t>(o)] = static_cast<float>(row[j]);
      }
    }
  return all;
}

}  // namespace

bool WinogradConv::can_run(const ops::ConvShape& conv) {
  return conv.in_channels % kLanes == 0 && conv.out_channels % kLanes == 0 &&
         kLanes % gemm_vector_floats() == 0 && kTileChannels % gemm_panel_floats() == 0;
}

WinogradConv::WinogradConv(const ops::ConvShape& conv, const float* weights)
    : conv_(conv), zeros_(static_cast<std::size_t>(conv.in_channels)) {
  const std::vector<float> plain = transform_weights(conv, weights);
  const std::shared_ptr<std::byte[]> memory = allocate_together(plain.size() * sizeof(float));
  auto* packed = reinterpret_cast<float*>(memory.get());
  HWY_DYNAMIC_DISPATCH(winograd_pack)(plain.data(), conv.in_channels, conv.out_channels, packed);
  weights_ = {memory, packed};
}

std::size_t WinogradConv::scratch_bytes(const ConvTile& tile) const {
  const std::int64_t each = conv_.in_channels + gemm_panel_floats();
  return static_cast<std::size_t>(kProducts * PatchGrid(conv_, tile).count * each) * sizeof(float);
}

void WinogradConv::run(const ConvTile& tile, const float* images, const float* bias,
                       float* accumulators, std::byte* scratch) const {
  const PatchGrid patches(conv_, tile);
  auto* const inputs = reinterpret_cast<float*>(scratch);
  HWY_DYNAMIC_DISPATCH(winograd_tile)
  ({conv_, tile, patches, images, zeros_.data(), weights_.get(), bias, inputs,
    inputs + kProducts * patches.count * conv_.in_channels, accumulators});
}

}  // namespace chop::runtime
#endif
