// ch version: which ch this is, what it was built from and with, and what it uses here.
#include "cli/action_def.hpp"
#include "cli/build_info.hpp"
#include "cli/output.hpp"
#include "runtime/measure/machine.hpp"
#include "support/system/simd_level.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::version {
namespace {

Result<Exit> run(const Invocation& invocation) {
  const BuildInfo info = build_info();
  const std::string_view simd = name_of(simd_level());
  const std::string onednn = runtime::onednn_version();
  const std::vector<std::string> levels = machine_simd_level_names();
  if (prints_text(invocation))
    invocation.out << cat("ch ", info.version, "\ncommit ", info.commit, "\nbuilt by ",
                          info.compiler, ", ", info.type, "\nvector instructions: ", simd,
                          " (this processor has ", join(levels, ", "), ")\noneDNN ", onednn, "\n");
  return done(invocation, Tree::Table{{"version", info.version},
                                      {"commit", info.commit},
                                      {"compiler", info.compiler},
                                      {"build", info.type},
                                      {"onednn", onednn},
                                      {"simd", simd},
                                      {"simd_levels", Tree::List(levels.begin(), levels.end())}});
}

}  // namespace

ActionDef define() {
  return {.name = "version",
          .usage = "ch version [--json FILE] [--simd LEVEL]",
          .summary = "say which version and commit this is, and what built it",
          .settings = {"simd", "json", "quiet"},
          .run = run};
}

}  // namespace chop::cli::actions::version
