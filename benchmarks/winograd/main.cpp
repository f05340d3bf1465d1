// bench_winograd [SECONDS]: 3 x 3 convolutions with a stride of one by our Winograd backend, by
// oneDNN's own Winograd primitives and by oneDNN's direct convolution, in one run.
//
// oneDNN's Winograd reads and writes images in blocks of 16 channels (nChw16c). It is timed alone,
// as inside a network that keeps that layout, and with the reorders from and to channels last, as
// at the ends of one. Contenders take turns, each for a few milliseconds, so that a busy machine
// disturbs all alike; the smallest and the median time of a call are kept. Results are compared
// with the direct convolution first; they are near one.
//
//     ninja -C build/release bench_winograd && build/release/benchmarks/bench_winograd
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "runtime/conv/frozen/conv_backend.hpp"
#include "runtime/onednn.hpp"
#include "runtime/scratch.hpp"
#include "support/rng.hpp"
#include "support/system/threads.hpp"

namespace chop {
namespace {

using dnnl::memory;
using FormatTag = memory::format_tag;
using Clock = std::chrono::steady_clock;

struct Layer {
  std::int64_t in, out, size;
};

struct Contender {
  std::string name;
  std::function<void()> run;
  const float* result = nullptr;  ///< channels last; null: not to be compared
  float error = 0;
  std::vector<double> seconds = {};
};

std::vector<float> noise(std::int64_t count, const char* purpose, double size) {
  const Stream stream(1, purpose);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(stream.normal(i) * size);
  return values;
}

/// Null when none has this name.
const Contender* find(const std::vector<Contender>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Contender::name);
  return found == all.end() ? nullptr : &*found;
}

/// A layer's images and weights, and everything that computes it.
class Race {
 public:
  Race(const Layer& layer, std::int64_t batch, int threads) : threads_(threads) {
    shape_.batch = batch;
    shape_.in_channels = layer.in;
    shape_.out_channels = layer.out;
    shape_.window.kernel = {3, 3};
    shape_.window.padding = {1, 1, 0};
    shape_.window.in = shape_.window.out = {layer.size, layer.size};
    images_ = noise(batch * layer.size * layer.size * layer.in, "images", 1);
    for (float& x : images_) x = std::max(x, 0.0F);  // as behind a relu
    weights_ = noise(layer.out * layer.in * 9, "weights",
                     1 / std::sqrt(9.0 * static_cast<double>(layer.in)));
    add_backend("winograd");
    add_backend("onednn");
    add_onednn_winograd();
  }

  void run(double seconds) {
    for (Contender& one : contenders_) one.run();
    compare();
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end || contenders_[0].seconds.size() < 5)
      for (Contender& one : contenders_) time(one);
  }

  const std::vector<Contender>& contenders() const { return contenders_; }

 private:
  /// A turn: once to bring the data into the cache, then a few milliseconds of calls.
  static void time(Contender& one) {
    one.run();
    const auto begin = Clock::now();
    do {
      const auto start = Clock::now();
      one.run();
      one.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    } while (Clock::now() - begin < std::chrono::milliseconds(4));
  }

  float* make_result() {
    results_.emplace_back(
        static_cast<std::size_t>(shape_.batch * shape_.window.out.area() * shape_.out_channels));
    return results_.back().data();
  }

  /// A backend of ours, if it takes the layer, as frozen_conv.cpp runs it.
  void add_backend(std::string_view name) {
    const ConvJob job{.shape = shape_, .weights = weights_.data(), .exact = false};
    const ConvBackend* const backend = find_conv_backend(name);
    if (!backend->declines(job).empty()) return;
    const std::shared_ptr<TiledConv> conv = backend->make(job);
    float* const result = make_result();
    contenders_.push_back({std::string(name),
                           [=, this] {
                             parallel_for(threads_, static_cast<std::int64_t>(conv->tiles().size()),
                                          [&](std::int64_t i) {
                                            run_tile(*conv, static_cast<std::size_t>(i), result);
                                          });
                           },
                           result});
  }

  void run_tile(TiledConv& conv, std::size_t number, float* result) const {
    const ConvTile& tile = conv.tiles()[number];
    const std::int64_t out_w = shape_.window.out.w;
    const std::int64_t positions = tile.images * tile.rows * out_w;
    float* const to =
        result + (tile.image * shape_.window.out.h + tile.row) * out_w * shape_.out_channels;
    const bool direct = tile.channels == shape_.out_channels;
    const std::size_t bytes =
        direct ? 0 : static_cast<std::size_t>(positions * tile.channels) * sizeof(float);
    std::byte* const scratch = thread_scratch(bytes + conv.scratch_bytes(number));
    std::byte* const acc = direct ? reinterpret_cast<std::byte*>(to) : scratch;
    conv.run(number, reinterpret_cast<const std::byte*>(images_.data()), acc, scratch + bytes);
    if (direct) return;
    const auto* from = reinterpret_cast<const float*>(acc);
    for (std::int64_t p = 0; p < positions; ++p)
      std::copy_n(from + p * tile.channels, tile.channels,
                  to + p * shape_.out_channels + tile.channel);
  }

