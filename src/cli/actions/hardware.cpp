// ch hardware MODEL DATASET: emit, simulate, synthesise and certify in one.
#include "cli/circuits/certificate.hpp"
#include "cli/circuits/simulation.hpp"
#include "cli/output.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::hardware {
namespace {

/// One line: what Yosys counted, beside the estimate.
std::string synthesis_line(const Tree& certificate) {
  const Tree* made = certificate.find("synthesis");
  if (made == nullptr) return "Not synthesised: a stream or a folded circuit\n";
  const bool is_estimated = text_of((*made)["target"]) == "xilinx";  // what estimates are of
  return cat("Yosys, ", text_of((*made)["target"]), ": ", count_of((*made)["luts"]), " LUTs",
             is_estimated
                 ? cat(" (estimated ", count_of(certificate["circuit"]["estimate"]["luts"]), ")")
                 : "",
             ", ", count_of((*made)["registers"]), " registers, ", count_of((*made)["carries"]),
             " carry cells, ", count_of((*made)["depth"]), " cells between registers\n");
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const std::string folder = settings.text_or_empty("out");
  CH_TRY(const CircuitFolder held, CircuitFolder::take(folder, "`ch hardware`"));
  CH_TRY(const Tree certificate, measure_certificate(settings, held, folder));
  CH_CHECK(write_certificate(certificate, folder));
  const Tree& circuit = certificate["circuit"];
  if (prints_text(invocation))
    invocation.out << text_of(circuit["model"]) << " for " << settings.text_or_empty("target")
                   << ": latency " << count_of(circuit["latency"]) << " cycles, a sample every "
                   << count_of(circuit["interval"]) << "\n"
                   << synthesis_line(certificate) << certificate_summary(certificate)
                   << "Written to " << folder
                   << ": rtl/, sim/, test/, project/, certificate.json and certificate.md\n"
                   << "Again: ch certify --check " << folder << "/certificate.json\n";
  CH_CHECK(write_json(invocation, certificate));
  return is_sound(certificate) ? Exit::Done : Exit::CheckFailed;
}

}  // namespace

ActionDef define() {
  return {.name = "hardware",
          .usage = "ch hardware MODEL|FILE DATASET [options]",
          .summary = "emit, simulate, synthesise and certify a circuit in one",
          .details =
              "  ch hardware quantised.mz jsc\n"
              "  ch hardware quantised.mz jsc --pipeline 8 --target lfe5u-25f\n"
              "The folder holds SystemVerilog (rtl/), simulator and testbench (sim/, test/), "
              "scripts for\n"
              "Vivado and Quartus (project/), and the certificate. `ch emit`, `simulate`, `synth` "
              "and\n"
              "`certify` do the parts of it.",
          .positionals = {"model", "dataset"},
          .required = {"model", "dataset"},
          .settings = sample_settings(circuit_uses({})),
          .own = certificate_settings(),
          .run = run};
}

}  // namespace chop::cli::actions::hardware
