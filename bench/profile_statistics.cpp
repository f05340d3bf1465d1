// bench_profile_statistics [ROWS]: profile_statistics with four statistics of the inputs of every
// relu and linear node of jsc-s, ours beside PyTorch and numpy, in turns within one run; prints
// seconds and the peak memory of both processes.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "models.hpp"
#include "models/registry.hpp"
#include "passes/manager.hpp"
#include "peer.hpp"
#include "report/table.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"
#include "support/threads.hpp"

namespace chop {
namespace {

constexpr int kRounds = 5;
constexpr std::array<const char*, 4> kStatistics = {"variance_online", "range_min_max",
                                                    "range_quantile", "abs_mean"};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Split random_jets(std::int64_t rows) {
  Split split{.x = Tensor(DType::F32, {rows, 16}), .y = Tensor(DType::I64, {rows})};
  const Stream noise(1, "jets");
  std::uint64_t n = 0;
  for (float& x : split.x.mutable_data<float>()) x = static_cast<float>(noise.normal(n++));
  return split;
}

Result<PassCall> profile_call(std::int64_t rows) {
  Tree statistics = Tree::table();
  for (const char* name : kStatistics) statistics.set(name, Tree::table());
  Tree args = Tree::table();
  args.set("by", "type");
  args.set("target_activation_nodes", Tree::texts({"relu", "linear"}));
  args.set("activation_statistics", std::move(statistics));
  args.set("num_samples", rows);
  return make_call("profile_statistics", args);
}

Result<double> our_seconds(const Split& split) {
  CH_TRY(Graph graph, build_model("jsc-s", {.seed = 1}));
  const PassContext context{
      .samples = &split, .batch_size = 256, .threads = hardware_threads(), .folder = {}};
  CH_CHECK(add_metadata(graph, context));
  CH_TRY(const PassCall call, profile_call(split.rows()));
  const auto start = std::chrono::steady_clock::now();
  CH_TRY(const auto reports, run_passes(graph, {&call, 1}, context));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Status run(std::int64_t rows) {
  const Split split = random_jets(rows);
  std::vector<double> ours;
  std::vector<double> theirs;
  double their_memory = 0;
  Peer peer("profile_statistics_torch.py",
            {std::to_string(rows), std::to_string(hardware_threads())});
  for (int round = 0; round < kRounds; ++round) {
    CH_TRY(const double seconds, our_seconds(split));
    ours.push_back(seconds);
    const std::vector<double> answer = peer.ask();
    if (answer.size() != 2)
      return Error{.what = "PyTorch did not answer", .hint = "apt-get install python3-torch"};
    theirs.push_back(answer[0]);
    their_memory = answer[1];
  }
  Table table{
      .columns = {{cat(with_commas(rows), " jets through jsc-s, four statistics"), Align::Left},
                  {"seconds", Align::Right},
                  {"peak memory, MB", Align::Right}},
      .rows = {}};
  table.rows.push_back({"ours", Cell(median(ours), 3), Cell(peak_megabytes(), 0)});
  table.rows.push_back({"PyTorch and numpy", Cell(median(theirs), 3), Cell(their_memory, 0)});
  table.rows.push_back(
      {"ratio", Cell(median(theirs) / median(ours), 1), Cell(their_memory / peak_megabytes(), 1)});
  std::fputs(render(table).c_str(), stdout);
  return {};
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto rows = argc > 1 ? chop::parse_int(argv[1]) : std::int64_t{100000};
  if (!rows || *rows < 1) {
    std::fputs("usage: bench_profile_statistics [ROWS]\n", stderr);
    return 2;
  }
  if (const chop::Status status = chop::run(*rows); !status) {
    std::fputs(chop::to_string(status.error()).c_str(), stderr);
    return 1;
  }
  return 0;
}
