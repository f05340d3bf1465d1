#include "passes/hardware_parts.hpp"

#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::passes {

Result<Circuit> circuit_of(const Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const CircuitOptions options, circuit_options(args, context.target, context.num_targets));
  return make_circuit(graph.name(), graph, options);
}

Status write_hardware(std::span<const SourceFile> files, const PassContext& context,
                      PassOutput& output) {
  for (const SourceFile& file : files) {
    const std::filesystem::path path = context.hardware / file.name;
    CH_CHECK(write_file(path, file.text));
    output.files.push_back(path);
    output.info["files"].push(file.name);
  }
  output.text += cat("Wrote ", counted(std::ssize(files), "file"), " below ",
                     context.hardware.filename().string(), "/: ");
  std::vector<std::string> names;
  for (const SourceFile& file : files) names.push_back(file.name);
  output.text += join(names, ", ") + "\n";
  return {};
}

std::vector<PassSample> quantised_samples() {
  return {{.model = "jsc-tiny", .is_quantised = true}};
}

std::string_view about_circuits() {
  return "Every operand of the network needs a fixed-point format, which an earlier pass gives. "
         "The\n"
         "arguments are those of `ch emit`, and the passes of a configuration file describe the\n"
         "same circuit where they have the same arguments. The setting `target` is the FPGA, and\n"
         "`num_targets` how many of them its LUTs may fill; the folder is `hardware` of the\n"
         "project, or of the current folder under `ch pass`.";
}

}  // namespace chop::passes
