// ch simulate MODEL|FILE [DATASET]: the emitted circuit in a simulator, against the integer
// network.
#include "cli/circuits/simulation.hpp"
#include "cli/output.hpp"

namespace chop::cli::actions::simulate {
namespace {

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  CH_TRY(const Circuit circuit, make_circuit(settings));
  std::optional<Dataset> data;
  if (const std::string name = settings.text_or_empty("dataset"); !name.empty()) {
    CH_TRY(data, open_dataset(name, data_options(settings), circuit.graph, Labels::Optional));
  }
  const std::filesystem::path out = settings.text_or_empty("out");
  CH_TRY(const CircuitFolder held, CircuitFolder::take(out, "`ch simulate`"));
  CH_TRY(const CircuitSimulation made, simulate_circuit(circuit, data ? &*data : nullptr,
                                                        simulation_options(settings), held, out));
  Tree result = tree_of(circuit);
  add_entries(result, made.result);
  result["table"] = tree_of(made.table);
  if (prints_text(invocation))
    invocation.out << shown(invocation, made.table, TableStyle::Simple) << "\n"
                   << counts_text(circuit);
  CH_CHECK(write_json(invocation, result));
  return made.differing == 0 ? Exit::Done : Exit::CheckFailed;
}

}  // namespace

ActionDef define() {
  std::vector<SettingDef> own = circuit_settings();
  for (SettingDef& def : simulation_settings()) own.push_back(std::move(def));
  own.push_back(split_setting());
  return {
      .name = "simulate",
      .usage = "ch simulate MODEL|FILE [DATASET] [options]",
      .summary = "run the circuit of a quantised network and compare every output",
      .details =
          "  ch simulate quantised.mz jsc\n"
          "  ch simulate quantised.mz --random 100000 --simulator verilator\n"
          "Builds Verilator's model of the emitted files and runs it on extreme and random inputs\n"
          "and on the test rows of DATASET; every output is compared with the integer network, "
          "and\n"
          "that with the float run. Icarus runs the emitted testbench on the first samples. A "
          "data\n"
          "file is used whole; with --split only the fifth of it that `ch train` does not train "
          "on.",
      .positionals = {"model", "dataset"},
      .required = {"model"},
      .settings = sample_settings(circuit_uses({})),
      .own = std::move(own),
      .run = run};
}

}  // namespace chop::cli::actions::simulate
