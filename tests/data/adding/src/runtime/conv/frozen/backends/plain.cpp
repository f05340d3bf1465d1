// Plain backend: direct convolution of floats, one product after the other.
#include "runtime/conv/frozen/conv_backend.hpp"

namespace chop::runtime::backends::plain {
namespace {

class PlainConv : public TiledConv {
 public:
  explicit PlainConv(const ConvJob& job)
      : TiledConv(direct_tiles(job.shape, job.element_bytes(), kTileWork)),
        conv_(job.shape),
        weights_(job.weights,
                 job.weights + conv_.out_channels * conv_.group_in() * conv_.window.kernel.area()),
        bias_(job.bias) {}

  std::size_t scratch_bytes(std::size_t /*tile*/) const override { return 0; }

  void run(std::size_t tile, const std::byte* images, std::byte* accumulators,
           std::byte* /*scratch*/) override {
    const ConvTile& part = tiles()[tile];
    const auto* x = reinterpret_cast<const float*>(images);
    auto* sum = reinterpret_cast<float*>(accumulators);
    for (std::int64_t n = part.image; n < part.image + part.images; ++n)
      for (std::int64_t row = part.row; row < part.row + part.rows; ++row)
        for (std::int64_t column = 0; column < conv_.window.out.w; ++column)
          for (std::int64_t o = part.channel; o < part.channel + part.channels; ++o)
            *sum++ = element(x + n * conv_.window.in.area() * conv_.in_channels, row, column, o);
  }

 private:
  /// The result for output channel `o` at one position of an image with its channels last.
  float element(const float* image, std::int64_t row, std::int64_t column, std::int64_t o) const {
    const ops::Window& window = conv_.window;
    const std::int64_t first = o / conv_.group_out() * conv_.group_in();
    const float* weight = weights_.data() + o * conv_.group_in() * window.kernel.area();
    double sum = bias_.empty() ? 0 : static_cast<double>(bias_[static_cast<std::size_t>(o)]);
    for (std::int64_t c = 0; c < conv_.group_in(); ++c)
      for (std::int64_t i = 0; i < window.kernel.h; ++i)
        for (std::int64_t j = 0; j < window.kernel.w; ++j, ++weight) {
          const std::int64_t y = window.row(row, i);
          const std::int64_t x = window.column(column, j);
          if (window.contains(0, y, x))
            sum += static_cast<double>(*weight) *
                   static_cast<double>(image[window.at(0, y, x) * conv_.in_channels + first + c]);
        }
    return static_cast<float>(sum);
  }

  ops::ConvShape conv_;
  std::vector<float> weights_;
  std::vector<float> bias_;
};

std::string declines(const ConvJob& job) {
  if (job.grid) return "images of integers";
  return job.shape.dims > 2 ? "more than two dimensions" : "";
}

}  // namespace

ConvBackend define() {
  return {.name = "plain",
          .doc = "direct convolution of floats, one product after the other",
          .preference = 1000,
          .declines = declines,
          .make = [](const ConvJob& job) -> std::unique_ptr<TiledConv> {
            return std::make_unique<PlainConv>(job);
          }};
}

}  // namespace chop::runtime::backends::plain
