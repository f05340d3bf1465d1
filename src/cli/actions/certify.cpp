// ch certify MODEL DATASET: a circuit with what is proven about it; ch certify --check FILE repeats
// it.
#include "cli/circuits/certificate.hpp"
#include "cli/circuits/simulation.hpp"
#include "cli/output.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::certify {
namespace {

Result<Exit> check(const Invocation& invocation, const std::string& file) {
  CH_TRY(const CertificateCheck made, check_certificate(file, invocation));
  if (prints_text(invocation)) {
    for (const std::string& note : made.notes) invocation.out << "note: " << note << "\n";
    for (const std::string& sentence : made.differences) invocation.out << sentence << "\n";
    if (made.differences.empty())
      invocation.out << "The certificate holds: everything it says was repeated.\n";
  }
  CH_CHECK(write_json(invocation, Tree::Table{{"holds", made.differences.empty()},
                                              {"differences", made.differences},
                                              {"notes", made.notes}}));
  return made.differences.empty() ? Exit::Done : Exit::CheckFailed;
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (const auto file = settings.text("check")) return check(invocation, *file);
  for (const std::string_view needed : {"model", "dataset"})
    if (!settings.has(needed))
      return Error{.what = cat("no ", needed == "model" ? "network" : "data set", " is named"),
                   .hint = "ch certify MODEL DATASET, or ch certify --check FILE"};
  const std::string folder = settings.text_or_empty("out");
  CH_TRY(const CircuitFolder held, CircuitFolder::take(folder, "`ch certify`"));
  CH_TRY(const Tree certificate, measure_certificate(settings, held, folder));
  CH_CHECK(write_certificate(certificate, folder));
  if (prints_text(invocation))
    invocation.out << certificate_summary(certificate) << "Written to " << folder
                   << "/certificate.json and certificate.md\n";
  CH_CHECK(write_json(invocation, certificate));
  return is_sound(certificate) ? Exit::Done : Exit::CheckFailed;
}

}  // namespace

ActionDef define() {
  std::vector<SettingDef> own = certificate_settings();
  own.push_back(option("check", "FILE", "repeat what this certificate says, and say what differs"));
  return {.name = "certify",
          .usage = "ch certify MODEL|FILE DATASET [options]",
          .summary = "prove and simulate a circuit, and write down how to repeat it",
          .details =
              "  ch certify quantised.mz jsc --out hardware\n"
              "  ch certify --check hardware/certificate.json\n"
              "Layers are proven by coefficients or by running all codes; emitted files and the "
              "netlist\n"
              "that Yosys makes of them by ABC, for all inputs. certificate.md says what is proven "
              "and\n"
              "what is only simulated. --check ends with code 3 where anything differs.",
          .positionals = {"model", "dataset"},
          .settings = sample_settings(circuit_uses({})),
          .own = std::move(own),
          .run = run};
}

}  // namespace chop::cli::actions::certify
