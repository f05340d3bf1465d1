// Results of an action, for people and for programs.
#pragma once

#include "analysis/non_finite.hpp"
#include "cli/action_def.hpp"
#include "report/table.hpp"
#include "support/tree.hpp"

namespace chop::cli {

/// False when `--json -` writes to standard output: then nothing else may be printed there.
bool prints_text(const Invocation& invocation);

/// Writes `result` where --json says; without --json nothing happens.
Status write_json(const Invocation& invocation, const Tree& result);
/// The same as the last thing an action does.
Result<Exit> done(const Invocation& invocation, const Tree& result);
/// Sets every entry of the table `more` in the table `result`.
void add_entries(Tree& result, const Tree& more);

/// How a table is drawn on `out`: in colour where it is wanted, as wide as the terminal, 80 columns
/// where there is none.
RenderOptions drawing(const Invocation& invocation, TableStyle style = TableStyle::Simple);

/// The style that --markdown or --latex asks for.
std::optional<TableStyle> asked_style(const Invocation& invocation);

/// A table of results, drawn in `style` unless --markdown or --latex asks for another. One with a
/// frame that is wider than the screen becomes Simple, which fits.
std::string shown(const Invocation& invocation, const Table& table,
                  TableStyle style = TableStyle::Pretty);

/// A warning for every weight or output that is not finite, once for each.
void warn_of_non_finite(const NonFinites& found);
/// The same, and the entry "not_finite" of `result` where there are any.
void report_non_finite(const NonFinites& found, Tree& result);

/// A table whose rows are the whole result, or a text that is, under `key` in JSON: printed on
/// `out` and written by done().
Result<Exit> print_table(const Invocation& invocation, const Table& table,
                         TableStyle style = TableStyle::Pretty);
Result<Exit> print_text(const Invocation& invocation, const std::string& key,
                        const std::string& text);

}  // namespace chop::cli
