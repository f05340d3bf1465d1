#include "hardware/proof/equivalence.hpp"

#include <chrono>

#include "hardware/proof/netlist_aig.hpp"
#include "support/system/files.hpp"
#include "support/system/run_program.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

namespace fs = std::filesystem;

/// Yosys, from Verilog to AIGER: registers with enables and resets become plain ones with logic in
/// front of them, and what is undefined is 0.
Status write_graph(const std::string& read, const std::string& top, const std::string& file,
                   const fs::path& folder) {
  CH_TRY(const ProgramResult ran,
         run_program({"yosys", "-q", "-p",
                      cat(read, "; hierarchy -check -top ", top,
                          "; proc; flatten; opt_expr; dffunmap; memory_collect; memory_map; "
                          "techmap; simplemap; setundef -zero; aigmap; write_aiger -symbols ",
                          file)},
                     folder));
  if (ran.code == 0) return {};
  Error error{.what = cat("yosys failed with code ", ran.code, " on the way to ", file)};
  error.notes.push_back(std::string(trim(ran.output)));
  return error;
}

/// Where every wanted name stands in a list of names.
Result<std::vector<std::size_t>> positions(std::span<const std::string> wanted,
                                           std::span<const std::string> names) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < names.size(); ++i) known.emplace(names[i], i);
  std::vector<std::size_t> found;
  for (const std::string& name : wanted) {
    const auto at = known.find(name);
    if (at == known.end()) return Error{.what = cat("it has no port '", name, "'")};
    found.push_back(at->second);
  }
  return found;
}

/// A graph that Yosys wrote, with its ports in the order of the netlist and without registers.
Result<Aig> steady_graph(const Netlist& netlist, const std::string& file, const fs::path& folder) {
  CH_TRY(const std::string bytes, read_file(folder / file));
  CH_TRY(Aig graph, read_aiger(bytes));
  CH_TRY(const auto outputs, positions(output_bits(netlist), graph.output_names));
  CH_TRY(const auto inputs, positions(input_bits(netlist), graph.input_names));
  std::vector<Literal> wanted;
  for (const std::size_t at : outputs) wanted.push_back(graph.outputs[at]);
  graph.outputs = std::move(wanted);
  CH_TRY(Steady steady, without_latches(graph));
  if (steady.latency != netlist.top().latency)
    return Error{.what = cat("its results come after ", steady.latency, " registers, not after ",
                             netlist.top().latency)};
  AigBuilder made(input_bits(netlist).size());
  std::vector<Literal> literals(steady.aig.nodes(), kFalse);  // its clock has no reader
  const std::vector<Literal> given = inputs_in_range(netlist, made);
  for (std::size_t i = 0; i < inputs.size(); ++i) literals[1 + inputs[i]] = given[i];
  const auto of = [&literals](Literal literal) { return literals[literal / 2] ^ (literal & 1U); };
  for (std::size_t i = 0; i < steady.aig.ands.size(); ++i)
    literals[steady.aig.first_and() + i] =
        made.both(of(steady.aig.ands[i][0]), of(steady.aig.ands[i][1]));
  for (const Literal output : steady.aig.outputs) made.output(of(output));
  return std::move(made).finish();
}

Aig netlist_graph(const Netlist& netlist) {
  AigBuilder made(input_bits(netlist).size());
  const std::vector<Literal> inputs = inputs_in_range(netlist, made);
  for (const Literal bit : build_aig(netlist, made, inputs)) made.output(bit);
  return std::move(made).finish();
}

std::string read_files(const Netlist& netlist) {
  std::string command = "read_verilog -sv";
  for (const Module& module : netlist.modules) command += cat(" rtl/", module.name, ".sv");
  return command;
}

/// Nothing where the graph is written to `file`; else `otherwise` and why it cannot be compared.
Result<std::optional<Comparison>> prepared(const Netlist& netlist, const std::string& from,
                                           const std::string& file, const fs::path& folder,
                                           Verdict otherwise, std::int64_t* gates = nullptr) {
  const Result<Aig> graph = steady_graph(netlist, from, folder);
  if (!graph) return std::optional(Comparison{.verdict = otherwise, .why = graph.error().what});
  if (gates != nullptr) *gates = std::ssize(graph.value().ands);
  CH_CHECK(write_file(folder / file, write_aiger(graph.value())));
  return std::optional<Comparison>();
}

