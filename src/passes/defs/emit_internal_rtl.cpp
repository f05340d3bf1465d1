// emit_internal_rtl: the modules that the top holds, one per layer, and the list of all.
#include "passes/hardware_parts.hpp"

namespace chop::passes::emit_internal_rtl {
namespace {

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const Circuit circuit, circuit_of(graph, args, context));
  std::vector<SourceFile> sources = sources_of(circuit);
  std::string list;
  for (SourceFile& source : sources) {
    source.name = "rtl/" + source.name;
    list += source.name + "\n";
  }
  sources.back() = {"rtl/files.f", std::move(list)};
  PassOutput output;
  CH_CHECK(write_hardware(sources, context, output));
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "emit_internal_rtl",
          .doc = "write the modules of the layers to hardware/rtl",
          .details = about_circuits(),
          .args = circuit_fields(),
          .run = run,
          .samples = quantised_samples()};
}

}  // namespace chop::passes::emit_internal_rtl
