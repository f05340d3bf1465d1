#include "cli/circuits/simulation.hpp"

#include "analysis/compare/compare_outputs.hpp"
#include "compile/run_graph.hpp"
#include "support/system/log.hpp"
#include "support/system/run_program.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

constexpr std::int64_t kRowsAtOnce = 8192;
constexpr std::int64_t kIcarusSamples = 1000;
constexpr std::int64_t kIcarusCycles = 30'000;  ///< at most, where a sample takes many

/// Samples of a data set in integers, and how the float run compares.
struct DataRun {
  Vectors vectors = {};
  std::int64_t values = 0;
  std::int64_t differing = 0;  ///< outputs of the float run that are other numbers
};

/// The outputs of the float run for some rows, one sample behind the other.
Result<std::vector<std::vector<float>>> float_outputs(const Circuit& circuit, const Tensor& rows) {
  const std::string& input = circuit.definition.inputs[0].placeholder;
  CH_TRY(const auto outputs, compile::run_graph(circuit.graph, {{input, rows}}));
  std::vector<std::vector<float>> all;
  for (const compile::NamedOutput& output : outputs) {
    const auto data = output.value.data<float>();
    all.emplace_back(data.begin(), data.end());
  }
  return all;
}

/// The number of the greatest of a row's numbers, the first of equal ones.
std::int64_t greatest(std::span<const float> all, std::size_t row, std::size_t rows) {
  const auto own = all.subspan(row * (all.size() / rows), all.size() / rows);
  return std::max_element(own.begin(), own.end()) - own.begin();
}

Status compare_floats(const Circuit& circuit, const Tensor& rows, std::span<const Codes> made,
                      DataRun& run) {
  CH_TRY(const auto floats, float_outputs(circuit, rows));
  for (std::size_t row = 0; row < made.size(); ++row) {
    std::size_t at = 0;
    if (circuit.is_argmax) {
      run.differing += greatest(floats[0], row, made.size()) != made[row][0] ? 1 : 0;
      ++run.values;
      continue;
    }
    for (std::size_t o = 0; o < floats.size(); ++o) {
      const IntegerType& type = circuit.definition.nodes[circuit.definition.outputs[o]].type;
      for (std::size_t i = 0; i < type.size(); ++i, ++at) {
        const double number = std::ldexp(static_cast<double>(made[row][at]), -type.frac);
        run.differing += number != double{floats[o][row * type.size() + i]} ? 1 : 0;
        ++run.values;
      }
    }
  }
  return {};
}

Result<DataRun> run_data(const Circuit& circuit, const Split& rows) {
  if (circuit.definition.inputs.size() != 1)
    return Error{.what = cat("the circuit has ", circuit.definition.inputs.size(), " inputs"),
                 .hint = "data sets give one; leave DATASET away for random inputs"};
  DataRun run;
  Interpreter interpreter(circuit.definition);
  for (std::int64_t first = 0; first < rows.rows(); first += kRowsAtOnce) {
    const Split part = rows_of(rows, first, std::min(kRowsAtOnce, rows.rows() - first));
    CH_TRY(std::vector<Codes> inputs, encode_rows(circuit.definition, 0, part.x));
    std::vector<Codes> outputs;
    for (const Codes& input : inputs) outputs.push_back(interpreter.run({&input, 1}));
    CH_CHECK(compare_floats(circuit, part.x, outputs, run));
    std::move(inputs.begin(), inputs.end(), std::back_inserter(run.vectors.inputs));
    std::move(outputs.begin(), outputs.end(), std::back_inserter(run.vectors.outputs));
  }
  return run;
}

Vectors first_of(const Vectors& all, std::int64_t count) {
  const auto most = static_cast<std::ptrdiff_t>(std::min(count, std::ssize(all.inputs)));
  return {.inputs = {all.inputs.begin(), all.inputs.begin() + most},
          .outputs = {all.outputs.begin(), all.outputs.begin() + most}};
}

void append(Vectors& to, Vectors more) {
  std::move(more.inputs.begin(), more.inputs.end(), std::back_inserter(to.inputs));
  std::move(more.outputs.begin(), more.outputs.end(), std::back_inserter(to.outputs));
}

Tree tree_of(const Simulated& result) {
  return Tree::Table{{"samples", result.samples},
                     {"values", result.values},
                     {"differing", result.differing},
                     {"build_seconds", result.build_seconds},
                     {"run_seconds", result.run_seconds}};
}

std::vector<Cell> row_of(const std::string& what, const Simulated& result) {
  return {what,
          with_commas(result.samples),
          with_commas(result.values),
          with_commas(result.differing),
          Cell(result.build_seconds, 3),
          Cell(result.run_seconds, 3)};
}

