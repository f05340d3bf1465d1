// Pairs backend: convolutions of bytes with exact sums on vectors of any width, for processors
// without VNNI and AMX (pairs/byte_product.hpp has the micro-kernel).
//
// The algorithm is an implicit im2col, as the AMX backend's: the rows of the input that a tile sees
// are copied once, with zeros around them, and each output position has the address of its window
// in the copy. A row of a window without dilation lies there in one run, whatever the number of
// channels:
//
//   window 3 x 3, 64 channels     3 runs of 48 steps of four bytes
//   window 7 x 7, 3 channels      7 runs of 6 steps: 21 bytes, and 3 that meet weights of zero
//
// Bytes are multiplied in quads where no sum of two products can leave 16 bits: for inputs up to
// 127 (what follows a relu in a signed format of 8 bits) that is always so, for others it depends
// on the weights, which are known. Quads need unsigned inputs: signed ones are copied with 128
// added, and 128 times the sum of its weights is taken off a channel's sum. Other jobs run in
// pairs, on a copy with 16 bits a value.
#include "runtime/conv/frozen/backends/pairs/byte_product.hpp"
#include "runtime/conv/frozen/conv_backend.hpp"
#include "runtime/conv/frozen/padded_rows.hpp"
#include "support/system/big_memory.hpp"

namespace chop::runtime::backends::pairs {
namespace {

constexpr std::int64_t kStepBytes = 4;
constexpr std::int32_t kShift = 128;  ///< added to signed inputs that are multiplied in quads

std::vector<ConvTile> tiles_of(const ConvJob& job) {
  return direct_tiles(job.shape, job.element_bytes(), 2 * kTileWork);
}

class PairsConv : public TiledConv {
 public:
  explicit PairsConv(const ConvJob& job)
      : TiledConv(tiles_of(job)), conv_(job.shape), rows_{job.shape}, is_signed_(job.is_signed()) {
    const ops::Window& w = conv_.window;
    rows_are_runs_ = w.dilation.w == 1;
    group_ = byte_group_channels();
    const std::vector<std::int8_t> weights =
        job.quantised_weights(0, conv_.out_channels * conv_.in_channels * w.kernel.area());
    set_way(ByteWay::Quads);
    if (!has_byte_quads() || quads_may_overflow(job, weights)) set_way(ByteWay::Pairs);
    pack(weights);
  }

  std::size_t scratch_bytes(std::size_t number) const override {
    const ConvTile& tile = tiles()[number];
    return static_cast<std::size_t>(copied_bytes(tile)) +
           static_cast<std::size_t>(positions_of(tile)) * sizeof(const std::byte*);
  }

  void run(std::size_t number, const std::byte* images, std::byte* accumulators,
           std::byte* scratch) override {
    const ConvTile& tile = tiles()[number];
    auto* const addresses = reinterpret_cast<const std::byte**>(scratch);
    std::byte* const copied =
        scratch + positions_of(tile) * static_cast<std::int64_t>(sizeof(void*));
    auto* to = reinterpret_cast<std::int32_t*>(accumulators);
    for (std::int64_t n = tile.image; n < tile.image + tile.images; ++n) {
      const std::byte* const image = images + n * conv_.window.in.area() * conv_.in_channels;
      find_addresses(tile, rows_for(tile, image, copied), addresses);
      run_image(tile, {addresses, static_cast<std::size_t>(positions_of(tile))}, to);
      to += positions_of(tile) * tile.channels;
    }
  }

 private:
  void set_way(ByteWay way) {
    way_ = way;
    rows_.element = way == ByteWay::Quads ? 1 : 2;
    const ops::Window& w = conv_.window;
    const std::int64_t run = (rows_are_runs_ ? w.kernel.w : 1) * conv_.in_channels;
    steps_ = ceil_div(run * rows_.element, kStepBytes);
    runs_.clear();
    for (std::int64_t y = 0; y < w.kernel.h; ++y)
      for (std::int64_t x = 0; x < (rows_are_runs_ ? 1 : w.kernel.w); ++x)
        runs_.push_back((y * w.dilation.h * rows_.width() + x * w.dilation.w) * conv_.in_channels *
                        rows_.element);
    // Windows of one position need no copy, where no step reads beyond them.
    reads_images_ = way == ByteWay::Quads && !is_signed_ && w.kernel.area() == 1 &&
                    w.padding == ops::Extent{0, 0, 0} && conv_.in_channels % kStepBytes == 0;
  }

  /// The weight of output channel o for value `value` of step `step` of run `run`.
  std::int8_t weight_at(const std::vector<std::int8_t>& weights, std::int64_t o, std::int64_t run,
                        std::int64_t value) const {
    const ops::Extent& kernel = conv_.window.kernel;
    const std::int64_t channels = conv_.in_channels;
    const std::int64_t y = rows_are_runs_ ? run : run / kernel.w;
    const std::int64_t x = rows_are_runs_ ? value / channels : run % kernel.w;
    const std::int64_t c = rows_are_runs_ ? value % channels : value;
    return runtime::weight_at(conv_, weights, o, c, y, x);
  }

