// The pass manager: runs passes one after another on a copy of the graph, verifies the graph after
// each, lists what changed, and compares that with what the pass promised.
#pragma once

#include <functional>

#include "passes/pass_def.hpp"

namespace chop::passes {

/// A pass with checked arguments.
struct PassCall {
  const PassDef* def = nullptr;
  Args args;
};

/// Finds the pass and checks `args`; `file` is where they were written, "" on a command line.
Result<PassCall> make_call(std::string_view name, const Tree& args, const std::string& file = {});
/// One call per entry of a [passes] table, in its order.
Result<std::vector<PassCall>> calls_from(const Tree& passes, const std::string& file);

/// Differences between two graphs, by name.
struct GraphChanges {
  std::vector<std::string> added = {};  ///< nodes
  std::vector<std::string> removed = {};
  std::vector<std::string> rewired = {};  ///< other op, inputs or attributes
  std::vector<std::string> formats = {};  ///< nodes with other number formats
  std::vector<std::string> metadata = {};
  std::vector<std::string> parameters = {};  ///< added, removed or with other values

  bool beyond_metadata() const;
};
GraphChanges changes_between(const Graph& before, const Graph& after);
/// "formats of seq_blocks_2; metadata of 6 nodes", or "nothing".
std::string describe(const GraphChanges& changes);

struct PassReport {
  std::string name;
  double seconds = 0;
  GraphChanges changes;
  PassOutput output;
};

struct PassOptions {
  /// Called before each pass and after each, for progress, printing and dumps.
  std::function<Status(const PassCall&, const Graph&)> before = {};
  std::function<Status(const PassReport&, const Graph&)> after = {};
};

/// Stops at the first error, with `graph` as the last complete pass left it. A graph that no
/// longer verifies, or a pass that changes more than it promises, is an error that names it.
Result<std::vector<PassReport>> run_passes(Graph& graph, std::span<const PassCall> calls,
                                           const PassContext& context,
                                           const PassOptions& options = {});

/// What every transformation starts with: init_metadata, add_common_metadata and
/// add_software_metadata. A graph that has metadata (from a checkpoint) keeps its statistics.
Status add_metadata(Graph& graph, const PassContext& context);

}  // namespace chop::passes