Result<Simulated> icarus(const Circuit& circuit, const Vectors& vectors,
                         const std::filesystem::path& folder) {
  return circuit.stream ? run_icarus(*circuit.stream, vectors, folder)
                        : run_icarus(circuit.netlist, vectors, folder);
}

/// Verilator on streams: once without pauses, once with them. The announced interval is checked.
Status simulate_stream(const Circuit& circuit, const Vectors& vectors,
                       const std::filesystem::path& folder, CircuitSimulation& made) {
  CH_TRY(const StreamSimulated done, run_verilator(*circuit.stream, vectors, folder));
  made.table.rows.push_back(row_of("Verilator = integers", done.smooth));
  made.table.rows.push_back(row_of("Verilator, random pauses", done.stalled));
  made.result["verilator"] = tree_of(done.smooth);
  made.result["verilator_stalled"] = tree_of(done.stalled);
  made.result["measured_latency"] = done.latency;
  made.result["measured_interval"] = done.interval;
  made.differing += done.smooth.differing + done.stalled.differing;
  if (done.latency != circuit.stream->latency)
    return Error{.what = cat("the latency is ", done.latency, " cycles in simulation, not ",
                             circuit.stream->latency)};
  if (done.interval > static_cast<double>(circuit.stream->interval))
    return Error{.what = cat("a sample takes ", done.interval, " cycles in simulation, not ",
                             circuit.stream->interval)};
  return {};
}

}  // namespace

std::vector<SettingDef> simulation_settings() {
  return {{.field = {.name = "simulator",
                     .initial = "both",
                     .doc = "which simulators run",
                     .choices = {"both", "verilator", "icarus"}},
           .placeholder = "NAME"},
          {.field = {.name = "random",
                     .initial = 1000,
                     .doc = "random samples, beside extreme ones and those of DATASET",
                     .bounds = kAtLeastZero},
           .placeholder = "N"}};
}

SimulationOptions simulation_options(const Settings& settings) {
  return {.simulator = settings.text_or_empty("simulator"),
          .random = static_cast<std::size_t>(settings.integer("random"))};
}

std::vector<std::string> simulators_of(const SimulationOptions& options) {
  std::vector<std::string> names;
  if (options.simulator != "icarus") names.emplace_back("verilator");
  if (options.simulator != "verilator") names.emplace_back("iverilog");
  return names;
}

Result<CircuitSimulation> simulate_circuit(const Circuit& circuit, const Dataset* data,
                                           const SimulationOptions& options,
                                           const CircuitFolder& held,
                                           const std::filesystem::path& folder) {
  CH_CHECK(need_programs(simulators_of(options)));  // before anything is replaced
  CircuitSimulation made{.table = {.columns = {{"Compared", Align::Left, 0, "what"},
                                               {"Samples", Align::Right, 0, "samples"},
                                               {"Values", Align::Right, 0, "values"},
                                               {"Differing", Align::Right, 0, "differing"},
                                               {"Build (s)", Align::Right, 0, "build_seconds"},
                                               {"Run (s)", Align::Right, 0, "run_seconds"}},
                                   .rows = {}}};
  Vectors vectors = make_vectors(circuit.definition, options.random, 0);
  if (data != nullptr) {
    CH_TRY(DataRun run, run_data(circuit, data->test));
    made.table.rows.push_back({labelled(*data, "Float run = integers"),
                               with_commas(std::ssize(run.vectors.inputs)), with_commas(run.values),
                               with_commas(run.differing), "", ""});
    made.result["float"] = Tree::Table{{"samples", std::ssize(run.vectors.inputs)},
                                       {"values", run.values},
                                       {"differing", run.differing}};
    append(vectors, std::move(run.vectors));
  }
  const std::int64_t interval = circuit.stream ? circuit.stream->interval : 1;
  const Vectors some =
      first_of(vectors, std::clamp<std::int64_t>(kIcarusCycles / interval, 3, kIcarusSamples));
  CH_CHECK(held.write(circuit, some));
  if (options.simulator != "icarus") {
    log_info("Building the model with Verilator...");
    if (circuit.stream) {
      CH_CHECK(simulate_stream(circuit, vectors, folder, made));
    } else {
      CH_TRY(const Simulated done, run_verilator(circuit.netlist, vectors, folder));
      made.table.rows.push_back(row_of("Verilator = integers", done));
      made.result["verilator"] = tree_of(done);
      made.differing += done.differing;
    }
  }
  if (options.simulator != "verilator") {
    CH_TRY(const Simulated done, icarus(circuit, some, folder));
    made.table.rows.push_back(row_of("Icarus = integers", done));
    made.result["icarus"] = tree_of(done);
    made.differing += done.differing;
  }
  return made;
}

}  // namespace chop::cli
