#include "hardware/stream/bench.hpp"

#include "hardware/stream/units.hpp"
#include "support/system/files.hpp"

namespace chop::hardware {
namespace {

std::vector<std::string> source_names(const Dataflow& dataflow) {
  std::vector<std::string> names;
  for (const Module& module : dataflow.cores.modules)
    names.push_back(cat("rtl/", module.name, ".sv"));
  for (const Unit& unit : dataflow.units) names.push_back(cat("rtl/", unit.name, ".sv"));
  names.push_back(cat("rtl/", dataflow.name, ".sv"));
  return names;
}

struct ModelRun {
  Simulated done = {};
  std::int64_t latency = 0;
  std::int64_t cycles = 0;
};

Result<ModelRun> run_once(const Dataflow& dataflow, const Vectors& vectors,
                          const std::filesystem::path& folder, bool stalls) {
  CH_TRY(const ModelOutput ran,
         run_model({"sim/inputs.bin", "sim/outputs.bin", stalls ? "1" : "0"}, folder));
  ModelRun run{.done = {.samples = std::ssize(vectors.inputs), .run_seconds = ran.seconds}};
  const bool complete =
      ran.numbers.size() == 4 && ran.numbers[0] == run.done.samples * std::ssize(dataflow.made);
  if (!complete) return Error{.what = "the simulation ended early"};
  run.done.values = ran.numbers[0] * std::ssize(dataflow.links[dataflow.output]);
  run.done.differing = ran.numbers[1];
  run.latency = ran.numbers[2];
  run.cycles = ran.numbers[3];
  return run;
}

}  // namespace

std::vector<SourceFile> circuit_files(const Dataflow& dataflow, const Vectors& vectors) {
  return circuit_files(to_verilog(dataflow), to_verilator_main(dataflow),
                       to_testbench(dataflow, vectors));
}

Result<StreamSimulated> run_verilator(const Dataflow& dataflow, const Vectors& vectors,
                                      const std::filesystem::path& folder) {
  const Word& in = dataflow.links[dataflow.input];
  const Word& out = dataflow.links[dataflow.output];
  CH_CHECK(support::write_file(folder / "sim/inputs.bin",
                               binary_words(in, dataflow.given, vectors.inputs)));
  CH_CHECK(support::write_file(folder / "sim/outputs.bin",
                               binary_words(out, dataflow.made, vectors.outputs)));
  CH_TRY(const double built, verilate(dataflow.name, source_names(dataflow), folder));
  CH_TRY(const ModelRun smooth, run_once(dataflow, vectors, folder, false));
  CH_TRY(const ModelRun stalled, run_once(dataflow, vectors, folder, true));
  StreamSimulated made{.smooth = smooth.done, .stalled = stalled.done, .latency = smooth.latency};
  made.smooth.build_seconds = built;
  if (vectors.inputs.size() > 1)
    made.interval =
        static_cast<double>(smooth.cycles) / static_cast<double>(vectors.inputs.size() - 1);
  return made;
}

Result<Simulated> run_icarus(const Dataflow& dataflow, const Vectors& vectors,
                             const std::filesystem::path& folder) {
  const std::string bench = cat(dataflow.name, "_tb");
  Simulated done{.samples = 2 * std::ssize(vectors.inputs)};
  const std::int64_t words = std::ssize(vectors.outputs) * std::ssize(dataflow.made);
  done.values = 2 * words * std::ssize(dataflow.links[dataflow.output]);
  CH_TRY(done.build_seconds, build_bench(bench, source_names(dataflow), folder));
  for (const char* stalls : {"+stalls=0", "+stalls=1"}) {
    CH_TRY(const BenchOutput ran, run_bench({stalls}, words, folder));
    done.run_seconds += ran.seconds;
    done.differing += ran.differing;
  }
  return done;
}

}  // namespace chop::hardware
