// cost: what the candidate costs by the rules of calculate_flops (docs/costs.md).
#include "analysis/cost/cost.hpp"

#include "search/evaluation/runner_def.hpp"

namespace chop::search::runners::cost {
namespace {

class CostRunner : public Runner {
 public:
  explicit CostRunner(bool lab) : lab_(lab) {}

  Result<MetricValues> run(Candidate& candidate, const RunHooks& /*hooks*/) override {
    CH_TRY(const GraphCost cost, count_costs(candidate.graph, {.batch = 1}));
    const auto bits = 8 * static_cast<double>(cost.parameter_bytes);
    return MetricValues{{"flops", static_cast<double>(lab_ ? cost.lab_flops : cost.exact_flops)},
                        {"bitops", static_cast<double>(lab_ ? cost.lab_bitops : cost.exact_bitops)},
                        {"mac_bitops", static_cast<double>(cost.mac_bitops)},
                        {"parameter_bits", bits},
                        {"model_size", static_cast<double>(cost.parameter_bytes)}};
  }

 private:
  bool lab_;
};

Result<std::unique_ptr<Runner>> make(const RunnerContext& context, const Args& args) {
  CH_TRY(const GraphCost cost, count_costs(context.graph, {.batch = 1}));
  static_cast<void>(cost);
  return std::unique_ptr<Runner>(new CostRunner(args.text("convention") == "lab"));
}

}  // namespace

RunnerDef define() {
  return {.name = "cost",
          .hardware = true,
          .doc = "operations and memory of one sample, at the precision each operand carries",
          .metrics = {{"flops", "operations on plain floats"},
                      {"bitops", "operations times the bits of their data"},
                      {"mac_bitops", "multiply-accumulates times the bits of both operands"},
                      {"parameter_bits", "bits of all parameters and buffers"},
                      {"model_size", "the same in bytes"}},
          .args = {{.name = "convention",
                    .initial = "lab",
                    .doc = "how operations are counted, as calculate_flops does",
                    .choices = {"lab", "exact"}}},
          .make = make};
}

}  // namespace chop::search::runners::cost
