// hardware: what the candidate's circuit will cost on an FPGA, estimated from its netlist
// (docs/hardware.md says how far such estimates are off).
#include "hardware/cost/estimate.hpp"
#include "hardware/lowering/neuron_tables.hpp"
#include "hardware/lowering/to_integer.hpp"
#include "search/evaluation/runner_def.hpp"
#include "support/text.hpp"

namespace chop::search::runners::hardware {
namespace {

class Hardware : public Runner {
 public:
  explicit Hardware(const NetlistOptions& options) : options_(options) {}

  Result<MetricValues> run(Candidate& candidate, const RunHooks& /*hooks*/) override {
    Result<IntegerGraph> integers = to_integer(candidate.graph);
    if (!integers)
      return std::move(integers).error().note(
          "the runner hardware needs a fixed-point format on every operand, in every trial");
    CH_TRY(const IntegerGraph tabled, with_tables(std::move(integers).value(), options_));
    CH_TRY(const Netlist netlist, to_netlist(tabled, options_));
    const Estimate made = estimate(netlist);
    return MetricValues{{"lut", static_cast<double>(made.luts)},
                        {"ff", static_cast<double>(made.registers)},
                        {"dsp", static_cast<double>(made.dsps)},
                        {"carry", static_cast<double>(made.carries)},
                        {"latency_cycles", static_cast<double>(made.latency)}};
  }

 private:
  NetlistOptions options_;
};

Result<std::unique_ptr<Runner>> make(const RunnerContext& /*context*/, const Args& args) {
  const std::int64_t depth = args.has("depth") ? args.integer("depth") : 0;
  return std::unique_ptr<Runner>(new Hardware(netlist_options(
      args.text("adders"), depth, args.integer("table_bits"), args.flag("combinational"))));
}

}  // namespace

RunnerDef define() {
  return {.name = "hardware",
          .hardware = true,
          .doc = "estimate what the circuit that ch emit writes costs on UltraScale+",
          .metrics = {{"lut", "LUTs of six inputs"},
                      {"ff", "register bits"},
                      {"dsp", "DSP blocks"},
                      {"carry", "carry cells of four bits"},
                      {"latency_cycles", "cycles from a sample to its result"}},
          .args = netlist_fields(),
          .make = make};
}

}  // namespace chop::search::runners::hardware
