// Measures what the machine can do: floating-point operations a second of large products, bytes a
// second of a large copy. The best of repeated runs counts, because other programs can only slow
// one down.
#include "runtime/measure/machine.hpp"

#include <chrono>
#include <cstring>

#include "runtime/gemm/gemm.hpp"
#include "runtime/onednn.hpp"
#include "support/cat.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::runtime {
namespace {

constexpr double kSeconds = 0.1;  // per measurement: long enough to meet a quiet moment
constexpr int kFewestTries = 3;

template <class Work>
double best_seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  work();  // warms caches, creates what oneDNN keeps
  double best = 1e9;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kFewestTries || since(begin) < kSeconds; ++i) {
    const Clock::time_point start = Clock::now();
    work();
    best = std::min(best, since(start));
  }
  return std::max(best, 1e-9);
}

double product_speed(std::int64_t size, int threads) {
  const Gemm gemm{.m = size, .n = size, .k = size, .a_row = size, .b_row = size, .c_row = size};
  const auto count = static_cast<std::size_t>(size * size);
  const std::vector<float> a(count, 0.5F);
  const std::vector<float> b(count, 0.25F);
  std::vector<float> c(count);
  std::vector<float> scratch(gemm.scratch());
  const double seconds = best_seconds(
      [&] { gemm.run(a.data(), b.data(), nullptr, c.data(), scratch.data(), threads); });
  const auto n = static_cast<double>(size);
  return 2 * n * n * n / seconds;
}

double copy_speed(int threads) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  constexpr std::size_t kTasks = 16;
  constexpr std::size_t kEach = kBytes / kTasks;
  const std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes);
  const double seconds = best_seconds([&] {
    parallel_for(threads, kTasks, [&](std::int64_t task) {
      const std::size_t at = static_cast<std::size_t>(task) * kEach;
      std::memcpy(to.data() + at, from.data() + at, kEach);
    });
  });
  return 2.0 * static_cast<double>(kBytes) / seconds;
}

}  // namespace

MachineSpeed measure_machine(int threads) {
  MachineSpeed speed{.bytes = copy_speed(threads)};
  for (const std::int64_t size : {256, 512, 1024})
    speed.flops = std::max(speed.flops, product_speed(size, threads));
  return speed;
}

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return cat(version->major, ".", version->minor, ".", version->patch);
}

}  // namespace chop::runtime
