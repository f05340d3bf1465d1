// bench_bytes [SECONDS]: the convolutions of resnet18 and mobilenetv2 in 8 bits, by our AMX backend
// (those that it would decline too) and by oneDNN, in one run.
//
// Both make int32 accumulators, which must be the same, on one thread, tile by tile as in a plan.
// They take turns of a few milliseconds; the smallest processor time of a call counts, so that a
// busy machine disturbs little. A network is the sum of its layers.
//
//     ninja -C build/release bench_bytes && build/release/benchmarks/bench_bytes
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "runtime/conv/frozen/backends/amx/amx_unit.hpp"
#include "runtime/conv/frozen/conv_backend.hpp"
#include "runtime/onednn.hpp"
#include "runtime/scratch.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

/// Processor time of this thread.
double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Layer {
  std::int64_t in, out, size, kernel, stride;
  int count = 1;  ///< times that the network has it
};

// clang-format off
const std::vector<Layer> kResnet18 = {
    {3, 64, 224, 7, 2},     {64, 64, 56, 3, 1, 4},  {64, 128, 56, 3, 2},  {64, 128, 56, 1, 2},
    {128, 128, 28, 3, 1, 3}, {128, 256, 28, 3, 2},  {128, 256, 28, 1, 2}, {256, 256, 14, 3, 1, 3},
    {256, 512, 14, 3, 2},   {256, 512, 14, 1, 2},   {512, 512, 7, 3, 1, 3}, {512, 1000, 1, 1, 1}};
const std::vector<Layer> kMobilenetv2 = {  // those with one group
    {3, 32, 224, 3, 2},      {32, 16, 112, 1, 1},     {16, 96, 112, 1, 1},     {96, 24, 56, 1, 1},
    {24, 144, 56, 1, 1, 2},  {144, 24, 56, 1, 1},     {144, 32, 28, 1, 1},     {32, 192, 28, 1, 1, 3},
    {192, 32, 28, 1, 1, 2},  {192, 64, 14, 1, 1},     {64, 384, 14, 1, 1, 4},  {384, 64, 14, 1, 1, 3},
    {384, 96, 14, 1, 1},     {96, 576, 14, 1, 1, 3},  {576, 96, 14, 1, 1, 2},  {576, 160, 7, 1, 1},
    {160, 960, 7, 1, 1, 3},  {960, 160, 7, 1, 1, 2},  {960, 320, 7, 1, 1},     {320, 1280, 7, 1, 1},
    {1280, 1000, 1, 1, 1}};
// clang-format on

ops::ConvShape shape_of(const Layer& layer, std::int64_t batch) {
  ops::ConvShape shape{.batch = batch, .in_channels = layer.in, .out_channels = layer.out};
  const std::int64_t half = layer.kernel / 2;
  const std::int64_t positions = (layer.size + 2 * half - layer.kernel) / layer.stride + 1;
  shape.window.kernel = {layer.kernel, layer.kernel};
  shape.window.stride = {layer.stride, layer.stride};
  shape.window.padding = {half, half, 0};
  shape.window.in = {layer.size, layer.size};
  shape.window.out = {positions, positions};
  return shape;
}

/// One backend on one layer.
class Contender {
 public:
  Contender(std::string_view backend, const ConvJob& job)
      : conv_(find_conv_backend(backend)->make(job)), row_(job.shape.window.out.w) {}

  /// All tiles, into the same memory; returns the sum of the accumulators where it is asked for.
  std::int64_t run(const std::vector<std::byte>& images, std::vector<std::int32_t>& memory,
                   bool add_up = false) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < conv_->tiles().size(); ++i) {
      conv_->run(i, images.data(), reinterpret_cast<std::byte*>(memory.data()),
                 thread_scratch(conv_->scratch_bytes(i)));
      const ConvTile& tile = conv_->tiles()[i];
      if (add_up)
        for (std::int64_t at = 0; at < tile.images * tile.rows * row_ * tile.channels; ++at)
          sum += memory[static_cast<std::size_t>(at)];
    }
    return sum;
  }

  /// A turn: once to bring the data into the cache, then some milliseconds of calls.
  void time(const std::vector<std::byte>& images, std::vector<std::int32_t>& memory) {
    run(images, memory);
    const double begin = seconds_now();
    do {
      const double start = seconds_now();
      run(images, memory);
      best_ = std::min(best_, seconds_now() - start);
    } while (seconds_now() - begin < 4e-3);
  }

  double best() const { return best_; }

 private:
  std::unique_ptr<TiledConv> conv_;
  std::int64_t row_;
  double best_ = 1e9;
};

/// Seconds of ours and of oneDNN's.
struct Times {
  double ours = 0, theirs = 0;
};

Times race(const Layer& layer, std::int64_t batch, double seconds) {
  const Stream die(1, "bytes");
  std::uint64_t n = 0;
  ConvJob job{.shape = shape_of(layer, batch), .grid = Grid{}, .weight_grid = Grid{}};
  job.grid->low = 0;  // as behind a relu
  std::vector<float> weights(
      static_cast<std::size_t>(layer.out * layer.in * layer.kernel * layer.kernel));
  for (float& w : weights) w = static_cast<float>(die.below(n++, 256)) - 128;
  job.weights = weights.data();
  std::vector<std::byte> images(
      static_cast<std::size_t>(batch * layer.size * layer.size * layer.in));
  for (std::byte& x : images) x = static_cast<std::byte>(die.below(n++, 256));
  std::vector<std::int32_t> memory(
      static_cast<std::size_t>(batch * job.shape.window.out.area() * layer.out));
  Contender ours("amx", job), theirs("onednn", job);
  if (ours.run(images, memory, true) != theirs.run(images, memory, true)) {
    std::fprintf(stderr, "the sums differ\n");
    std::exit(1);
  }
  const double end = seconds_now() + seconds;
  do {
    ours.time(images, memory);
    theirs.time(images, memory);
  } while (seconds_now() < end);
  return {ours.best(), theirs.best()};
}

void race_network(const char* name, const std::vector<Layer>& layers, double seconds) {
  for (const std::int64_t batch : {1, 16}) {
    Times sum;
    for (const Layer& layer : layers) {
      const Times one = race(layer, batch, seconds);
      sum.ours += layer.count * one.ours;
      sum.theirs += layer.count * one.theirs;
      std::printf(
          "%-12s batch %2ld  %4ld to %4ld, %3ld x %-3ld  window %ld stride %ld  %8.0f us  %.2f\n",
          name, batch, layer.in, layer.out, layer.size, layer.size, layer.kernel, layer.stride,
          one.ours * 1e6, one.theirs / one.ours);
      std::fflush(stdout);
    }
    std::printf("%-12s batch %2ld  all of them %8.2f ms  %.2f\n\n", name, batch, sum.ours * 1e3,
                sum.theirs / sum.ours);
  }
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  chop::prepare_onednn();
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.3;
  if (!chop::has_amx()) {
    std::fprintf(stderr, "the processor has no AMX\n");
    return 1;
  }
  std::printf(
      "oneDNN %d.%d, instructions %x; one thread; ours, then how many times as long oneDNN "
      "takes\n\n",
      dnnl_version()->major, dnnl_version()->minor,
      static_cast<unsigned>(dnnl_get_effective_cpu_isa()));
  chop::race_network("resnet18", chop::kResnet18, seconds);
  chop::race_network("mobilenetv2", chop::kMobilenetv2, seconds);
}