  /// Those of oneDNN's implementations of convolution_winograd that it offers for the layer, seldom
  /// both: 2x3 is F(2 x 2, 3 x 3), as ours is, 4x3 is F(4 x 4, 3 x 3). As in a plan, every
  /// primitive runs on one thread, and threads share out images; one image is cut into bands of
  /// rows.
  void add_onednn_winograd() {
    const std::int64_t bands = shape_.batch == 1 ? threads_ : 1;
    for (const char* name : {"2x3", "4x3"}) {
      std::vector<Part> parts;
      for (std::int64_t n = 0; n < shape_.batch; ++n)
        for (std::int64_t band = 0; band < bands; ++band)
          if (!add_part(name, n, band, bands, parts)) break;
      if (static_cast<std::int64_t>(parts.size()) != shape_.batch * bands) continue;
      add_onednn(name, std::make_shared<std::vector<Part>>(std::move(parts)));
    }
  }

  /// A band of an image: rows of the input between which oneDNN pads, and of the output.
  struct Part {
    dnnl::convolution_forward conv;
    dnnl::reorder in, out;
    memory src, dst;                       ///< channels last
    memory own_src, own_weights, own_dst;  ///< in blocks of 16 channels
    memory scratchpad;
  };

  bool add_part(std::string_view name, std::int64_t image, std::int64_t band, std::int64_t bands,
                std::vector<Part>& parts) {
    const ops::Extent& size = shape_.window.in;
    const std::int64_t row = band * size.h / bands / 4 * 4;
    const std::int64_t end = band + 1 == bands ? size.h : (band + 1) * size.h / bands / 4 * 4;
    const InputRows input = input_rows_of(shape_.window, row, end - row);
    const memory::dims src_dims = {1, shape_.in_channels, input.last - input.first, size.w};
    const memory::dims dst_dims = {1, shape_.out_channels, end - row, size.w};
    const memory::dims weight_dims = {shape_.out_channels, shape_.in_channels, 3, 3};
    const auto desc = [](const memory::dims& dims, FormatTag tag) {
      return memory::desc(dims, memory::data_type::f32, tag);
    };
    const dnnl::engine& engine = onednn_engine();
    try {
      auto pd = describe_primitive<dnnl::convolution_forward>(
          engine, onednn_attributes(), dnnl::prop_kind::forward_inference,
          dnnl::algorithm::convolution_winograd, desc(src_dims, FormatTag::any),
          desc(weight_dims, FormatTag::any), memory::desc(), desc(dst_dims, FormatTag::any),
          memory::dims{1, 1}, memory::dims{0, 0}, memory::dims{input.above, 1},
          memory::dims{input.below, 1});
      while (std::string_view(pd.impl_info_str()).find(name) == std::string_view::npos)
        if (!pd.next_impl()) return false;
      memory src(desc(src_dims, FormatTag::nhwc), engine,
                 images_.data() + (image * size.h + input.first) * size.w * shape_.in_channels);
      memory dst(desc(dst_dims, FormatTag::nhwc), engine, nullptr);
      memory own_src(pd.src_desc(), engine), own_dst(pd.dst_desc(), engine);
      memory weights(desc(weight_dims, FormatTag::oihw), engine, weights_.data());
      memory own_weights =
          parts.empty() ? memory(pd.weights_desc(), engine) : parts.front().own_weights;
      if (own_weights.get_desc() != pd.weights_desc())
        own_weights = memory(pd.weights_desc(), engine);
      dnnl::reorder(weights, own_weights).execute(onednn_stream(), weights, own_weights);
      const dnnl::reorder in(src, own_src);
      in.execute(onednn_stream(), src, own_src);
      parts.push_back({dnnl::convolution_forward(pd), in, dnnl::reorder(own_dst, dst), src, dst,
                       own_src, own_weights, own_dst, memory(pd.scratchpad_desc(), engine)});
      return true;
    } catch (const dnnl::error&) {
      return false;
    }
  }

