// ch data: the files data sets need, where they are looked for, what is there; ch data get NAME...
// downloads them.
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "data/fetch/sources.hpp"
#include "support/system/log.hpp"
#include "support/system/progress.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::data {
namespace {

Cell size_cell(std::uint64_t bytes) {
  if (bytes == 0) return {};
  return Cell(static_cast<std::int64_t>(bytes), human_bytes(bytes));
}

Cell state_cell(const DatasetDef& def, const SourceState& state) {
  if (state.found) return "found";
  if (state.bytes > 0) return "in part";
  if (def.without.empty()) return "missing";
  return Cell(std::string("missing"), cat("missing: ", def.without));
}

Table files_table(std::span<const DatasetDef> defs) {
  Table table{.columns = {{"Data set", Align::Left, 0, "dataset"},
                          {"File", Align::Left, 34, "file"},
                          {"State", Align::Left, 16, "state"},
                          {"Size", Align::Right, 0, "bytes"},
                          {"Folder", Align::Left, 0, "folder", false},
                          {"Address", Align::Left, 0, "url", false},
                          {"SHA-256", Align::Left, 0, "sha256", false}}};
  for (const DatasetDef& def : defs) {
    const std::string folder = dataset_folder(def.name).string();
    if (def.sources.empty()) table.rows.push_back({def.name, "", "generated", Cell(), folder});
    for (const SourceState& state : look_for_sources(def)) {
      const DataSource& source = *state.source;
      const std::uint64_t bytes = state.found ? state.bytes : source.bytes;
      table.rows.push_back(
          {def.name, state.found ? state.path.lexically_relative(folder).string() : source.file,
           state_cell(def, state), size_cell(bytes), folder, source.url,
           source.sha256.empty() ? Cell() : Cell(source.sha256)});
    }
  }
  return table;
}

Result<Exit> list(const Invocation& invocation) {
  CH_TRY(const Exit exit, print_table(invocation, files_table(all_datasets()), TableStyle::Simple));
  if (prints_text(invocation) && !invocation.settings.flag("markdown") &&
      !invocation.settings.flag("latex"))
    invocation.out << "\nLooked for in " << dataset_folder("NAME").string()
                   << ". `ch data get NAME` downloads what is missing.\n";
  return exit;
}

/// A bar for each file, on a terminal.
class Bars {
 public:
  void update(const std::string& file, std::uint64_t done, std::uint64_t total) {
    const auto steps = static_cast<std::int64_t>(done);
    if (file != file_) {
      file_ = file;
      bar_ = std::make_unique<Progress>(file.substr(0, 30), static_cast<std::int64_t>(total),
                                        stderr_screen(), steps, BarUnit::Bytes);
    }
    bar_->update(steps);
  }
  void finish() { bar_.reset(); }

