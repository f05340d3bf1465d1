#include "hardware/verilog/simulate.hpp"

#include <chrono>

#include "support/rng.hpp"
#include "support/system/files.hpp"
#include "support/system/run_program.hpp"
#include "support/system/temporary_folder.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<std::string> source_names(const Netlist& netlist) {
  std::vector<std::string> names;
  for (const Module& module : netlist.modules) names.push_back(cat("rtl/", module.name, ".sv"));
  return names;
}

std::string bytes_of(std::span<const Codes> samples) {
  std::string bytes;
  for (const Codes& sample : samples)
    bytes.append(reinterpret_cast<const char*>(sample.data()), sample.size() * sizeof(sample[0]));
  return bytes;
}

Error failed(std::string_view what, const ProgramResult& result) {
  Error error{.what = cat(what, " failed with code ", result.code)};
  for (const std::string& line : split(result.output, '\n')) {
    if (error.notes.size() == 10) break;
    if (!line.empty()) error.notes.push_back(line);
  }
  return error;
}

/// A program that ran well, and how long.
struct Run {
  ProgramResult result = {};
  double seconds = 0;
};

Result<Run> run_timed(const std::vector<std::string>& words, const fs::path& folder) {
  const auto begin = std::chrono::steady_clock::now();
  CH_TRY(ProgramResult result, run_program(words, folder));
  if (result.code != 0) return failed(words[0], result);
  return Run{std::move(result), seconds_since(begin)};
}

/// Whether GNU Make builds in a folder of this name: it takes no spaces, and others mean something.
bool suits_make(const fs::path& folder) {
  return folder.native().find_first_of(" \t\n$#%:;\\'\"*?[]~") == std::string::npos;
}

/// Verilator's make in `folder`, or in a copy with a plainer name where that has one make cannot
/// take; the program it builds is brought back.
Status build_in(const fs::path& folder, const std::vector<std::string>& words) {
  std::error_code error;
  if (suits_make(fs::absolute(folder, error))) {
    CH_TRY([[maybe_unused]] const Run built, run_timed(words, folder));
    return {};
  }
  CH_TRY(const TemporaryFolder plain, TemporaryFolder::make());
  if (!suits_make(plain.path()))
    return Error{.what = cat("Verilator cannot build in '", fs::absolute(folder, error).string(),
                             "': make takes no spaces"),
                 .hint = "set TMPDIR to a folder without spaces, or --out"};
  const auto copies = fs::copy_options::recursive;
  fs::copy(folder / "rtl", plain.path() / "rtl", copies, error);
  if (!error) fs::copy(folder / "sim", plain.path() / "sim", copies, error);
  if (!error) {
    CH_TRY([[maybe_unused]] const Run built, run_timed(words, plain.path()));
    fs::create_directory(folder / "sim/obj", error);
  }
  if (!error)
    fs::copy_file(plain.path() / "sim/obj/simulation", folder / "sim/obj/simulation",
                  fs::copy_options::overwrite_existing, error);
  if (error)
    return Error{.what = cat("cannot build in '", plain.path().string(), "': ", error.message())};
  return {};
}

}  // namespace

Vectors make_vectors(const IntegerGraph& graph, std::size_t random, std::uint64_t seed) {
  std::vector<Interval> ranges;
  for (const IntegerInput& input : graph.inputs)
    for (const Interval& range : graph.nodes[input.node].type.ranges) ranges.push_back(range);
  Vectors vectors;
  Codes low;
  Codes high;
  for (const Interval& range : ranges) {
    low.push_back(range.low);
    high.push_back(range.high);
  }
  vectors.inputs = {low, high, Codes(ranges.size())};
  for (std::size_t i = 0; i < ranges.size() && i < 256; ++i) {
    Codes one(ranges.size());
    one[i] = ranges[i].low;
    vectors.inputs.push_back(one);
    one[i] = ranges[i].high;
    vectors.inputs.push_back(std::move(one));
  }
  const Stream stream(seed, "hardware vectors");
  std::uint64_t draw = 0;
  for (std::size_t n = 0; n < random; ++n) {
    Codes sample;
    for (const Interval& range : ranges)
      sample.push_back(range.low + static_cast<std::int64_t>(stream.uniform(draw++) *
                                                             static_cast<double>(range.count())));
    vectors.inputs.push_back(std::move(sample));
  }
  Interpreter interpreter(graph);
  for (const Codes& sample : vectors.inputs) {
    std::vector<Codes> inputs;
    std::size_t first = 0;
    for (const IntegerInput& input : graph.inputs) {
      const std::size_t size = graph.nodes[input.node].type.size();
      const auto begin = sample.begin() + static_cast<std::ptrdiff_t>(first);
      inputs.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
      first += size;
    }
    vectors.outputs.push_back(interpreter.run(inputs));
  }
  return vectors;
}

