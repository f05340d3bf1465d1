#include "cli/output.hpp"

#include <mutex>
#include <set>

#include "support/display.hpp"
#include "support/json.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/terminal_text.hpp"
#include "support/text.hpp"

namespace chop::cli {

bool prints_text(const Invocation& invocation) {
  return invocation.settings.text("json") != "-";
}

Status write_json(const Invocation& invocation, const Tree& result) {
  const auto target = invocation.settings.text("json");
  if (!target) return {};
  const std::string text = to_json(result, 2) + "\n";
  if (*target != "-") return write_file(*target, text);
  invocation.out << json_for_terminal(text);
  return {};
}

Result<Exit> done(const Invocation& invocation, const Tree& result) {
  CH_CHECK(write_json(invocation, result));
  return Exit::Done;
}

void add_entries(Tree& result, const Tree& more) {
  if (const Tree::Table* entries = more.as_table())
    for (const auto& [key, value] : *entries) result.set(key, value);
}

RenderOptions drawing(const Invocation& invocation, TableStyle style) {
  return {.style = style,
          .colour = invocation.colour,
          .width = is_terminal(invocation.out) ? terminal_width(stdout) : RenderOptions{}.width};
}

namespace {

int widest_line(const std::string& text) {
  int widest = 0;
  for (const std::string& line : split(text, '\n'))
    widest = std::max(widest, static_cast<int>(display_width(line)));
  return widest;
}

}  // namespace

std::optional<TableStyle> asked_style(const Invocation& invocation) {
  const auto asked = [&invocation](std::string_view flag) {
    return find_setting(invocation.settings.defs(), flag) != nullptr &&
           invocation.settings.flag(flag);
  };
  if (asked("latex")) return TableStyle::Latex;
  if (asked("markdown")) return TableStyle::Markdown;
  return {};
}

std::string shown(const Invocation& invocation, const Table& table, TableStyle style) {
  const RenderOptions options = drawing(invocation, asked_style(invocation).value_or(style));
  std::string text = render(table, options);
  const bool framed = options.style == TableStyle::Pretty || options.style == TableStyle::Orgtbl;
  if (!framed || widest_line(text) <= options.width) return text;
  return render(table, drawing(invocation, TableStyle::Simple));  // which fits
}

void warn_of_non_finite(const NonFinites& found) {
  // A network may be opened again, and an action may report what was warned of when it was.
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  for (const NonFinite& each : found)
    if (std::string text = cat(each.name, " holds ", each.counts()); said.insert(text).second)
      log_warning(text);
}

void report_non_finite(const NonFinites& found, Tree& result) {
  warn_of_non_finite(found);
  Tree::List entries;
  for (const NonFinite& each : found)
    entries.push_back(Tree::Table{
        {"name", each.name}, {"nan", each.nan}, {"infinite", each.infinite}, {"size", each.size}});
  if (!found.empty()) result["not_finite"] = std::move(entries);
}

Result<Exit> print_table(const Invocation& invocation, const Table& table, TableStyle style) {
  if (prints_text(invocation)) invocation.out << shown(invocation, table, style);
  return done(invocation, tree_of(table));
}

Result<Exit> print_text(const Invocation& invocation, const std::string& key,
                        const std::string& text) {
  if (prints_text(invocation)) invocation.out << text;
  return done(invocation, Tree::Table{{key, text}});
}

}  // namespace chop::cli