  void add_onednn(const std::string& name, const std::shared_ptr<std::vector<Part>>& parts) {
    float* const result = make_result();
    std::int64_t at = 0;
    for (Part& part : *parts) {
      part.dst.set_data_handle(result + at);
      at += static_cast<std::int64_t>(part.dst.get_desc().get_size() / sizeof(float));
    }
    const auto run = [=, this](bool reorder) {
      parallel_for(threads_, static_cast<std::int64_t>(parts->size()), [&](std::int64_t i) {
        prepare_onednn();
        Part& part = (*parts)[static_cast<std::size_t>(i)];
        if (reorder) part.in.execute(onednn_stream(), part.src, part.own_src);
        part.conv.execute(onednn_stream(), {{DNNL_ARG_SRC, part.own_src},
                                            {DNNL_ARG_WEIGHTS, part.own_weights},
                                            {DNNL_ARG_DST, part.own_dst},
                                            {DNNL_ARG_SCRATCHPAD, part.scratchpad}});
        if (reorder) part.out.execute(onednn_stream(), part.own_dst, part.dst);
      });
    };
    contenders_.push_back({name, [=] { run(false); }});
    contenders_.push_back({name + " + reorders", [=] { run(true); }, result});
  }

  /// The largest distances from the direct convolution; ends the program when one is no rounding.
  void compare() {
    const float* const direct = find(contenders_, "onednn")->result;
    for (Contender& one : contenders_) {
      for (std::size_t i = 0; one.result != nullptr && i < results_[0].size(); ++i)
        one.error = std::max(one.error, std::abs(one.result[i] - direct[i]));
      if (!(one.error < 1e-3F)) {
        std::fprintf(stderr, "%s is wrong by %g\n", one.name.c_str(),
                     static_cast<double>(one.error));
        std::exit(1);
      }
    }
  }

  ops::ConvShape shape_;
  int threads_;
  std::vector<float> images_, weights_;
  std::vector<std::vector<float>> results_;
  std::vector<Contender> contenders_;
};

double smallest(const Contender& one) {
  return *std::min_element(one.seconds.begin(), one.seconds.end());
}

double median(Contender one) {
  const auto middle = one.seconds.begin() + static_cast<std::ptrdiff_t>(one.seconds.size() / 2);
  std::nth_element(one.seconds.begin(), middle, one.seconds.end());
  return *middle;
}

/// Times as long as ours takes, by the smallest times; "-" where one of both cannot do the layer.
std::string ratio(const std::vector<Contender>& all, const std::string& name) {
  const Contender* const one = find(all, name);
  const Contender* const ours = find(all, "winograd");
  if (one == nullptr || ours == nullptr) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f (%.2f)", smallest(*one) / smallest(*ours),
                median(*one) / median(*ours));
  return text;
}

void race_all(double seconds) {
  constexpr Layer kLayers[] = {
      {64, 64, 56},   {128, 128, 28}, {256, 256, 14}, {512, 512, 7},  // the stages of resnet18
      {64, 64, 32},   {128, 128, 16}, {256, 256, 8},                  // of networks for cifar10
      {64, 128, 112}, {512, 512, 28}, {192, 384, 13}};                // of vgg and alexnet
  std::printf(
      "channels, image, batch, threads; our Winograd in microseconds; then by how much longer "
      "others\n"
      "take, by the smallest times (by the medians): oneDNN's direct convolution on channels "
      "last,\n"
      "its Winograd 2x3 and 4x3 on their own layout, both with reorders from and to channels "
      "last;\n"
      "then the largest distances of ours, 2x3 and 4x3 from the direct convolution, in "
      "millionths\n\n");
  for (const Layer& layer : kLayers)
    for (const std::int64_t batch : {1, 16})
      for (const int threads : {1, 2}) {
        Race race(layer, batch, threads);
        race.run(seconds);
        const std::vector<Contender>& all = race.contenders();
        std::printf("%4ld %4ld %4ld %3ld %2d", layer.in, layer.out, layer.size, batch, threads);
        const Contender* const ours = find(all, "winograd");
        std::printf(" %9.0f", ours == nullptr ? 0 : smallest(*ours) * 1e6);
        for (const char* name : {"onednn", "2x3", "4x3", "2x3 + reorders", "4x3 + reorders"})
          std::printf("  %12s", ratio(all, name).c_str());
        for (const char* name : {"winograd", "2x3 + reorders", "4x3 + reorders"})
          if (const Contender* const one = find(all, name))
            std::printf(" %5.1f", static_cast<double>(one->error) * 1e6);
          else
            std::printf("     -");
        std::printf("\n");
        std::fflush(stdout);
      }
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  chop::race_all(argc > 1 ? std::atof(argv[1]) : 1.0);
}
