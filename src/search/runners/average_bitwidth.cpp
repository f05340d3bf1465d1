// average_bitwidth: bits per weight, and how many times denser memory is than with plain floats.
#include "analysis/cost/average_bits.hpp"
#include "ops/core/registry.hpp"
#include "search/evaluation/runner_def.hpp"

namespace chop::search::runners::average_bitwidth {
namespace {

class AverageBitwidth : public Runner {
 public:
  AverageBitwidth(Types types, std::vector<std::string> ops, double compare_to)
      : types_(std::move(types)), ops_(std::move(ops)), compare_to_(compare_to) {}

  Result<MetricValues> run(Candidate& candidate, const RunHooks& /*hooks*/) override {
    CH_TRY(const AverageBits bits, average_bits(candidate.graph, types_, ops_));
    const double weights = bits.weights.mean().value_or(32);
    return MetricValues{{"average_bitwidth", weights},
                        {"memory_density", compare_to_ / weights},
                        {"average_data_bitwidth", bits.data.mean().value_or(32)}};
  }

 private:
  Types types_;
  std::vector<std::string> ops_;
  double compare_to_;
};

Result<std::unique_ptr<Runner>> make(const RunnerContext& context, const Args& args) {
  for (const std::string& op : args.names("ops"))
    if (Result<const OpDef*> found = find_op(op); !found)
      return args.wrong("ops", found.error().what, found.error().hint);
  CH_TRY(Types types, infer_types(context.graph, 1));
  CH_TRY(const AverageBits bits, average_bits(context.graph, types, args.names("ops")));
  if (!bits.weights.mean())
    return args.wrong("ops", "the network has no weights in nodes of these ops");
  return std::unique_ptr<Runner>(
      new AverageBitwidth(std::move(types), args.names("ops"), args.real("compare_to")));
}

}  // namespace

RunnerDef define() {
  return {
      .name = "average_bitwidth",
      .hardware = true,
      .doc = "bits per weight and per input, averaged over the layers by their sizes",
      .metrics = {{"average_bitwidth", "bits per weight"},
                  {"memory_density", "compare_to over bits per weight"},
                  {"average_data_bitwidth", "bits per input value"}},
      .args = {{.name = "compare_to",
                .initial = 32.0,
                .doc = "bits per weight that memory_density compares with",
                .bounds = {.above = 0}},
               {.name = "ops", .initial = counted_ops(), .doc = "the ops whose operands count"}},
      .make = make};
}

}  // namespace chop::search::runners::average_bitwidth