std::vector<SourceFile> circuit_files(const Netlist& netlist, const Vectors& vectors) {
  return circuit_files(to_verilog(netlist), to_verilator_main(netlist),
                       to_testbench(netlist, vectors.inputs, vectors.outputs));
}

Result<double> verilate(const std::string& top, std::span<const std::string> sources,
                        const fs::path& folder) {
  // A circuit is one large function unless it is cut; little is gained by optimising it, and
  // nothing by optimising what runs once.
  std::vector<std::string> words = {"verilator",
                                    "--cc",
                                    "--exe",
                                    "--build",
                                    "-j",
                                    "0",
                                    "-Wno-fatal",
                                    "-O3",
                                    "--x-assign",
                                    "fast",
                                    "--x-initial",
                                    "fast",
                                    "--output-split",
                                    "12000",
                                    "--output-split-cfuncs",
                                    "500",
                                    "-MAKEFLAGS",
                                    "OPT_FAST=-O1",
                                    "-MAKEFLAGS",
                                    "OPT_SLOW=-O0",
                                    "-MAKEFLAGS",
                                    "OPT_GLOBAL=-O1",
                                    "--Mdir",
                                    "sim/obj",
                                    "--top-module",
                                    top,
                                    "-o",
                                    "simulation"};
  words.insert(words.end(), sources.begin(), sources.end());
  words.emplace_back("../main.cpp");  // make runs in sim/obj
  const auto begin = std::chrono::steady_clock::now();
  CH_CHECK(build_in(folder, words));
  return seconds_since(begin);
}

Result<ModelOutput> run_model(std::vector<std::string> arguments, const fs::path& folder) {
  arguments.insert(arguments.begin(), fs::absolute(folder / "sim/obj/simulation").string());
  CH_TRY(const Run ran, run_timed(arguments, folder));
  ModelOutput output{.seconds = ran.seconds};
  for (const std::string& word : split(trim(ran.result.output), ' ')) {
    const auto number = parse_int(word);
    if (!number) return failed("the simulation", ran.result);
    output.numbers.push_back(*number);
  }
  return output;
}

Result<double> build_bench(const std::string& bench, std::span<const std::string> sources,
                           const fs::path& folder) {
  std::vector<std::string> words = {"iverilog", "-g2012", "-o", "test/bench.vvp", "-s", bench};
  words.insert(words.end(), sources.begin(), sources.end());
  words.push_back(cat("test/", bench, ".sv"));
  CH_TRY(const Run built, run_timed(words, folder));
  return built.seconds;
}

Result<BenchOutput> run_bench(const std::vector<std::string>& arguments, std::int64_t count,
                              const fs::path& folder) {
  std::vector<std::string> words = {"vvp", "-n", "test/bench.vvp", "+vectors=test"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const auto begin = std::chrono::steady_clock::now();
  CH_TRY(const ProgramResult ran, run_program(words, folder));
  BenchOutput output{.seconds = seconds_since(begin)};
  if (ran.output.find(cat("PASS ", count)) != std::string::npos) return output;
  const std::size_t at = ran.output.find("FAIL ");
  if (at == std::string::npos) return failed("the testbench", ran);
  const auto differing =
      parse_int(ran.output.substr(at + 5, ran.output.find(' ', at + 5) - at - 5));
  if (!differing) return failed("the testbench", ran);
  output.differing = *differing;
  return output;
}

Result<Simulated> run_verilator(const Netlist& netlist, const Vectors& vectors,
                                const fs::path& folder) {
  CH_CHECK(write_file(folder / "sim/inputs.bin", bytes_of(vectors.inputs)));
  CH_CHECK(write_file(folder / "sim/outputs.bin", bytes_of(vectors.outputs)));
  Simulated done;
  CH_TRY(done.build_seconds, verilate(netlist.top().name, source_names(netlist), folder));
  CH_TRY(const ModelOutput ran, run_model({"sim/inputs.bin", "sim/outputs.bin"}, folder));
  done.run_seconds = ran.seconds;
  if (ran.numbers.size() != 3 || ran.numbers[0] != std::ssize(vectors.inputs))
    return Error{.what = "the simulation ended early"};
  done.samples = ran.numbers[0];
  done.values = ran.numbers[1];
  done.differing = ran.numbers[2];
  return done;
}

Result<Simulated> run_icarus(const Netlist& netlist, const Vectors& vectors,
                             const fs::path& folder) {
  const std::string bench = cat(netlist.top().name, "_tb");
  Simulated done{.samples = std::ssize(vectors.inputs)};
  CH_TRY(done.build_seconds, build_bench(bench, source_names(netlist), folder));
  CH_TRY(const BenchOutput ran, run_bench({}, done.samples, folder));
  done.run_seconds = ran.seconds;
  done.values = done.samples * std::ssize(netlist.top().outputs);
  done.differing = ran.differing;
  return done;
}

}  // namespace chop::hardware