/// What ABC says of two graphs without latches that are files of `folder`.
Result<Comparison> compare_aigs(const std::string& a, const std::string& b, const fs::path& folder,
                                int seconds) {
  const auto begin = std::chrono::steady_clock::now();
  CH_TRY(const ProgramResult ran,
         run_program({abc_program(), "-c", cat("cec -n -C 10000000 -T ", seconds, " ", a, " ", b)},
                     folder));
  const auto end = std::chrono::steady_clock::now();
  Comparison made{.seconds = std::chrono::duration<double>(end - begin).count()};
  if (ran.output.find("Networks are equivalent") != std::string::npos) {
    made.verdict = Verdict::Proven;
  } else if (ran.output.find("NOT EQUIVALENT") != std::string::npos) {
    made.verdict = Verdict::Differs;
    made.why = "ABC found an input for which they differ";
  } else if (ran.output.find("UNDECIDED") != std::string::npos) {
    made.why = cat("ABC did not decide in ", seconds, " s");
  } else {
    Error error{.what = "abc compared nothing"};
    error.notes.push_back(std::string(trim(ran.output)));
    return error;
  }
  return made;
}

}  // namespace

Result<Comparison> prove_zero(const Aig& graph, const std::string& name, const fs::path& folder,
                              const EquivalenceOptions& options) {
  CH_CHECK(ensure_writable_folder(folder / "proof"));
  AigBuilder zero(graph.inputs);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) zero.output(kFalse);
  const std::string file = cat("proof/", name, ".aig");
  CH_CHECK(write_file(folder / file, write_aiger(graph)));
  CH_CHECK(write_file(folder / "proof/zero.aig", write_aiger(std::move(zero).finish())));
  return compare_aigs("proof/zero.aig", file, folder, options.seconds);
}

std::string abc_program() {
  return has_program("yosys-abc") ? "yosys-abc" : "berkeley-abc";
}

std::string_view name_of(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames = {"proven", "differs", "open"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Result<EquivalenceProof> prove_equivalence(const Netlist& meaning, const Netlist& netlist,
                                           const fs::path& folder, const SynthesisTarget& target,
                                           const EquivalenceOptions& options) {
  assert(input_bits(meaning) == input_bits(netlist) &&
         output_bits(meaning) == output_bits(netlist) &&
         "the same network, with registers and without");
  EquivalenceProof proof{.bits = std::ssize(output_bits(netlist))};
  const std::string& top = netlist.top().name;
  CH_CHECK(ensure_writable_folder(folder / "proof"));
  CH_CHECK(write_graph(read_files(netlist), top, "proof/rtl_registers.aig", folder));
  CH_CHECK(write_graph(cat("read_verilog synth/net.v; read_verilog -defer ", target.cells), top,
                       "proof/synthesised_registers.aig", folder));
  CH_CHECK(write_file(folder / "proof/netlist.aig", write_aiger(netlist_graph(meaning))));
  CH_TRY(const auto rtl, prepared(netlist, "proof/rtl_registers.aig", "proof/rtl.aig", folder,
                                  Verdict::Differs, &proof.gates));
  if (rtl) {
    proof.files = *rtl;  // the netlist has as many registers on every path
    proof.synthesised.why = "the emitted files could not be compared";
    return proof;
  }
  CH_TRY(proof.files, compare_aigs("proof/netlist.aig", "proof/rtl.aig", folder, options.seconds));
  CH_TRY(const auto synthesised, prepared(netlist, "proof/synthesised_registers.aig",
                                          "proof/synthesised.aig", folder, Verdict::Open));
  if (synthesised) {
    proof.synthesised = *synthesised;
    return proof;
  }
  CH_TRY(proof.synthesised,
         compare_aigs("proof/rtl.aig", "proof/synthesised.aig", folder, options.seconds));
  return proof;
}

}  // namespace chop::hardware
