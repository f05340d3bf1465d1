// bench_format_speed: gigabytes per second (read plus written) of every elementwise format on
// 64 MiB of float32, beside memcpy and beside PyTorch doing the same, in turns within one run;
// the best of several rounds, in processor time. PyTorch runs eagerly, with the temporaries that
// takes.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "peer.hpp"
#include "report/table.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

constexpr std::int64_t kCount = std::int64_t{16} << 20;
constexpr double kBytes = 2.0 * 4.0 * static_cast<double>(kCount);
constexpr int kRounds = 7;

/// Processor time, so that a busy machine does not count.
template <class Work>
double seconds(Work work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

std::vector<NumberFormat> formats() {
  const Attr w8 = std::int64_t{8};
  const Attr four = std::int64_t{4};
  return {{"integer", {{"width", w8}, {"frac_width", four}}},
          {"integer_floor", {{"width", w8}, {"frac_width", four}}},
          {"lsq_integer", {{"width", four}, {"step", 0.1}}},
          {"minifloat_denorm", {{"width", w8}, {"exponent_width", four}}},
          {"minifloat_ieee", {{"width", w8}, {"exponent_width", four}}},
          {"log", {{"width", w8}}},
          {"log", {{"width", w8}, {"exponent_bias", std::int64_t{128}}}},
          {"binary", {}},
          {"binary_residual", {}},
          {"ternary", {{"mean", 0.8}}},
          {"scale_integer", {{"width", w8}, {"granularity", std::string("tensor")}}},
          {"block_fp", {{"width", w8}, {"block_size", Ints{16}}}},
          {"block_minifloat",
           {{"width", w8},
            {"exponent_width", four},
            {"exponent_bias_width", four},
            {"block_size", Ints{16}}}},
          {"block_log", {{"width", w8}, {"exponent_bias_width", four}, {"block_size", Ints{16}}}},
          {"mxint", {{"width", w8}}},
          {"mxfp", {{"exponent_width", four}, {"frac_width", std::int64_t{3}}}}};
}

Status measure(const NumberFormat& format, const std::vector<float>& x, std::vector<float>& y,
               Peer& peer, Table& table) {
  CH_TRY(Quantiser q, Quantiser::make(format, {kCount}));
  std::vector<double> copies;
  std::vector<double> ours;
  std::vector<double> theirs;
  for (int round = 0; round < kRounds; ++round) {
    copies.push_back(seconds([&] { std::memcpy(y.data(), x.data(), kBytes / 2); }));
    ours.push_back(seconds([&] { q.run(x.data(), y.data()); }));
    if (round < 2) theirs.push_back(peer.measure(format.name));
  }
  const double copy = least(copies);
  const double mine = least(ours);
  const double torch = least(theirs);
  std::vector<Cell> row = {display(format), q.is_elementwise() ? "alone" : "in groups",
                           Cell(kBytes / mine / 1e9, 2), Cell(kBytes / copy / 1e9, 2),
                           Cell(copy / mine, 2)};
  if (torch > 0) {
    row.emplace_back(kBytes / torch / 1e9, 2);
    row.emplace_back(torch / mine, 1);
  }
  table.rows.push_back(std::move(row));
  return {};
}

}  // namespace
}  // namespace chop

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  const chop::Stream noise(1, "bench");
  std::vector<float> x(static_cast<std::size_t>(chop::kCount));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(4 * noise.uniform(i) - 2);
  std::vector<float> y(x.size());
  chop::Peer peer("format_speed_torch.py", {std::to_string(chop::kCount)});
  chop::Table table{.columns = {{"16 Mi float32, one thread", chop::Align::Left},
                                {"values", chop::Align::Left},
                                {"ours, GB/s", chop::Align::Right},
                                {"memcpy, GB/s", chop::Align::Right},
                                {"of copy", chop::Align::Right},
                                {"PyTorch, GB/s", chop::Align::Right},
                                {"ratio", chop::Align::Right}},
                    .rows = {}};
  for (const chop::NumberFormat& format : chop::formats())
    if (const chop::Status status = chop::measure(format, x, y, peer, table); !status) {
      std::fputs(chop::to_string(status.error()).c_str(), stderr);
      return 1;
    }
  std::fputs(chop::render(table).c_str(), stdout);
  return 0;
}
