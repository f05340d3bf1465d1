// ch docs --dir DIR [--check]: writes the reference pages, or says which are stale.
#include "cli/action_def.hpp"
#include "cli/views/reference_docs.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"

namespace chop::cli::actions::docs {
namespace {

Result<Exit> run(const Invocation& invocation) {
  const std::filesystem::path folder = invocation.settings.text_or_empty("dir");
  const bool check = invocation.settings.flag("check");
  bool stale = false;
  for (const ReferencePage& page : reference_pages()) {
    const auto path = folder / page.file;
    const Result<std::string> current = read_file(path);
    if (current && current.value() == page.text) continue;
    if (check) {
      stale = true;
      invocation.out << path.string() << " is stale; `ch docs --dir " << folder.string()
                     << "` renews it\n";
      continue;
    }
    CH_CHECK(write_file(path, page.text));
    log_info("Wrote " + path.string());
  }
  return stale ? Exit::CheckFailed : Exit::Done;
}

}  // namespace

ActionDef define() {
  return {.name = "docs",
          .usage = "ch docs --dir DIR [--check]",
          .summary = "write the reference pages from the registries",
          .settings = {"quiet"},
          .own = {{.field = {.name = "dir",
                             .initial = "docs/reference",
                             .doc = "where the pages are",
                             .kind = FieldKind::Path},
                   .placeholder = "DIR"},
                  {.field = {.name = "check",
                             .initial = false,
                             .doc = "write nothing; exit with 3 when a page is stale"}}},
          .run = run};
}

}  // namespace chop::cli::actions::docs
