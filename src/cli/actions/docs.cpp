// ch docs --dir DIR [--check]: writes the reference pages, or says which are stale.
#include "cli/action_def.hpp"
#include "cli/output.hpp"
#include "cli/views/reference_docs.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"

namespace chop::cli::actions::docs {
namespace {

Result<Exit> run(const Invocation& invocation) {
  const std::filesystem::path folder = invocation.settings.text_or_empty("dir");
  const bool check = invocation.settings.flag("check");
  std::vector<std::string> changed;
  for (const ReferencePage& page : reference_pages()) {
    const auto path = folder / page.file;
    const Result<std::string> current = read_file(path);
    if (current && current.value() == page.text) continue;
    changed.push_back(page.file);
    if (check) {
      if (prints_text(invocation))
        invocation.out << path.string() << " is stale; `ch docs --dir " << folder.string()
                       << "` renews it\n";
      continue;
    }
    CH_CHECK(write_file(path, page.text));
    log_info("Wrote " + path.string());
  }
  Tree result;
  result[check ? "stale" : "written"] = changed;
  CH_CHECK(write_json(invocation, result));
  return check && !changed.empty() ? Exit::CheckFailed : Exit::Done;
}

}  // namespace

ActionDef define() {
  return {.name = "docs",
          .usage = "ch docs --dir DIR [--check] [--json FILE]",
          .summary = "write the reference pages from the registries",
          .settings = {"json", "quiet"},
          .own = {{.field = {.name = "dir",
                             .initial = "docs/reference",
                             .doc = "where the pages are",
                             .kind = FieldKind::Path},
                   .placeholder = "DIR"},
                  flag("check", "write nothing; exit with 3 when a page is stale")},
          .run = run};
}

}  // namespace chop::cli::actions::docs
