// emit_cocotb: a testbench that checks itself and the program around Verilator's model, in place of
// the reference system's scripts in Python.
#include "passes/hardware_parts.hpp"

namespace chop::passes::emit_cocotb {
namespace {

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const Circuit circuit, circuit_of(graph, args, context));
  const auto random = static_cast<std::size_t>(args.integer("random"));
  const Vectors vectors = make_vectors(circuit.definition, random, context.seed);
  std::vector<SourceFile> kept;
  for (SourceFile& file : files_of(circuit, vectors))
    if (file.name.starts_with("sim/") || file.name.starts_with("test/"))
      kept.push_back(std::move(file));
  PassOutput output;
  CH_CHECK(write_hardware(kept, context, output));
  output.info["vectors"] = std::ssize(vectors.inputs);
  return output;
}

std::vector<Field> fields() {
  std::vector<Field> all = circuit_fields();
  all.push_back({.name = "random",
                 .initial = 100,
                 .doc = "random samples, beside extreme ones",
                 .bounds = kAtLeastZero});
  return all;
}

}  // namespace

PassDef define() {
  return {.name = "emit_cocotb",
          .doc =
              "write a self-checking testbench with vectors to hardware/test, and the program "
              "around Verilator's model to hardware/sim",
          .details = about_circuits(),
          .args = fields(),
          .run = run,
          .samples = quantised_samples()};
}

}  // namespace chop::passes::emit_cocotb