  /// Whether a sum of two neighbouring products could leave 16 bits.
  bool quads_may_overflow(const ConvJob& job, const std::vector<std::int8_t>& weights) const {
    const std::int64_t most = is_signed_ ? 255 : static_cast<std::int64_t>(job.grid->high);
    const std::int64_t limit = std::numeric_limits<std::int16_t>::max();
    for (std::int64_t o = 0; o < conv_.out_channels; ++o)
      for (std::int64_t run = 0; run < std::ssize(runs_); ++run)
        for (std::int64_t value = 0; value < steps_ * kStepBytes; value += 2) {
          const std::int64_t a = weight_at(weights, o, run, value);
          const std::int64_t b = weight_at(weights, o, run, value + 1);
          const std::int64_t above = std::max<std::int64_t>(a, 0) + std::max<std::int64_t>(b, 0);
          const std::int64_t below = std::min<std::int64_t>(a, 0) + std::min<std::int64_t>(b, 0);
          if (most * above > limit || most * below < -limit) return true;
        }
    return false;
  }

  /// [group of channels, run, step, channel, values of a step].
  void pack(const std::vector<std::int8_t>& weights) {
    const std::int64_t groups = ceil_div(conv_.out_channels, group_);
    const std::int64_t values = kStepBytes / rows_.element;
    weights_ = allocate_together(static_cast<std::size_t>(groups * group_bytes()));
    initial_.assign(static_cast<std::size_t>(groups * group_), 0);
    std::byte* to = weights_.get();
    for (std::int64_t first = 0; first < groups * group_; first += group_)
      for (std::int64_t run = 0; run < std::ssize(runs_); ++run)
        for (std::int64_t step = 0; step < steps_; ++step)
          for (std::int64_t o = first; o < first + group_; ++o)
            for (std::int64_t i = 0; i < values; ++i) {
              const std::int16_t weight = weight_at(weights, o, run, step * values + i);
              std::memcpy(to, &weight, static_cast<std::size_t>(rows_.element));
              to += rows_.element;
              if (is_shifted()) initial_[static_cast<std::size_t>(o)] -= kShift * weight;
            }
  }

  bool is_shifted() const { return is_signed_ && way_ == ByteWay::Quads; }
  std::int64_t group_bytes() const {
    return static_cast<std::int64_t>(runs_.size()) * steps_ * group_ * kStepBytes;
  }
  std::int64_t positions_of(const ConvTile& tile) const { return tile.rows * conv_.window.out.w; }
  /// The last step of the last window may reach beyond it.
  std::int64_t copied_bytes(const ConvTile& tile) const {
    return reads_images_ ? 0 : rows_.rows(tile) * rows_.row_bytes() + kStepBytes;
  }

  /// Where the rows that a tile sees begin: in the image itself, or in a copy with zeros around it.
  const std::byte* rows_for(const ConvTile& tile, const std::byte* image, std::byte* copied) const {
    if (reads_images_) return image + conv_.window.row(tile.row, 0) * rows_.row_bytes();
    std::byte* const end = rows_.copy(tile, image, is_shifted() ? kShift : 0, copied,
                                      [this](const std::byte* from, std::int64_t count,
                                             std::byte* to) { copy_values(from, count, to); });
    std::memset(end, 0, kStepBytes);
    return copied;
  }

  void copy_values(const std::byte* from, std::int64_t count, std::byte* to) const {
    if (way_ == ByteWay::Pairs)
      copy_widened(from, count, is_signed_, reinterpret_cast<std::int16_t*>(to));
    else if (is_signed_)
      copy_flipped(from, count, to);
    else
      std::memcpy(to, from, static_cast<std::size_t>(count));
  }

  void find_addresses(const ConvTile& tile, const std::byte* rows, const std::byte** to) const {
    const ops::Window& w = conv_.window;
    for (std::int64_t y = 0; y < tile.rows; ++y)
      for (std::int64_t x = 0; x < w.out.w; ++x)
        *to++ = rows + y * w.stride.h * rows_.row_bytes() +
                x * w.stride.w * conv_.in_channels * rows_.element;
  }

  void run_image(const ConvTile& tile, std::span<const std::byte* const> positions,
                 std::int32_t* accumulators) const {
    for (std::int64_t c = 0; c < tile.channels; c += group_) {
      const std::int64_t group = (tile.channel + c) / group_;
      multiply_bytes({.way = way_,
                      .positions = positions,
                      .runs = runs_,
                      .steps = steps_,
                      .weights = weights_.get() + group * group_bytes(),
                      .initial = initial_.data() + group * group_,
                      .accumulators = accumulators + c,
                      .stride = tile.channels,
                      .channels = std::min(group_, tile.channels - c)});
    }
  }

  ops::ConvShape conv_;
  PaddedRows rows_;
  bool is_signed_ = false;
  ByteWay way_ = ByteWay::Quads;
  bool rows_are_runs_ = true;  ///< a row of a window has no gaps
  bool reads_images_ = false;  ///< without a copy
  std::vector<std::int64_t> runs_;
  std::int64_t steps_ = 0;  ///< of a run
  std::int64_t group_ = 0;  ///< channels of a group
  std::shared_ptr<std::byte[]> weights_;
  std::vector<std::int32_t> initial_;
};

std::string declines(const ConvJob& job) {
  if (!job.grid) return "floats";
  if (job.shape.groups != 1) return "several groups";
  if (job.shape.dims > 2) return "more than two dimensions";
  return {};
}

std::unique_ptr<TiledConv> make(const ConvJob& job) {
  return std::make_unique<PairsConv>(job);
}

}  // namespace

ConvBackend define() {
  return {.name = "pairs",
          .doc = "implicit im2col with exact sums of bytes on any vectors",
          .preference = -1,
          .declines = declines,
          .make = make};
}

}  // namespace chop::runtime::backends::pairs