 private:
  std::string file_;
  std::unique_ptr<Progress> bar_;
};

Result<Exit> fetch(const Invocation& invocation, const DatasetDef& def, Table& table) {
  const Settings& settings = invocation.settings;
  Bars bars;
  FetchOptions options{.patience = {.connect_seconds = settings.real("connect_timeout"),
                                    .stall_seconds = settings.real("stall_timeout"),
                                    .cancelled = [] { return InterruptGuard::requested(); }},
                       .url = settings.text_or_empty("url"),
                       .again = settings.flag("again")};
  if (!settings.flag("quiet"))
    options.progress = [&](const std::string& file, std::uint64_t done, std::uint64_t total) {
      bars.update(file, done, total);
    };
  Result<std::vector<FetchedFile>> fetched = fetch_sources(def, options);
  bars.finish();
  CH_TRY(const std::vector<FetchedFile> files, std::move(fetched));
  for (const FetchedFile& file : files) {
    if (file.cancelled) {
      log_info(cat("Interrupted; ", counted(static_cast<std::int64_t>(file.bytes), "byte"),
                   " are kept, and the same command goes on from there"));
      return Exit::Interrupted;
    }
    table.rows.push_back({def.name, file.path.filename().string(),
                          file.was_there ? "was there" : "downloaded", size_cell(file.bytes),
                          file.path.parent_path().string(),
                          file.sha256.empty() ? Cell() : Cell(file.sha256)});
  }
  return Exit::Done;
}

Result<Exit> get(const Invocation& invocation) {
  std::vector<std::string> names = invocation.words;
  if (const auto first = invocation.settings.text("name")) names.insert(names.begin(), *first);
  if (names.empty())
    return Error{.what = "which data set is to be downloaded?",
                 .hint = "ch data get NAME; `ch data` lists them"};
  if (names.size() > 1 && invocation.settings.has("url"))
    return Error{.what = "--url names the files of one data set", .hint = "get them one by one"};
  std::vector<const DatasetDef*> defs;
  for (const std::string& name : names) {
    CH_TRY(defs.emplace_back(), find_dataset(name));
  }
  const InterruptGuard guard;
  Table table{.columns = {{"Data set", Align::Left, 0, "dataset"},
                          {"File", Align::Left, 40, "file"},
                          {"State", Align::Left, 0, "state"},
                          {"Size", Align::Right, 0, "bytes"},
                          {"Folder", Align::Left, 0, "folder", false},
                          {"SHA-256", Align::Left, 0, "sha256", false}}};
  for (const DatasetDef* def : defs) {
    CH_TRY(const Exit exit, fetch(invocation, *def, table));
    if (exit != Exit::Done) return exit;
  }
  return print_table(invocation, table, TableStyle::Simple);
}

Result<Exit> run(const Invocation& invocation) {
  const std::string verb = invocation.settings.text_or_empty("verb");
  if (verb == "get") return get(invocation);
  if (invocation.settings.has("name"))
    return Error{.what = cat("unexpected argument '", *invocation.settings.text("name"), "'"),
                 .hint = cat("usage: ", invocation.action.usage)};
  return list(invocation);
}

std::vector<SettingDef> options() {
  return {
      {.field = {.name = "verb",
                 .doc = "what to do; list if not given",
                 .choices = {"list", "get"}},
       .positional = true,
       .placeholder = "VERB"},
      {.field = {.name = "name", .doc = "a data set"},
       .positional = true,
       .placeholder = "NAME",
       .names = registered_names<all_datasets>},
      {.field = {.name = "url",
                 .doc = "another address: of the file or, with / at its end, of the folder with "
                        "the files"},
       .placeholder = "URL"},
      {.field = {.name = "again",
                 .initial = false,
                 .doc = "download also what is there, and compare its checksum"}},
      {.field = {.name = "connect_timeout",
                 .initial = 30.0,
                 .doc = "seconds to wait for a connection",
                 .bounds = {.most = 86400, .above = 0}},
       .placeholder = "SECONDS"},
      {.field = {.name = "stall_timeout",
                 .initial = 60.0,
                 .doc = "seconds to wait for an answer, and for each KiB of a file",
                 .bounds = {.most = 86400, .above = 0}},
       .placeholder = "SECONDS"}};
}

}  // namespace

ActionDef define() {
  return {
      .name = "data",
      .usage = "ch data [get NAME...] [options]",
      .summary = "list the files data sets need and which are there, or download them",
      .details =
          "  ch data                            what is there, and where it is looked for\n"
          "  ch data get jsc                    the jets of the reference system\n"
          "  ch data get mnist --url http://mirror/mnist/\n"
          "Nothing is downloaded unless asked. A download that was broken off goes on where it\n"
          "stopped. Proxies are taken from http_proxy, https_proxy and no_proxy, a mirror from\n"
          "CH_DATA_MIRROR: docs/data.md. `ch datasets` says what the data sets are.",
      .positionals = {"verb", "name"},
      .settings = {"log_level", "json", "quiet", "no_warnings"},
      .own = options(),
      .takes_names = true,
      .run = run};
}

}  // namespace chop::cli::actions::data
