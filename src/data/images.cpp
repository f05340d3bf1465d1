#include "data/images.hpp"

#include "support/system/threads.hpp"

namespace chop::data {

Split images_to_split(const Tensor& pixels, const Tensor& labels, std::span<const float> mean,
                      std::span<const float> deviation, std::int64_t rows, int threads) {
  assert(pixels.rank() == 4 && pixels.dtype() == DType::U8 && "bytes [n, c, h, w]");
  assert(pixels.dim(0) == labels.size() && "a label for every image");
  Shape shape = pixels.shape();
  if (rows > 0) shape[0] = std::min(shape[0], rows);
  const auto channels = static_cast<std::size_t>(shape[1]);
  const auto plane = static_cast<std::size_t>(shape[2] * shape[3]);
  Split split{.x = Tensor(DType::F32, shape), .y = Tensor(DType::I64, {shape[0]})};
  std::copy_n(labels.data<std::int64_t>().begin(), shape[0],
              split.y.mutable_data<std::int64_t>().begin());
  const std::span<const std::uint8_t> from = pixels.data<std::uint8_t>();
  const std::span<float> to = split.x.mutable_data<float>();
  parallel_for(threads, shape[0], [&](std::int64_t image) {
    for (std::size_t c = 0; c < channels; ++c) {
      // 256 answers cover every pixel of a channel.
      std::array<float, 256> table;
      for (std::size_t v = 0; v < 256; ++v) {
        table[v] = static_cast<float>(v) / 255.0F;
        if (!mean.empty()) table[v] = (table[v] - mean[c]) / deviation[c];
      }
      const std::size_t begin = (static_cast<std::size_t>(image) * channels + c) * plane;
      for (std::size_t i = begin; i < begin + plane; ++i) to[i] = table[from[i]];
    }
  });
  return split;
}

}  // namespace chop::data
