// bench_quantised_forward [MODEL...]: a forward pass at batch 1024 with every linear layer's
// operands in integer(8, 4), beside the same in float and beside PyTorch doing the same
// quantisation, in turns within one run, on one thread; medians of processor time.
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models.hpp"
#include "models/registry.hpp"
#include "ops/lower.hpp"
#include "peer.hpp"
#include "report/table.hpp"
#include "runtime/plan.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

constexpr std::int64_t kBatch = 1024;
constexpr int kRounds = 9;
constexpr int kOurRuns = 300;
constexpr int kTheirRuns = 40;

class Forward {
 public:
  static Result<Forward> make(Graph graph) {
    Forward forward;
    forward.graph_ = std::make_shared<const Graph>(std::move(graph));
    const Graph& held = *forward.graph_;
    CH_TRY(forward.plan_,
           Plan::compile(lower(held, Mode::Evaluation), kBatch,
                         {.threads = 1, .parameter = [&held](const std::string& name) {
                            return const_cast<std::byte*>(held.find_parameter(name)->value.bytes());
                          }}));
    const Stream noise(1, "bench");
    std::uint64_t n = 0;
    for (float& x : forward.plan_->input("x")) x = static_cast<float>(noise.normal(n++));
    return forward;
  }

  /// Of processor time, so that a busy machine does not count.
  double microseconds() {
    const auto now = [] {
      timespec time{};
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
      return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
    };
    const double start = now();
    for (int i = 0; i < kOurRuns; ++i) plan_->run();
    return (now() - start) / kOurRuns;
  }

 private:
  std::shared_ptr<const Graph> graph_;
  std::optional<Plan> plan_;
};

Graph quantised(Graph graph) {
  const NumberFormat format{"integer",
                            {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}}};
  for (const NodeId id : graph.order())
    if (graph.node(id).op == "linear")
      graph.node(id).formats = {{"data_in_0", format}, {"weight", format}, {"bias", format}};
  return graph;
}

Status measure(const std::string& model, Table& table) {
  CH_TRY(const Graph graph, build_model(model, {.seed = 1}));
  CH_TRY(Forward plain, Forward::make(graph));
  CH_TRY(Forward fake, Forward::make(quantised(graph)));
  Peer peer("quantised_forward_torch.py",
            {model, std::to_string(kBatch), std::to_string(kTheirRuns)});
  plain.microseconds();  // warm
  fake.microseconds();
  std::vector<double> floats;
  std::vector<double> fakes;
  std::vector<double> theirs;
  std::vector<double> their_fakes;
  for (int round = 0; round < kRounds; ++round) {
    floats.push_back(plain.microseconds());
    fakes.push_back(fake.microseconds());
    const std::vector<double> answer = peer.ask();
    if (answer.size() != 2)
      return Error{.what = "PyTorch did not answer", .hint = "apt-get install python3-torch"};
    theirs.push_back(answer[0]);
    their_fakes.push_back(answer[1]);
  }
  table.rows.push_back({model, Cell(median(floats), 1), Cell(median(fakes), 1),
                        Cell(median(fakes) / median(floats), 2), Cell(median(theirs), 1),
                        Cell(median(their_fakes), 1),
                        Cell(median(their_fakes) / median(fakes), 1)});
  return {};
}

}  // namespace
}  // namespace chop

int main(int argc, char** argv) {
  using chop::Align;
  chop::Table table{.columns = {{"forward, batch 1024, one thread", Align::Left},
                                {"float, us", Align::Right},
                                {"integer(8, 4), us", Align::Right},
                                {"costs", Align::Right},
                                {"PyTorch float, us", Align::Right},
                                {"PyTorch integer, us", Align::Right},
                                {"faster", Align::Right}},
                    .rows = {}};
  return chop::measure_models(argc, argv, std::move(table), chop::measure);
}
