// Running passes for an action: log lines, printing, dumps, and the result as a Tree.
#pragma once

#include "cli/action_def.hpp"
#include "cli/open_model.hpp"
#include "passes/manager.hpp"

namespace chop::cli {

/// Adds the metadata every pass may rely on, runs the passes, prints what they say. With the
/// setting `dump`, the graph is written there as text before the first pass and after each.
Result<std::vector<PassReport>> run_and_print(const Invocation& invocation, Graph& graph,
                                              std::span<const PassCall> calls,
                                              const PassContext& context);

/// Takes the settings `target` and `num_targets`.
void aim_at_target(PassContext& context, const Settings& settings);

/// One pass over a network, on samples of the setting `dataset`, or of the data set that the
/// network is usually run on when the pass needs some: {"model", "batch_size", "passes"}. Files
/// that it writes by itself go to `folder`.
Result<Tree> run_pass(const Invocation& invocation, OpenedModel& model, const PassCall& call,
                      const std::filesystem::path& folder = {});

/// [{"pass", "seconds", "changed", "info", "files"}, ...]
Tree tree_of(std::span<const PassReport> reports);

/// The setting `dump`, for actions that run passes.
SettingDef dump_setting();

}  // namespace chop::cli
