// emit_verilog_top: the module that holds the whole circuit.
#include "passes/hardware_parts.hpp"

namespace chop::passes::emit_verilog_top {
namespace {

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const Circuit circuit, circuit_of(graph, args, context));
  std::vector<SourceFile> sources = sources_of(circuit);
  SourceFile top = std::move(sources.back());
  top.name = "rtl/" + top.name;
  PassOutput output;
  CH_CHECK(write_hardware({&top, 1}, context, output));
  output.info["top"] = circuit.top();
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "emit_verilog_top",
          .doc = "write the top module of the circuit to hardware/rtl",
          .details = about_circuits(),
          .args = circuit_fields(),
          .run = run,
          .samples = quantised_samples()};
}

}  // namespace chop::passes::emit_verilog_top
